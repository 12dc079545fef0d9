"""What a user asked of a study: checked once, written down, part of the study's identity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from tamis import check
from tamis.errors import KindError, ParameterError
from tamis.fingerprint import PACKAGES, packages_of
from tamis.study.procedures.models.recipe import Written, recipe
from tamis.table.inference.missing import MissingValues
from tamis.table.sources.header import header_given
from tamis.task import COUNT, task_named

PREFERENCES = ("simplest", "balanced", "best")
RARE = ("keep", "merge", "drop")

#: Settings that name a column which is read but not learned from.
ASIDE = ("groups", "time", "exposure")


@dataclass(frozen=True)
class Settings:
    """Everything but the data that decides a study's answer.

    Parameters
    ----------
    target : name of the column to predict.
    seed : fixes every random choice.
    task : "classification", "regression", "count" or "ordinal"; None decides from the target's unlocked rows.
    scoring : the metric that is quoted, by name, or as a scikit-learn scorer or a function f(y_true, y_pred) (see
        `tamis.metrics.find`), which is written down by its name; None is R² for numbers, accuracy for classes, or the
        area under the ROC curve where one class has more than four fifths of the rows. Procedures are compared by a
        proper score whatever is quoted.
    loss : instead, what each kind of mistake costs, truth -> answer -> cost: answers are those of least expected cost,
        and the mean cost is compared and quoted.
    prefer : "balanced" takes the fewest columns with which readable models are within one standard error of the best
        number of columns and keep 90% of its gain over the baseline, then the simplest kind, which keeps 99%;
        "simplest" asks for no share of the gain; "best" takes the model of least loss, black boxes included.
    columns : the largest number of columns of a readable model; None is 12, or 20 for more columns than rows.
    rare : classes with fewer rows than folds: "keep" learns them all the same, "merge" makes them one class, "drop"
        leaves their rows out.
    lock : the share of rows to lock.
    folds, repeats : outer folds, and how often they are drawn; None leaves it to the number of rows (`plan.planned`).
    inner : folds inside every training part, in which procedures choose their strength and are compared; None likewise.
    groups, time : name of the column whose rows stay together, or whose order is kept; of both, a stretch of time is
        judged by models of earlier rows of other groups.
    exposure : of counts, name of the column that says how long or how much each row was observed: models learn rates,
        predictions are counts per unit of it, and scores compare counts with the rate times the exposure.
    types : what columns are, when that should not be inferred, name -> type as plain values.
    drop : columns to leave out.
    procedures : names of the procedures to compare, or name -> pipeline, simplest first; None is all there are.
    transform : what is done to columns before each of the study's own procedures, in words such as "log,standardize"
        or "spectrum_*: smooth; age: center" (see `tamis.transform.Transforms`); learned in every fold again.
    black_box : whether black boxes (forest, boosting, ridge of all columns) are judged in the same folds, too, so that
        the price of a readable model is known; they are never chosen unless `procedures` names them or prefer="best".
    monotone : column -> 1 (predictions never fall as the column rises, all others equal) or -1 (they never rise), for
        two classes (the probability of the one that is meant), numbers and counts; also as text, "age=+,bmi=-".
        Procedures that cannot obey are left out.
    subgroups : columns whose levels are judged each by itself; None is every column of 2 to 6 different values.
    rows : how many rows of a source in files are drawn, by a keyed hash of their numbers, and studied; None is 50,000
        of several files, which may be larger than memory, and all rows of one.
    missing, sheet, header : how the source is read, as in `tamis.read`; what is missing here is missing in every table
        that the model predicts, too.
    positive : of two classes, the one that sensitivity, predictive values, thresholds and curves are about; by default
        one that a common word names (yes, disease, default, case, 1 …), else the rarer one.
    """

    target: str
    seed: int = 0
    task: str | None = None
    scoring: Any = None
    loss: Any = None
    prefer: str = "balanced"
    rare: str = "keep"
    lock: float = 0.2
    folds: int | None = None
    repeats: int | None = None
    inner: int | None = None
    groups: str | None = None
    time: str | None = None
    types: dict[str, Any] = field(default_factory=dict)
    drop: tuple[str, ...] = ()
    procedures: Any = None
    transform: str | None = None
    black_box: bool = True
    rows: int | None = None
    columns: int | None = None
    subgroups: tuple[str, ...] | None = None
    monotone: dict[str, int] | None = None
    missing: Any = None
    sheet: str | int | None = None
    header: Any = None
    positive: Any = None
    exposure: str | None = None

    def __post_init__(self) -> None:
        check.count("seed", self.seed, low=0)
        for name in ("folds", "inner"):
            if getattr(self, name) is not None:
                check.count(name, getattr(self, name), low=2)
        check.number("lock", self.lock, low=0, high=0.9)
        for name in ("repeats", "rows", "columns"):
            if getattr(self, name) is not None:
                check.count(name, getattr(self, name))
        if self.task is not None:
            object.__setattr__(self, "task", task_named(self.task))
        object.__setattr__(self, "missing", MissingValues.of(self.missing).to_plain())
        header = header_given(self.header)
        object.__setattr__(self, "header", None if header is None else list(header) or False)
        check.one_of("prefer", self.prefer, PREFERENCES)
        check.one_of("rare", self.rare, RARE)
        if not isinstance(self.black_box, bool):
            raise KindError(f"black_box={self.black_box!r} must be True or False")
        for name in ("groups", "time", "exposure"):
            if getattr(self, name) == self.target:
                raise ParameterError(f"{name}={self.target!r} is the target itself; give another column, or none")
        if self.target in self.drop:
            raise ParameterError(f"drop holds the target {self.target!r}; leave it out of drop, or give another target")
        self._check_exposure()
        if self.monotone is not None and self.transform is not None:
            raise ParameterError("monotone speaks of columns as they are, and transform changes them; leave one out")
        if self.transform is not None:
            from tamis.transform.steps import read_steps

            read_steps(self.transform)
        if self.groups is not None and self.groups == self.time:
            raise ParameterError(f"groups and time are both {self.time!r}; give two columns, or one of them")

    def _check_exposure(self) -> None:
        name = self.exposure
        if name is None:
            return
        if self.task not in (None, COUNT):
            raise ParameterError(f"exposure={name!r} is for counts, but task={self.task!r}; leave one of them out")
        if name in self.drop or name in (self.groups, self.time):
            role = "drop" if name in self.drop else "groups" if name == self.groups else "time"
            raise ParameterError(f"exposure and {role} both name {name!r}; give it once")
        if self.scoring is not None and self.scoring_name in ("r2", "explained_variance"):
            raise ParameterError(
                f"scoring={self.scoring_name!r} would credit the model with what the exposure explains; give "
                "'poisson_deviance', 'mae' or 'rmse'"
            )

    @property
    def roles(self) -> dict[str, str]:
        """Columns that are read but not learned from, and what they are for instead."""
        aside = {str(getattr(self, role)): role for role in ASIDE if getattr(self, role) is not None}
        return {**dict.fromkeys(self.drop, "dropped"), **aside, self.target: "target"}

    @property
    def scoring_name(self) -> str:
        """The scoring as it is written down: a name, or that of a scorer or function."""
        from tamis.metrics import spoken  # brings scikit-learn, so only when a study is run

        return self.scoring if isinstance(self.scoring, str) else spoken(self.scoring)

    @property
    def _brings_procedures(self) -> bool:
        return isinstance(self.procedures, Mapping)

    def identity(self) -> dict[str, Any]:
        """What tells this study from another: a function is more than its name, and what a user brings is made with
        packages, of which another version may compute another number. Subgroups only describe what was judged.
        """
        from tamis.metrics import fingerprint

        named = self.scoring is None or isinstance(self.scoring, str)
        brought = [*([] if named else [self.scoring]), *(self.procedures.values() if self._brings_procedures else ())]
        facts = self.to_dict() | ({} if named else {"scoring": fingerprint(self.scoring)})
        facts.pop("subgroups", None)
        is_importable = brought and not any(isinstance(procedure, Written) for procedure in brought)
        return facts | ({PACKAGES: packages_of(brought)} if is_importable else {})

    def to_dict(self) -> dict[str, Any]:
        """The settings as plain values, in a fixed order."""
        facts = {each.name: getattr(self, each.name) for each in fields(self)}
        facts |= {"scoring": self.scoring if self.scoring is None else self.scoring_name, "types": dict(self.types)}
        for name in (
            "transform",
            "rows",
            "columns",
            "subgroups",
            "monotone",
            "missing",
            "sheet",
            "header",
            "positive",
            "exposure",
        ):  # a study without is what it was before there were such settings
            if facts[name] is None:
                del facts[name]
        if self._brings_procedures:
            facts["procedures"] = {name: recipe(model) for name, model in self.procedures.items()}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in facts.items()}


#: Directions of columns as people write them.
SIGNS = {"+": 1, "+1": 1, "1": 1, "-": -1, "-1": -1, "\u2212": -1, "0": 0}


def directions_given(given: Any) -> dict[str, int] | None:
    """Directions of columns, from a mapping or a text; None where no column has one.

    >>> directions_given("age=+, bmi=-"), directions_given({"age": 0})
    ({'age': 1, 'bmi': -1}, None)
    """
    if isinstance(given, str):
        pairs = [part.rpartition("=") for part in given.split(",") if part.strip()]
        wrong = next((f"{name}{sep}{sign}" for name, sep, sign in pairs if sign.strip() not in SIGNS or not sep), None)
        if wrong is not None:
            raise ParameterError(f"monotone holds {wrong.strip()!r}; give a column, = and + or -, as in age=+,bmi=-")
        given = {name.strip(): SIGNS[sign.strip()] for name, _, sign in pairs}
    if isinstance(given, Mapping):
        given = {str(name): direction for name, direction in given.items()}
    check.monotone(given, list(given) if isinstance(given, dict) else [])
    return {name: int(direction) for name, direction in given.items() if direction} or None


def names_given(names: Any) -> tuple[Any, ...]:
    """Names given as a list, or as one text with commas between them."""
    if isinstance(names, str):
        return tuple(name.strip() for name in names.split(",") if name.strip())
    return tuple(names)


def procedures_given(procedures: Any) -> Any:
    """Procedures given as names, or with pipelines: a dict, or a list that holds pairs of a name and a pipeline."""
    if isinstance(procedures, str):
        return names_given(procedures)
    if isinstance(procedures, Mapping):
        return dict(procedures)
    items = list(procedures)
    if all(isinstance(item, str) for item in items):
        return tuple(items)
    pairs = [(item, item) if isinstance(item, str) else item for item in items]
    if not all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs):
        raise ParameterError("procedures holds a pipeline without a name; give a dict, name -> pipeline")
    return dict(pairs)
