"""A model as plain values that any language can compute with: terms of a sum, nodes of trees, or trees in a sum.

Every export is written from these values, so that all of them answer what `predict` answers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tamis.errors import StudyError
from tamis.forest.layout import CATEGORY, COLUMN, LEFT_IF_MISSING, OBLIQUE
from tamis.study.model import Model
from tamis.study.procedures.models.columns import Columns
from tamis.study.procedures.models.facts import facts_of
from tamis.table.inference.dates import HOUR, PARTS
from tamis.table.inference.text_words import LENGTH
from tamis.table.inference.word_columns import PAIRS
from tamis.task import predicts_numbers
from tamis.tree.tree import Tree

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


#: Nodes of a forest at most, for exports that are text.
MOST_NODES = 100_000

_WAY_OUT = "take another with `tamis choose`, or predict with `tamis predict`"


@dataclass(frozen=True)
class Program:
    """A model as plain values.

    Attributes
    ----------
    task, target, labels : what is predicted; labels are as the table holds them.
    costs : truth × answer, when the answer is that of least expected cost.
    decision : how a class is chosen by its probability, in a sentence.
    expected : what the model is expected to score on new rows, in a sentence; empty where it is not known.
    inputs : of each column that is asked for: `name`, `kind` (number, words, date, category, part), `levels` (the words
        that codes or numbers from 0 stand for), `needed` (False for one that only stands in for missing values); of a
        part of a date, the `source` it is taken from and which `part`; of a text's word, the `source` and the `word`,
        None for the number of its words.
    link : what makes answers of the sums: identity, exp, logistic, softmax, cumulative (log odds of at most
        each class but the last), one_hot (the largest sum), shares (the
        mean of the trees' leaves, to the power `power` and divided by their sum where that is not 1).
    classes : of sums, the place of each among the labels.
    intercept : one number a sum.
    terms : of sums; of each input: `column`, and either `coef` (one a sum) and `fill` (stands for a missing value; None
        where there must be one), or `levels` (code -> one number a sum) and `missing`.
    trees : lists of nodes. A leaf is {"leaf": numbers}, answers where the link is shares, else one number a sum, which
        it adds; a split {"tests", "default", "left"}, its right child the node after the left one. The first test that
        answers decides, else the default (0 left, 1 right). A test is
        ["le", column, threshold, flip], ["in", column, codes left, codes right], ["there", column] or
        ["sum", [[column, factor]…], threshold]; the code of a missing or unknown category is -1.
    """

    task: str
    target: str
    labels: tuple[Any, ...]
    costs: list[list[float]] | None
    inputs: tuple[dict[str, Any], ...]
    link: str
    classes: tuple[int, ...] = ()
    intercept: tuple[float, ...] = ()
    terms: tuple[dict[str, Any], ...] = ()
    trees: tuple[list[dict[str, Any]], ...] = ()
    power: float = 1.0
    decision: str = ""
    expected: str = ""

    @classmethod
    def of(cls, model: Model) -> Program:
        """The program of a study's model; one sentence where there is none."""
        return _Reader(model).program()

    @property
    def n_nodes(self) -> int:
        return sum(len(tree) for tree in self.trees)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "task": self.task,
            "target": self.target,
            "labels": list(self.labels),
            "costs": self.costs,
            "inputs": list(self.inputs),
            "link": self.link,
            "classes": list(self.classes),
            "intercept": list(self.intercept),
            "terms": list(self.terms),
            "trees": list(self.trees),
            "power": self.power,
        }


