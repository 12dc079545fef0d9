"""A cost for each kind of mistake, and the decisions that cost least."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tamis.check import nearest, number
from tamis.errors import KindError, ParameterError
from tamis.metrics import Metric, find
from tamis.table.interface.target import codes_among
from tamis.task import CLASSIFICATION

#: How far below a threshold answers turn, so that a probability equal to it, but for rounding, reaches it.
_TIE = 1e-9


@dataclass(frozen=True, eq=False)
class LossMatrix:
    r"""What each answer costs for each truth: `matrix[truth][answer]`, in the order of the labels.

    The decision for a row is the answer of least expected cost,

    .. math:: \hat a = \arg\min_a \sum_t p_t\, L_{ta}.

    >>> loss = LossMatrix.of({("ham", "spam"): 10, ("spam", "ham"): 1}, ["ham", "spam"])
    >>> loss.decide([[0.2, 0.8], [0.05, 0.95]]).tolist()
    ['ham', 'spam']
    """

    matrix: np.ndarray
    labels: np.ndarray

    @classmethod
    def of(cls, costs: Any, labels: Any) -> "LossMatrix":
        """A checked loss matrix.

        Parameters
        ----------
        costs : an array, classes × classes; a dict {truth: {answer: cost}} or {(truth, answer): cost}; the path of a
            CSV whose first column names the truth and whose header names the answers; or text such as
            "ham>spam=10, spam>ham=1" (truth > answer = cost). A right answer costs 0 where no cost is given.
        labels : the classes, in their order.
        """
        class_labels = np.asarray(labels)
        costs = plain(costs)
        if isinstance(costs, Mapping):
            return cls(_from_dict(costs, class_labels), class_labels)
        try:
            matrix = np.asarray(costs, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise KindError(f"the loss matrix holds something that is no number ({error}); give numbers") from error
        if matrix.shape != (len(class_labels), len(class_labels)):
            raise ParameterError(
                f"the loss matrix has shape {matrix.shape} for {len(class_labels)} classes; give "
                f"{len(class_labels)} × {len(class_labels)} "
                f"costs, truth × answer, in the order {_listed(class_labels)}"
            )
        _refuse_bad(matrix, class_labels)
        return cls(matrix, class_labels)

    @classmethod
    def of_threshold(cls, threshold: float, labels: ArrayLike) -> "LossMatrix":
        """The costs of two classes at which the second is answered from a probability on.

        >>> LossMatrix.of_threshold(0.2, ["well", "sick"]).decide([[0.81, 0.19], [0.8, 0.2]]).tolist()
        ['well', 'sick']
        """
        class_labels = np.asarray(labels)
        if len(class_labels) != 2:
            raise ParameterError(f"a threshold is for two classes, and there are {len(class_labels)}; give costs")
        false_alarm = max(number("threshold", threshold, low=0, high=1) - _TIE, 0.0)
        return cls(np.array([[0.0, false_alarm], [1.0 - false_alarm, 0.0]]), class_labels)

    @property
    def threshold(self) -> float | None:
        r"""Of two classes, the probability at which the answer turns to the second: with the costs :math:`L_{ta}`,

        .. math:: \frac{L_{01} - L_{00}}{L_{01} - L_{00} + L_{10} - L_{11}};

        None of more classes, and where a mistake is not dearer than the right answer.

        >>> round(LossMatrix.of("sick>well=10, well>sick=1", ["well", "sick"]).threshold, 4)
        0.0909
        """
        if len(self.labels) != 2:
            return None
        false_alarm, missed = self.matrix[0, 1] - self.matrix[0, 0], self.matrix[1, 0] - self.matrix[1, 1]
        if false_alarm < 0 or missed < 0 or false_alarm + missed == 0:
            return None
        return float(false_alarm / (false_alarm + missed))

    def decide(self, probabilities: ArrayLike) -> np.ndarray:
        """The label of least expected cost for each row of probabilities; ties go to the label that comes first."""
        return np.asarray(self.labels[self.answers(np.asarray(probabilities, dtype=np.float64))])

    def cost(self, y: ArrayLike, answers: ArrayLike) -> float:
        """The mean cost of answers (labels) to the truth y."""
        truth, predicted = _label_codes(np.asarray(y), self.labels), _label_codes(np.asarray(answers), self.labels)
        return float(self.matrix[truth, predicted].mean())

    @property
    def metric(self) -> Metric:
        """Mean cost of the decisions made from probabilities, as a metric like any other."""

        def each(y: np.ndarray, answer: np.ndarray, labels: np.ndarray) -> np.ndarray:
            return np.asarray(self.matrix[y, self.answers(answer)])

        return Metric("cost", CLASSIFICATION, "probabilities", False, lambda y, a, k: float(each(y, a, k).mean()), each)

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Truth -> answer -> cost, with labels as text."""
        return {
            str(truth): {str(answer): float(self.matrix[t, a]) for a, answer in enumerate(self.labels)}
            for t, truth in enumerate(self.labels)
        }

    def answers(self, probabilities: np.ndarray) -> np.ndarray:
        """The places, among the labels, of the answers of least expected cost."""
        expected = probabilities @ self.matrix
        # a hair's breadth is a tie: rounding must not choose between answers of equal cost
        lowest = expected.min(axis=1, keepdims=True)
        return np.asarray((expected <= lowest + 1e-12 * float(np.abs(self.matrix).max())).argmax(axis=1))


