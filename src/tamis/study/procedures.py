"""The procedures a study compares, simplest first: the one place where they are listed.

A procedure is everything that is learned from training rows: transform, choice of columns, model and its strength. So
it is an unfitted model or a scikit-learn pipeline. Readable ones are in `READABLE`: a study chooses among them. Black
boxes are in `REFERENCES`: they are judged beside them. `PROCEDURES` joins in with prefer="best"; those of `NAMED` are
compared only by name, and users give their own. Which of them a table calls for is decided by its shape alone, before
any score is seen.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from tamis.check import one_of
from tamis.errors import KindError, ParameterError
from tamis.study.procedure import by_name
from tamis.task import COUNT, predicts_numbers


def _always(n_rows: int, n_columns: int) -> bool:
    return True


def _is_wide(n_rows: int, n_columns: int) -> bool:
    return n_columns > n_rows


def _has_many_rows(n_rows: int, n_columns: int) -> bool:
    return n_rows >= BOOSTED_ROWS and 5 * n_columns <= n_rows


#: Rows to learn from that boosting of small trees is compared from, and up to which folds choose its rounds.
BOOSTED_ROWS, TUNED_ROWS = 500, 20_000

#: Of its trees: rows of the study below which they have so many leaves, of so many rows at least.
_TREES = ((3_000, 8, 5), (8_000, 16, 10), (math.inf, 31, 20))

#: Leaves that a tree is grown to at most, about.
MOST_LEAVES = 5_000

#: Rows to learn from below which a forest draws its thresholds at random, and below which it may, where that does
#: better out of the bag.
FEW_ROWS, SOME_ROWS = 300, 1_500


@dataclass(frozen=True)
class Procedure:
    """A named way from training rows to a fitted model.

    Attributes
    ----------
    name : one word, used in settings and results.
    words : what it does, for people.
    make : task -> an unfitted model; where `sized`, also the rows of the study, as `n_rows`.
    readable : whether a person can follow the fitted model from a row to its answer.
    suits : (rows to learn from, columns) -> whether a table of this shape calls for it, where none are named.
    cost : its place in the race: 0 where inner answers come with the fit, else the dearer the later.
    by_size : whether it fits a model for each number of columns (`SizedModels`), of which one is chosen.
    """

    name: str
    words: str
    make: Callable[..., Any]
    readable: bool = False
    suits: Callable[[int, int], bool] = _always
    cost: int = 0
    sized: bool = False
    by_size: bool = False


def _baseline(task: str) -> Any:
    from tamis.evaluate.baseline import Baseline

    return Baseline(task)


def _stump(task: str) -> Any:
    from tamis.tree import TreeClassifier, TreeRegressor

    if predicts_numbers(task):
        return TreeRegressor(criterion=_criterion(task), max_depth=1, random_state=None)
    return TreeClassifier(max_depth=1, random_state=None)


def _criterion(task: str) -> str:
    """What splits of numbers are compared by."""
    return "poisson" if task == COUNT else "squared_error"


def tree(task: str, n_rows: int | None = None) -> Any:
    """A tree that is cut back to the size that does best in inner folds.

    Of many rows its leaves have a five-thousandth of them at least: of 100,000 rows (12 numbers, 8 categories, three
    folds) it takes 1.7 processor seconds instead of 9.9 for numbers, with an R² of 0.540 instead of 0.531, and 1.5
    instead of 2.2 for two classes, with the same Brier score. Nobody reads more leaves, and pruning keeps fewer.
    """
    from tamis.evaluate.inner import InnerFolds
    from tamis.tree import TreeClassifier, TreeRegressor

    settings: dict[str, Any] = {"prune": "cv", "rule": "min", "cv": InnerFolds(), "random_state": None}
    settings["min_samples_leaf"] = max(1, (n_rows or 0) // MOST_LEAVES)
    if predicts_numbers(task):
        return TreeRegressor(criterion=_criterion(task), **settings)
    # By misclassification a tree of 5% positives is cut back to its root, whatever it tells of them. Over 24 tables
    # (benchmarks/study/rules.py) the log loss gives away a point of accuracy (0.812 against 0.822) for a Brier score of
    # 0.272 instead of 0.281 and a log loss of 0.54 instead of 0.59.
    return TreeClassifier(prune_by="log_loss", **settings)


def _lasso(task: str) -> Any:
    return by_name.linear(task, "lasso")


def _ridge(task: str) -> Any:
    # Where columns outnumber rows the lasso keeps at most as many as there are rows, and what many weak columns say
    # together is lost. On tables of another shape it did not gain what it costs (docs/reference/study.md).
    # Thirty strengths, not a hundred: over seven wide tables the Brier score out of fold differs by 0.003 at most, in
    # either direction, and the fit takes 0.4 to 0.6 of the time.
    return by_name.linear(task, "ridge", n_alphas=30)


def sifted_forest(task: str, n_rows: int | None = None) -> Any:
    """The forest of a study, and what it sifts columns by; its kind follows from the rows of the study, not of a fold.

    Else the folds could judge one kind of forest, and the last fit, of more rows, be of another.
    """
    from tamis.forest import ForestClassifier, ForestRegressor
    from tamis.search import MirrorSelector

    # Half of the columns tried at a split, and not a third: over 9 tables of numbers a mean R² of 0.817, not 0.804.
    # Calibrated: over 56 tables, split twice, the Brier score of new rows is 0.213 and not 0.225, and lower on 35
    # (benchmarks/forest/calibration.py). To tune leaves and columns by calibrated shares brought nothing more (over 58
    # tables, four splits, -0.0005 ± 0.0005).
    forest: Any = ForestClassifier(200, calibration="temperature")
    if predicts_numbers(task):
        forest = ForestRegressor(200, max_features=0.5, criterion=_criterion(task))
    # Over 32 tables of at most 400 and 900 rows, split twice, the mean loss of forests with the best thresholds is
    # 0.2496 and 0.1862, with random ones 0.2475 and 0.1882, with those that do better out of the bag 0.2469 and 0.1852
    # (benchmarks/forest/thresholds.py). Comparing them costs 1.4 to 1.7 times a forest of the best ones, so it is not
    # done for more rows; of 5,600 rows random ones were worse on all four tables tried. Few rows compare badly: over
    # four tables of 116 to 206 rows, split twelve times, the loss is 0.221 with random ones, 0.224 with the better (no
    # more than one standard error apart on any), and comparing takes longer.
    kinds: Any = ("best", "random")
    if n_rows is None or n_rows >= SOME_ROWS:
        kinds = "best"
    elif n_rows < FEW_ROWS:
        kinds = "random"
    return MirrorSelector(forest, thresholds=kinds, halvings="auto")


def _booster(task: str, n_rows: int | None = None) -> Any:
    """Boosting of small trees, on the columns that make up nearly all of what splits gain.

    Over 8 tables of numbers, 1,000 and 3,000 rows, split twice, it had a mean R² of 0.793 with 200 rounds, a study's
    forest 0.782, 100 rounds of 31 leaves 0.786, in a tenth of the forest's time; ames 0.915 against 0.881, houses 0.77
    against 0.72. Over 15 tables of classes of 600 to 2,500 rows both had a Brier score of 0.169, but not on the same
    tables: nursery 0.016 against 0.057, car evaluation 0.037 against 0.069, yeast 0.592 against 0.533. Columns that
    make up 99.5% of the gain are 0.3 to 0.6 of those of tables of more than 20, and do as well as all
    (benchmarks/study/booster.py). By scripts that were not kept: rounds that inner folds choose, and trees of classes
    that each draw half of the columns, take the Brier score over 16 tables of 630 rows from 0.212 to 0.196, the share
    of the variance left over 7 of numbers from 0.242 to 0.238. Over ten tables of more than 20 columns, 1,050 rows,
    split twice, the loss is 0.0736 on the columns of 99.5% of the gain of such trees, 0.0724 and 0.0730 on those of
    99.5% and 99% of trees that try all columns, 0.0745 of 98%; the columns are 0.70, 0.63, 0.58 and 0.51 of all. More
    rows bear larger trees: of 11,000
    rows houses has an R² of 0.807 with 8 leaves, 0.824 with 16 and 0.833 with 31, and magic a Brier score of 0.194,
    0.183 and 0.181; of 5,000 rows 16 leaves are better than 8 on seven of nine tables (one split each).
    """
    from tamis.evaluate.inner import InnerFolds
    from tamis.study.procedure.boosting import Boosting

    leaves, leaf = next(size for max_rows, *size in _TREES if n_rows is None or n_rows < max_rows)
    is_tuned = n_rows is not None and n_rows < TUNED_ROWS
    return Boosting(
        task,
        rounds=200 if is_tuned or predicts_numbers(task) else 100,
        max_leaf_nodes=leaves,
        min_samples_leaf=leaf,
        max_features=None if predicts_numbers(task) else 0.5,
        kept=0.99,
        cv=InnerFolds() if is_tuned else None,
    )


def _boosting(task: str) -> Any:
    from tamis.study.procedure.boosting import Boosting

    return Boosting(task)


def _small_tree(task: str) -> Any:
    from tamis.evaluate.inner import InnerFolds
    from tamis.study.procedure.sized import SizedTrees

    return SizedTrees(task, cv=InnerFolds())


def _formula(task: str) -> Any:
    from tamis.evaluate.inner import InnerFolds
    from tamis.study.procedure.sized import SizedFormulas

    return SizedFormulas(task, cv=InnerFolds())


def _panel(task: str) -> Any:
    from tamis.evaluate.inner import InnerFolds
    from tamis.study.procedure.sized import SizedPanels

    return SizedPanels(task, cv=InnerFolds())


def _additive(task: str) -> Any:
    from tamis.evaluate.inner import InnerFolds
    from tamis.study.procedure.sized import SizedAdditive

    return SizedAdditive(task, cv=InnerFolds())


def _forest(task: str, n_rows: int | None = None) -> Any:
    from tamis.forest import ForestClassifier, ForestRegressor

    if predicts_numbers(task):
        return ForestRegressor(200, max_features=0.5, criterion=_criterion(task), random_state=None)
    return ForestClassifier(200, calibration="temperature", random_state=None)


def _is_not_wide(n_rows: int, n_columns: int) -> bool:
    return not _is_wide(n_rows, n_columns)


#: Columns of a readable model at most; of a table of more columns than rows.
MAX_COLUMNS, MAX_WIDE_COLUMNS = 12, 20

#: Readable procedures, simplest first: each fits a model for every number of columns up to the largest allowed.
READABLE = (
    Procedure(
        "small-tree", "a decision tree of at most 20 leaves, pruned by inner folds", _small_tree, True, by_size=True
    ),
    Procedure(
        "formula",
        "a linear model of few columns, chosen by the lasso's path and fitted with a ridge penalty",
        _formula,
        True,
        _is_not_wide,
        by_size=True,
    ),
    Procedure(
        "panel",
        "a linear model of few columns out of many, chosen together for all classes",
        _panel,
        True,
        _is_wide,
        by_size=True,
    ),
    Procedure(
        "additive",
        "an additive model: a curve per column and at most five maps of two columns",
        _additive,
        True,
        _is_not_wide,
        by_size=True,
    ),
)

#: What is said of a forest, where its rows are independent.
CALIBRATED = "; its probabilities of classes are calibrated by rows that its trees did not see"

PROCEDURES = (
    Procedure("baseline", "always the majority class, or the mean: no column is looked at", _baseline, True),
    Procedure("stump", "one question about one column", _stump, True),
    Procedure(
        "tree",
        "a decision tree, grown in full (of 10,000 rows or more, to leaves of a five-thousandth of them) and cut back "
        "to the size that does best in inner folds",
        tree,
        True,
        sized=True,
    ),
    Procedure(
        "lasso",
        "a linear model whose penalty drops columns; its strength is the one that does best in inner folds",
        _lasso,
        True,
    ),
    Procedure(
        "ridge",
        "a linear model of all columns, for more columns than rows; its strength is the one that does best in inner "
        "folds",
        _ridge,
        False,  # nobody reads as many coefficients
        _is_wide,
    ),
    Procedure(
        "forest",
        "a forest of 200 trees on the columns that matter more, to rows a tree did not see, than any column of noise; "
        "of more than 20 columns the better half, again and again, at the end perhaps the better 0.71 of them, as long "
        "as rows held out keep 99% of the gain (of more columns than rows, no further than to a quarter of them)"
        + CALIBRATED,
        sifted_forest,
        cost=1,
        sized=True,
    ),
    Procedure(
        "booster",
        "gradient boosting of small trees (8 leaves at most; 16 from 3,000 rows on, 31 from 8,000), of as many rounds "
        "as do best in inner folds (from 20,000 rows on a fixed number); of more than 20 columns, on those that make "
        "up 99% of what splits gain",
        _booster,
        suits=_has_many_rows,
        cost=2,
        sized=True,
    ),
)

#: Procedures of the user race after the study's own.
GIVEN = 4

#: One of a study's procedures only where it is asked for by name.
BLACK_BOX = Procedure(
    "boosting",
    "histogram gradient boosting of at most 100 rounds, on all columns as they are",
    _boosting,
    cost=3,
)

#: Black boxes that are judged beside readable models, on all columns: they say what reading costs.
REFERENCES = (
    Procedure("ridge", "a linear model of all columns with a ridge penalty", _ridge, suits=_is_wide),
    Procedure("forest", "a random forest of 200 trees on all columns", _forest),
    BLACK_BOX,
)

#: Compared only where they are named: over many tables they did not gain what they cost (docs/reference/study.md).
NAMED = (
    Procedure("subset", "the linear model of the k columns that do best in inner folds", by_name.subset, True),
    Procedure(
        "rank", "a lasso of the better half of the columns by relief and mutual information", by_name.rank, True, cost=2
    ),
    Procedure(
        "forward",
        "a ridge of columns added one by one while they tell more of the target than of each other",
        by_name.forward,
        True,
        cost=2,
    ),
    Procedure(
        "elastic-net", "a linear model that drops columns, but keeps those that say the same", by_name.elastic_net, True
    ),
    Procedure(
        "log-lasso",
        "a lasso after the logarithm of positive columns with a skewness above 2",
        by_name.log_lasso,
        True,
        cost=2,
    ),
    Procedure(
        "svm", "a sparse linear support vector machine (squared hinge), sure of its answers", by_name.svm, True, cost=2
    ),
    Procedure(
        "optimal-tree",
        "of all trees of at most three levels and eight leaves the best one; inner folds choose the number of leaves",
        by_name.optimal_tree,
        True,
    ),
    Procedure(
        "score-card",
        "whole points for at most eight yes-or-no statements; inner folds choose how many",
        by_name.score_card,
        True,
    ),
    Procedure("model-tree", "a pruned tree with a linear model in every leaf", by_name.model_tree, True),
    Procedure("knn", "nearest neighbours on the standardised columns of the forest", by_name.knn, cost=3, sized=True),
)

#: Where procedures that are named stand among the others, simplest first.
_ORDER = (
    *(
        "baseline",
        "stump",
        "score-card",
        "optimal-tree",
        "small-tree",
        "tree",
        "subset",
        "rank",
        "forward",
        "formula",
        "panel",
    ),
    *(
        "lasso",
        "log-lasso",
        "elastic-net",
        "svm",
        "additive",
        "ridge",
        "model-tree",
        "forest",
        "booster",
        "knn",
        "boosting",
    ),
)
_KNOWN = tuple(sorted((*PROCEDURES, *READABLE, *NAMED, BLACK_BOX), key=lambda procedure: _ORDER.index(procedure.name)))
_BY_NAME = {procedure.name: procedure for procedure in _KNOWN}

#: Names that a pipeline of the user may not have; one may well be called "svm".
_RESERVED = {procedure.name for procedure in (*PROCEDURES, *READABLE, BLACK_BOX)}


def chosen(
    requested: Iterable[str] | Mapping[str, Any] | None,
    transform: str | None = None,
    shape: tuple[int, int] | None = None,
    independent: bool = True,
    *,
    prefer: str = "balanced",
    max_columns: int | None = None,
) -> tuple[Procedure, ...]:
    """The procedures asked for, the baseline always among them and first.

    Parameters
    ----------
    requested : names, put in order simplest first; or name -> pipeline (a name alone stands for the procedure of that
        name), in the order given, which should be simplest first; None is all of `READABLE` that suit the shape, and
        with prefer="best" the others of `PROCEDURES`, too.
    transform : what is done to columns before each of the study's own procedures but the baseline; a pipeline given has
        its own.
    shape : rows to learn from, and columns; None is a table that calls for all of them.
    independent : rows come neither in groups nor in time order. Else out-of-bag rows are correlated with in-bag rows of
        the same group, and a forest calibrated by them would be overconfident.
    prefer : as in `Settings`.
    max_columns : columns of a readable model at most; None is 12, or 20 for more columns than rows.

    >>> [procedure.name for procedure in chosen(None, shape=(100, 30))]
    ['baseline', 'small-tree', 'formula', 'additive']
    """
    procedures = _requested(requested, prefer)
    if requested is None and shape is not None:
        procedures = tuple(procedure for procedure in procedures if procedure.suits(*shape))
    return _prepared(procedures, transform, shape, independent, max_columns)


def references(
    transform: str | None, shape: tuple[int, int], independent: bool, named: Iterable[str]
) -> tuple[Procedure, ...]:
    """Black boxes that suit the shape of a table and are not among the procedures of these names."""
    suited = tuple(
        reference for reference in REFERENCES if reference.suits(*shape) and reference.name not in set(named)
    )
    return _prepared(suited, transform, shape, independent, None)


def _prepared(
    procedures: tuple[Procedure, ...],
    transform: str | None,
    shape: tuple[int, int] | None,
    independent: bool,
    max_columns: int | None,
) -> tuple[Procedure, ...]:
    """Procedures for a table of this shape, behind transforms."""
    our_makers = {procedure.make for procedure in (*_KNOWN[1:], *REFERENCES)}
    after = [transform is not None and procedure.make in our_makers for procedure in procedures]
    largest = max_columns or (MAX_WIDE_COLUMNS if shape is not None and _is_wide(*shape) else MAX_COLUMNS)
    if shape is not None:
        procedures = tuple(_of_rows(procedure, shape[0]) for procedure in procedures)
    if not independent:
        procedures = tuple(
            _uncalibrated(procedure) if procedure.make in our_makers or procedure.sized else procedure
            for procedure in procedures
        )
    procedures = tuple(
        _with(procedure, max_columns=largest) if procedure.by_size else procedure for procedure in procedures
    )
    return tuple(
        _after(str(transform), procedure) if is_after else procedure for procedure, is_after in zip(procedures, after)
    )


def _with(procedure: Procedure, **parameters: Any) -> Procedure:
    """The same procedure with parameters of its sized models, which may stand behind transforms."""

    def make(task: str) -> Any:
        model = procedure.make(task)
        prefix = "model__" if hasattr(model, "steps") else ""
        return model.set_params(**{f"{prefix}{name}": value for name, value in parameters.items()})

    return replace(procedure, make=make)


def at_size(procedure: Procedure, size: int) -> Procedure:
    """A readable procedure with models of at most `size` columns.

    >>> at_size(READABLE[0], 3).name
    'small-tree[3]'
    """
    return replace(_with(procedure, size=size), name=f"{procedure.name}[{size}]")


def candidates(procedures: Iterable[Procedure], n_columns: int, max_columns: int) -> tuple[Procedure, ...]:
    """What is chosen among, simplest first: the baseline, readable models by number of columns, then the others.

    >>> [one.name for one in candidates(chosen(None, shape=(100, 2)), 2, 12)][:4]
    ['baseline', 'small-tree[1]', 'formula[1]', 'additive[1]']
    """
    from tamis.study.procedure.sized import sizes_up_to

    baseline, *models = procedures
    sized = [procedure for procedure in models if procedure.by_size]
    at_sizes = [at_size(procedure, size) for size in sizes_up_to(max_columns, n_columns) for procedure in sized]
    return (baseline, *at_sizes, *(procedure for procedure in models if not procedure.by_size))


def _of_rows(procedure: Procedure, n_rows: int) -> Procedure:
    """The same procedure for a study of so many rows to learn from."""
    return replace(procedure, make=partial(procedure.make, n_rows=n_rows)) if procedure.sized else procedure


def _uncalibrated(procedure: Procedure) -> Procedure:
    """The same procedure, its forest as sure as its trees agree."""

    def make(task: str) -> Any:
        model = procedure.make(task)
        names = model.get_params() if hasattr(model, "get_params") else ()
        calibration_names = [name for name in names if name.rsplit("__", 1)[-1] == "calibration"]
        return model.set_params(**dict.fromkeys(calibration_names)) if calibration_names else model

    return replace(procedure, make=make, words=procedure.words.removesuffix(CALIBRATED))


def _after(transform: str, procedure: Procedure) -> Procedure:
    """The same procedure behind transforms."""

    def make(task: str) -> Any:
        from tamis.study.procedure.transformed import Transformed

        return Transformed.of(transform, procedure.make(task))

    return replace(procedure, words=f"{procedure.words}; after {transform}", make=make)


def _requested(requested: Iterable[str] | Mapping[str, Any] | None, prefer: str) -> tuple[Procedure, ...]:
    if requested is None and prefer != "best":
        return (_BY_NAME["baseline"], *READABLE)
    if requested is None:
        return tuple(procedure for procedure in _KNOWN if procedure in (*PROCEDURES, *READABLE))
    if isinstance(requested, Mapping):
        custom = [_procedure_of(name, model) for name, model in requested.items() if name != "baseline"]
        return (_BY_NAME["baseline"], *custom)
    wanted_names = {one_of("procedures", name, _BY_NAME) for name in requested} | {"baseline"}
    return tuple(procedure for procedure in _KNOWN if procedure.name in wanted_names)


def _procedure_of(name: Any, model: Any) -> Procedure:
    if not isinstance(name, str) or not name.strip():
        raise KindError(f"the name {name!r} of a procedure is no text; give one word for each")
    if name != " ".join(name.split()) or name.endswith("]"):
        raise ParameterError(f"the name {name!r} of a procedure has odd spaces or ends in a bracket; give one word")
    if model is None or isinstance(model, str):
        procedure = _BY_NAME[one_of("procedures", model or name, _BY_NAME)]
        return replace(procedure, name=name)
    if isinstance(model, type):
        raise KindError(f"procedures[{name!r}] is a class; give an object of it, as in {model.__name__}()")
    for verb in ("fit", "predict", "get_params"):
        if not hasattr(model, verb):
            raise KindError(f"procedures[{name!r}] has no {verb}; give a model, or a pipeline that ends in one")
    if name in _RESERVED:
        raise ParameterError(f"procedures[{name!r}] has the name of a procedure there is; give it a name of its own")
    return Procedure(name, spoken(model), lambda task: model, cost=GIVEN)


def spoken(model: Any) -> str:
    """A user's pipeline in words.

    >>> from sklearn.linear_model import Ridge
    >>> spoken(Ridge())
    'given: Ridge'
    """
    steps = getattr(model, "steps", None) or [("", model)]
    return f"given: {', then '.join(type(step).__name__ for _, step in steps if not isinstance(step, str))}"