class _Reader:
    """Reads a fitted model; columns get their places as they are met."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.fitted = model.fitted._checked_model()
        self.facts = {facts["name"]: facts for facts in model.columns}
        self.places: dict[str, int] = {}

    def program(self) -> Program:
        from tamis.additive import AdditiveClassifier, AdditiveRegressor
        from tamis.evaluate.baseline import Baseline
        from tamis.forest import ForestClassifier, ForestRegressor
        from tamis.linear import LinearClassifier, LinearRegressor, ScoreCard, ScoreCardRegressor
        from tamis.search import MirrorSelector
        from tamis.study.procedures.models.boosting import Boosting
        from tamis.tree import TreeClassifier, TreeRegressor

        fitted, names = self.fitted, list(self.facts)
        if hasattr(fitted, "steps"):
            for _, step in fitted.steps[:-1]:
                if type(step) is not Columns:
                    raise StudyError(
                        f"the model stands behind {type(step).__name__}, which is not exported; run the study without "
                        "transforms, or predict with `tamis predict`"
                    )
                names = [names[int(index)] for index in step.kept]
            fitted = fitted.steps[-1][1]
        if isinstance(fitted, MirrorSelector):
            names, fitted = list(fitted.selected_columns_), fitted.estimator_
        if isinstance(fitted, Baseline):
            return self._trees([[{"leaf": self._baseline(fitted)}]])
        if isinstance(fitted, (LinearClassifier, LinearRegressor)):
            return self._linear(fitted)
        if isinstance(fitted, (TreeClassifier, TreeRegressor)) and getattr(fitted, "leaf", "constant") == "constant":
            return self._trees([list(self._nodes(fitted.tree_, names, fitted))])
        if isinstance(fitted, (ForestClassifier, ForestRegressor)):
            power = 1.0 / getattr(fitted, "temperature_", 1.0)
            return self._trees([list(nodes) for nodes in self._forest(fitted, names)], power)
        if isinstance(fitted, Boosting):
            return self._boosted(fitted.model_, list(fitted.columns_))
        if isinstance(fitted, (AdditiveClassifier, AdditiveRegressor)):
            return self._additive(fitted)
        if isinstance(fitted, (ScoreCard, ScoreCardRegressor)):
            return self._card(fitted)
        raise StudyError(f"a model of {type(fitted).__name__} is not exported; {_WAY_OUT}")

    def _program(self, **fields: Any) -> Program:
        model, used = self.model, set(self.model.fitted.columns)
        inputs = tuple(_input(self.facts[name], name in used, model.types) for name in self.places)
        costs = None if model.loss is None else model.loss.matrix.tolist()
        shown = model.decision
        return Program(model.task, model.predicted, model.labels, costs, inputs, decision=shown, **fields)

    def _input_index(self, name: str) -> int:
        return self.places.setdefault(name, len(self.places))

    # -- sums --------------------------------------------------------------------------------------------------------
    def _linear(self, fitted: BaseEstimator) -> Program:
        coef, intercept = np.atleast_2d(fitted.coef_), np.atleast_1d(fitted.intercept_)
        facts = facts_of(fitted)
        if facts.link() == "cumulative":  # the log odds of every threshold
            coef, intercept = np.tile(-coef, (len(fitted.thresholds_), 1)), fitted.thresholds_
        encoding, fill = fitted.inputs_.encoding, fitted.inputs_.fill
        starts = np.concatenate([[0], np.cumsum(encoding.sizes)])
        terms = []
        for j in np.unique(encoding.groups[np.flatnonzero(coef.any(axis=0))]).tolist():
            block, name = coef[:, starts[j] : starts[j + 1]], encoding.names[j]
            stand = None if fill is None else fill[starts[j] : starts[j + 1]]
            column = self._input_index(name)
            if encoding.levels[j] is None:
                stand_value = None if stand is None else float(stand[0])
                terms.append({"column": column, "coef": block[:, 0].tolist(), "fill": stand_value})
                continue
            codes = {level: code for code, level in enumerate(self.facts[name]["levels"] or ())}
            levels_used = encoding.levels[j][int(encoding.reference) :]
            levels = {
                str(codes[level]): block[:, k].tolist() for k, level in enumerate(levels_used) if block[:, k].any()
            }
            missing = None if stand is None else (block @ stand).tolist()
            terms.append({"column": column, "levels": levels, "missing": missing})
        return self._program(
            link=facts.link(),
            classes=tuple(facts.codes() or ()),
            intercept=tuple(intercept.tolist()),
            terms=tuple(terms),
        )

    def _additive(self, fitted: BaseEstimator) -> Program:
        """A tree per curve and pair map."""
        from tamis.study.export.curves import tree_of

        facts = facts_of(fitted)
        return self._program(
            trees=tuple(
                tree_of(term, self._input_index) for term in [*fitted.curves_.values(), *fitted.pairs_.values()]
            ),
            link=facts.link(),
            classes=tuple(facts.codes() or ()),
            intercept=tuple(np.atleast_1d(fitted.intercept_).tolist()),
        )

    def _card(self, fitted: BaseEstimator) -> Program:
        """A tree of one question per statement."""
        facts = facts_of(fitted)
        pairs = zip(fitted.statements_, fitted.points_.tolist())
        return self._program(
            trees=tuple(self._statement(statement, fitted.slope_ * points) for statement, points in pairs),
            link=facts.link(),
            classes=tuple(facts.codes() or ()),
            intercept=(fitted.intercept_,),
        )

    def _statement(self, statement: Any, height: float) -> list[dict[str, Any]]:
        """The nodes of a statement: what it adds where it holds, and 0 elsewhere."""
        column, levels = self._input_index(statement.column), self.facts[statement.column]["levels"]
        holds: list[dict[str, Any]] = [{"leaf": [height]}, {"leaf": [0.0]}]
        if statement.kind == "is":
            return [
                {"tests": [["in", column, [list(levels).index(statement.value)], []]], "default": 1, "left": 1},
                *holds,
            ]
        if statement.kind == "missing":
            return [{"tests": [["there", column]], "default": 1, "left": 1}, *holds[::-1]]
        above = statement.kind == "above"
        split = {"tests": [["le", column, statement.threshold, 0]], "default": int(not above), "left": 1}
        return [split, *(holds[::-1] if above else holds)]

    # -- trees -------------------------------------------------------------------------------------------------------
    def _trees(self, trees: list[list[dict[str, Any]]], power: float = 1.0) -> Program:
        return self._program(link="shares", trees=tuple(trees), power=power)

    def _shares(self, classes: Any, shares: np.ndarray) -> list[float]:
        """The answer of a leaf: a number, or the share of every class of the study."""
        if predicts_numbers(self.model.task):
            return [float(shares[0])]
        all_shares = np.zeros(len(self.model.labels))
        all_shares[np.asarray(classes, dtype=np.int64)] = shares
        return all_shares.tolist()

    def _baseline(self, fitted: BaseEstimator) -> list[float]:
        if predicts_numbers(self.model.task):
            return [float(fitted.mean_)]
        return self._shares(fitted.classes_, fitted.shares_)

    def _nodes(self, tree: Tree, names: list[str], fitted: BaseEstimator) -> Iterable[dict[str, Any]]:
        classes = facts_of(fitted).codes()
        value = tree.value if classes is None else tree.value / tree.value.sum(axis=1, keepdims=True)
        for node in range(tree.n_nodes):
            if tree.left[node] < 0:
                yield {"leaf": self._shares(classes, value[node])}
                continue
            tests = [self._test(tree, names, node)]
            first = int(tree.first_surrogate[node])
            for q in range(first, first + int(tree.n_surrogates[node])):
                tests.append(self._surrogate(tree, names, q))
            yield {"tests": tests, "default": int(tree.default[node]), "left": int(tree.left[node])}

    def _test(self, tree: Tree, names: list[str], node: int) -> list[Any]:
        j, first, n = (int(values[node]) for values in (tree.feature, tree.first_level, tree.n_levels))
        if j == -2:
            which = range(first, first + n)
            summands = [[self._input_index(names[int(tree.level[q, 0])]), float(tree.coefficient[q])] for q in which]
            return ["sum", summands, float(tree.threshold[node])]
        column = self._input_index(names[j])
        if n:
            return ["in", column, *_sides(tree.level[first : first + n], -1)]
        if np.isinf(tree.threshold[node]):
            return ["there", column]
        return ["le", column, float(tree.threshold[node]), 0]

    def _surrogate(self, tree: Tree, names: list[str], q: int) -> list[Any]:
        column, flip, first, n = (int(value) for value in tree.surrogate[q])
        input_column = self._input_index(names[column])
        if n:
            return ["in", input_column, *_sides(tree.level[first : first + n], 0)]
        return ["le", input_column, float(tree.surrogate_threshold[q]), flip]

    def _boosted(self, model: BaseEstimator, names: list[str]) -> Program:
        """Sums of trees, those of a class together; a tree adds to the sum of its own class alone."""
        trees, n_sums = model.trees_, len(model.baseline_)
        levels = [len(self.facts[name]["levels"] or ()) for name in names]
        written = []
        for t, (a, b) in enumerate(zip(trees.roots[:-1].tolist(), trees.roots[1:].tolist())):
            one_hot = np.eye(n_sums)[t // model.n_rounds_]
            grown = self._grown(model.level_codes_, model, trees, trees.nodes[a:b], names, levels)
            nodes = [{"leaf": (one_hot * node["leaf"][0]).tolist()} if "leaf" in node else node for node in grown]
            if len(nodes) > 1 or any(nodes[0]["leaf"]):  # rows that no split parts leave trees of a single 0
                written.append(nodes)
        facts = facts_of(model)
        return self._program(
            link=facts.link(),
            classes=tuple(facts.codes() or ()),
            intercept=tuple(model.baseline_.tolist()),
            trees=tuple(written),
        )

    def _forest(self, forest: BaseEstimator, names: list[str]) -> Iterable[Iterable[dict[str, Any]]]:
        trees = forest.trees_
        levels = [len(self.facts[name]["levels"] or ()) for name in names]
        for a, b in zip(trees.roots[:-1].tolist(), trees.roots[1:].tolist()):
            yield self._grown(forest.joined_levels_, forest, trees, trees.nodes[a:b], names, levels)

    def _grown(
        self,
        codings: dict[int, np.ndarray],
        model: BaseEstimator,
        trees: Any,
        nodes: np.ndarray,
        names: list[str],
        levels: list[int],
    ) -> Iterable[dict[str, Any]]:
        """Nodes of a tree; `codings` has the codes that levels of a column were grown with, below 0 for none."""
        for left, flags, threshold in nodes.tolist():
            if left < 0:
                yield {"leaf": self._leaf(model, trees, flags, threshold)}
                continue
            default, j = int(flags & LEFT_IF_MISSING == 0), flags & COLUMN
            if flags & OBLIQUE:
                pairs = zip(trees.sum_column[j].tolist(), trees.sum_factor[j].tolist())
                test: list[Any] = [
                    "sum",
                    [[self._input_index(names[k]), factor] for k, factor in pairs if factor],
                    threshold,
                ]
            elif flags & CATEGORY:
                coding = codings.get(j, np.arange(levels[j]))
                coded_levels = [code for code in range(levels[j]) if coding[code] >= 0]
                goes = [_goes_left(trees.sets, threshold, int(coding[code])) for code in coded_levels]
                sides = [
                    [code for code, is_left in zip(coded_levels, goes) if is_left == side] for side in (True, False)
                ]
                test = ["in", self._input_index(names[j]), *sides]
            elif np.isinf(threshold):  # values go left, holes go right
                test = ["there", self._input_index(names[j])]
            else:
                test = ["le", self._input_index(names[j]), threshold, 0]
            yield {"tests": [test], "default": default, "left": left}

    def _leaf(self, forest: BaseEstimator, trees: Any, column: int, threshold: float) -> list[float]:
        if not trees.n_classes:
            return [threshold]
        if column < trees.n_classes:
            return self._shares(forest.classes_, np.eye(trees.n_classes)[column])
        return self._shares(forest.classes_, trees.table[column - trees.n_classes])


def _input(facts: dict[str, Any], is_needed: bool, types: dict[str, Any]) -> dict[str, Any]:
    """What is asked of a column: its own value, or a part of the date that it was made from."""
    name, kind, levels = facts["name"], facts["kind"], facts["levels"]
    if kind == "boolean" and levels is None:
        levels = [False, True]
    if kind not in ("categorical", "boolean", "ordinal"):
        levels = None
    how = "category" if kind == "categorical" else "date" if kind == "date" else "number" if levels is None else "words"
    described = {"name": name, "kind": how, "levels": None if levels is None else list(levels), "needed": is_needed}
    if missing := list(types.get(name, {}).get("missing", ())):
        described["missing"] = missing
    if kind == "boolean":
        described["spellings"] = _spellings(list(levels))
    for date_part in (*PARTS, HOUR):
        source = name.removesuffix(f" ({date_part})")
        if how == "number" and source != name and source in types and name not in types:
            return described | {"kind": "part", "source": source, "part": date_part}
    return described | _of_text(name, types)


def _of_text(name: str, types: dict[str, Any]) -> dict[str, Any]:
    """The text that a column of a word or of the number of words is made from; nothing for any other column."""
    if name in types:
        return {}
    for source in (
        name.removesuffix(f" ({LENGTH})"),
        *(name[:at] for at in range(len(name)) if name[at:].startswith(": ")),
    ):
        if source != name and types.get(source, {}).get("kind") == "text":
            return {"source": source, "word": name[len(source) + 2 :] if name[len(source)] == ":" else None}
    return {}


def _spellings(levels: list[Any]) -> list[list[str]]:
    """Texts in small letters that mean the first and the second of two levels."""
    if all(isinstance(level, (bool, np.bool_)) for level in levels):
        return [[*(pair[k] for pair in PAIRS), str(k), f"{k}.0"] for k in range(2)]
    return [[str(level).lower()] for level in levels]


def _sides(level: np.ndarray, min_code: int) -> tuple[list[int], list[int]]:
    """The codes that go left, and those that go right; a side of 2 is unknown, codes below `min_code` are not asked."""
    code_sides = [(int(code), int(side)) for code, side in level if code >= min_code]
    return [code for code, side in code_sides if side == 0], [code for code, side in code_sides if side == 1]


def _goes_left(sets: np.ndarray, threshold: float, code: int) -> bool:
    """Whether a level goes left at a split of a forest; the layout is that of `_core/level_set.hpp`."""
    start = int(threshold)
    if start >= 0:
        return bool((int(sets[start + (code >> 6)]) >> (code & 63)) & 1)
    head = int(sets[-start - 1])
    listed = {(int(sets[-start + (k >> 2)]) >> ((k & 3) << 4)) & 0xFFFF for k in range(head >> 1)}
    return (code in listed) != bool(head & 1)