def metric_for(scoring: Any, loss: Any, labels: Any) -> Metric:
    """The metric that was asked for: what `find` finds, or the mean cost of a loss matrix; labels None: numbers.

    >>> metric_for(None, "ham>spam=10, spam>ham=1", ["ham", "spam"]).name
    'cost'
    """
    if loss is None:
        return find(scoring, classes=labels is not None, labels=labels)
    if labels is None:
        raise ParameterError("loss is given, but the target holds numbers; a loss matrix is for classes")
    if scoring is not None:
        raise ParameterError(f"scoring={scoring!r} and loss are both given; give one of them")
    return LossMatrix.of(loss, labels).metric


def plain(matrix: Any) -> Any:
    """Costs before the classes are known: truth -> answer -> cost, labels as text; an array as rows of numbers.

    >>> plain("ham>spam=10, spam>ham=1")
    {'ham': {'spam': 10.0}, 'spam': {'ham': 1.0}}
    """
    if isinstance(matrix, (str, Path)):
        matrix = _from_text(str(matrix)) if ">" in str(matrix) else _from_csv(Path(matrix))
    if not isinstance(matrix, Mapping):
        return matrix.matrix.tolist() if isinstance(matrix, LossMatrix) else np.asarray(matrix).tolist()
    costs: dict[str, dict[str, float]] = {}
    for key, value in matrix.items():
        if isinstance(value, Mapping):
            pairs = [((key, answer), cost) for answer, cost in value.items()]
        elif isinstance(key, tuple) and len(key) == 2:
            pairs = [(key, value)]
        else:
            raise KindError(f"the loss of {key!r} is {value!r}; give {{truth: {{answer: cost}}}}")
        for (truth, answer), cost in pairs:
            costs.setdefault(str(truth), {})[str(answer)] = _cost(cost, truth, answer)
    return costs


def _from_dict(costs: Mapping[str, Mapping[str, float]], labels: np.ndarray) -> np.ndarray:
    by_text = {str(label): index for index, label in enumerate(labels)}
    matrix = np.full((len(labels), len(labels)), np.nan)
    np.fill_diagonal(matrix, 0.0)
    for truth, answers in costs.items():
        for answer, cost in answers.items():
            matrix[_label_index(truth, by_text), _label_index(answer, by_text)] = cost
    missing_cells = np.argwhere(np.isnan(matrix))
    if len(missing_cells):
        truth, answer = labels[missing_cells[0][0]], labels[missing_cells[0][1]]
        raise ParameterError(
            f"the loss matrix has no cost for {truth!s} answered as {answer!s}; give every pair a cost"
        )
    _refuse_bad(matrix, labels)
    return matrix


def _label_index(label: Any, by_text: dict[str, int]) -> int:
    if str(label) not in by_text:
        raise ParameterError(
            f"the loss matrix names the class {label!r}, which the target lacks{nearest(str(label), by_text)}; "
            f"its classes are {', '.join(by_text)}"
        )
    return by_text[str(label)]


def _cost(value: Any, truth: Any, answer: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise KindError(f"the cost of {truth} answered as {answer} is {value!r}; give a number") from error


def _from_text(text: str) -> dict[str, dict[str, str]]:
    pairs: dict[str, dict[str, str]] = {}
    for entry in text.split(","):
        left, equals, cost = entry.rpartition("=")
        truth, sign, answer = left.partition(">")
        if not (equals and sign):
            raise ParameterError(
                f"the loss {entry.strip()!r} cannot be read; give truth>answer=cost, as in ham>spam=10"
            )
        pairs.setdefault(truth.strip(), {})[answer.strip()] = cost.strip()
    return pairs


def _from_csv(path: Path) -> dict[str, dict[str, str]]:
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = [row for row in csv.reader(file) if any(cell.strip() for cell in row)]
    except OSError as error:
        raise ParameterError(f"the loss matrix {str(path)!r} cannot be read ({error.strerror}); give a CSV") from error
    if len(rows) < 2:
        raise ParameterError(
            f"the loss matrix {str(path)!r} is empty; give a header of answers and a row for each truth"
        )
    header = [cell.strip() for cell in rows[0][1:]]
    for line, row in enumerate(rows[1:], start=2):
        if len(row) != len(header) + 1:
            raise ParameterError(
                f"row {line} of {str(path)!r} has {len(row)} cells, its header {len(header) + 1}; give as many"
            )
    return {row[0].strip(): dict(zip(header, (cell.strip() for cell in row[1:]))) for row in rows[1:]}


def _refuse_bad(matrix: np.ndarray, labels: np.ndarray) -> None:
    bad = np.argwhere(~(matrix >= 0) | ~np.isfinite(matrix))
    if len(bad):
        t, a = bad[0]
        raise ParameterError(
            f"the cost of {labels[t]!s} answered as {labels[a]!s} is {matrix[t, a]:g}; give finite costs of at least 0"
        )
    if not matrix.any():
        raise ParameterError("every cost in the loss matrix is 0; give at least one mistake a cost")


def _label_codes(values: np.ndarray, labels: np.ndarray) -> np.ndarray:
    codes = codes_among(labels, values)
    wrong = np.flatnonzero(labels[codes] != values)
    if len(wrong):
        raise ParameterError(f"row {wrong[0] + 1:,} is {values[wrong[0]]!s}, which is none of {_listed(labels)}")
    return np.asarray(codes)


def _listed(labels: np.ndarray) -> str:
    return ", ".join(str(label) for label in labels)
