"""ScoreCard and ScoreCardRegressor: a card of points that people add up in their heads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from tamis import _core, check
from tamis.engine import map_threads
from tamis.errors import TableError
from tamis.linear.card.save import load, plain, sql_of, text_of
from tamis.linear.card.statement import Statement, statements_of
from tamis.metrics.one_standard_error import one_standard_error
from tamis.split.tuning_folds import dealt_folds
from tamis.table import Classes, Table, features, numbers, same_length
from tamis.table.interface.takes_table import TakesTable
from tamis.table.like import TableLike
from tamis.typing import Folding, RandomState


class BaseCard(TakesTable, BaseEstimator):
    """What cards for classes and for numbers share: statements, the search of points, the choice of their number."""

    _is_logistic: bool

    def __init__(
        self,
        max_terms: int = 8,
        *,
        max_points: int = 5,
        n_cuts: int = 9,
        monotone: dict[str, int] | None = None,
        cv: Folding = 5,
        rule: str = "min",
        random_state: RandomState = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.max_terms = max_terms
        self.max_points = max_points
        self.n_cuts = n_cuts
        self.monotone = monotone
        self.cv = cv
        self.rule = rule
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _fit(self, table: Table, target: np.ndarray, weight: np.ndarray) -> None:
        check.one_of("rule", self.rule, ["1se", "min"])
        self._max_terms = check.count("max_terms", self.max_terms)
        self._max_points = check.count("max_points", self.max_points)
        self._n_cuts = check.count("n_cuts", self.n_cuts)
        self._sides = check.monotone(self.monotone, table.names, lambda j: table.column(j).is_categorical)
        self._centre = 0.0 if self._is_logistic else float(np.average(target, weights=weight))
        self._spread = 1.0
        if not self._is_logistic:
            self._spread = float(np.sqrt(np.average((target - self._centre) ** 2, weights=weight))) or 1.0
        scaled = (target - self._centre) / self._spread
        rows = np.flatnonzero(weight > 0)
        if np.any(weight != np.round(weight)):  # whole weights count rows
            weight = weight / weight[rows].mean()
        cards = self._cards(table, scaled, weight, rows)
        card = cards[-1]
        self._n_rows = table.n_rows
        for name in ("cv_loss_", "nested_predictions_"):
            self.__dict__.pop(name, None)
        self.shrinkage_ = 1.0
        if self.cv is not None and len(cards) > 1:
            size, self.shrinkage_ = self._cross_validate(table, scaled, weight, rows, len(cards))
            card = self._shrunk(table.take(rows), cards[size], weight[rows], scaled[rows])
        self._keep(table.take(rows), card)

    def _cards(self, table: Table, target: np.ndarray, weight: np.ndarray, rows: np.ndarray) -> list[tuple[Any, ...]]:
        """The card without terms, then the best card of each number of terms: (statement, points) pairs, a and b."""
        rows = rows[weight[rows] > 0]
        statements, holds = statements_of(table.take(rows), self._n_cuts, weight[rows])
        mean = float(np.average(target[rows], weights=weight[rows]))
        level = float(np.log(mean / (1 - mean))) if self._is_logistic and 0 < mean < 1 else mean
        cards: list[tuple[Any, ...]] = [([], level, 0.0)]
        if statements and not (self._is_logistic and mean in (0.0, 1.0)):
            found = _core.score_cards(
                holds,
                np.ascontiguousarray(target[rows]),
                np.ascontiguousarray(weight[rows]),
                self._is_logistic,
                self._max_terms,
                self._max_points,
                self._sides_of(statements, table.names),
            )
            for which, points, intercept, slope, _ in found:
                terms = [(statements[int(j)], int(p)) for j, p in zip(which, points)]
                cards.append((terms, float(intercept), float(slope)))
        return cards

    def _sides_of(self, statements: list[Statement], names: Sequence[str]) -> np.ndarray:
        """Whether each statement may only raise the answer (1), lower it (-1) or do either (0); empty: all are free."""
        if not len(self._sides):
            return self._sides
        side = dict(zip(names, self._sides.tolist()))
        return np.array([side[s.column] if s.kind == "above" else 0 for s in statements], dtype=np.int8)

    def _cross_validate(
        self, table: Table, target: np.ndarray, weight: np.ndarray, rows: np.ndarray, n_sizes: int
    ) -> tuple[int, float]:
        """The number of terms, and the slope of held-out rows on a + b · total: every fold searches its own cards."""
        strata = target.astype(np.int32) if self._is_logistic else np.zeros(len(target), dtype=np.int32)
        folds = dealt_folds(self.cv, rows, strata, check_random_state(self.random_state), target)

        def judge(fold: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
            train, test = fold
            cards = self._cards(table, target, weight, train)
            held_out = table.take(test)
            eta = [_eta(held_out, card) for card in cards]
            return np.array([eta[min(size, len(eta) - 1)] for size in range(n_sizes)])

        eta = np.concatenate(map_threads(judge, folds, self.n_jobs), axis=1)
        held_out = np.concatenate([test for _, test in folds])
        truth, mass = target[held_out], weight[held_out]
        loss = _losses(self._is_logistic, truth, eta)
        self.cv_loss_ = loss @ mass / mass.sum()
        fold_of = np.repeat(np.arange(len(folds)), [len(test) for _, test in folds])
        if len(folds) > 1:
            self.nested_predictions_ = self._nested(loss, eta, truth, mass, fold_of, held_out)
        size = self._chosen_size(loss, mass)
        return size, _calibration_slope(self._is_logistic, truth, eta[size], mass)

    def _chosen_size(self, loss: np.ndarray, mass: np.ndarray) -> int:
        """The number of terms by held-out losses (sizes, rows)."""
        mean = loss @ mass / mass.sum()
        best = int(np.argmin(mean))
        if self.rule == "min":
            return best
        gap = loss - loss[best] - (mean - mean[best])[:, None]
        return one_standard_error(mean, np.sqrt((gap**2) @ (mass**2)) / mass.sum())

    def _nested(
        self,
        loss: np.ndarray,
        eta: np.ndarray,
        truth: np.ndarray,
        mass: np.ndarray,
        fold_of: np.ndarray,
        held_out: np.ndarray,
    ) -> np.ndarray:
        """Predictions of held-out rows, size and slope of each fold chosen by the other folds; NaN where none is."""
        total, times = np.zeros(self._n_rows), np.zeros(self._n_rows)
        for fold in range(int(fold_of.max()) + 1):
            others, own = fold_of != fold, fold_of == fold
            size = self._chosen_size(loss[:, others], mass[others])
            line = eta[size, others]
            slope = _calibration_slope(self._is_logistic, truth[others], line, mass[others])
            centre = float(np.average(line, weights=mass[others]))
            np.add.at(total, held_out[own], self._answer(centre + slope * (eta[size, own] - centre)))
            np.add.at(times, held_out[own], 1.0)
        mean = np.divide(total, times, out=np.full(self._n_rows, np.nan), where=times > 0)
        return np.column_stack([1 - mean, mean]) if self._is_logistic else mean

    def _answer(self, eta: np.ndarray) -> np.ndarray:
        """Probabilities, or numbers in the target's units."""
        return np.asarray(expit(eta) if self._is_logistic else self._centre + self._spread * eta)

    def _shrunk(self, table: Table, card: tuple[Any, ...], weight: np.ndarray, target: np.ndarray) -> tuple[Any, ...]:
        """The card with its slope shrunk, and the intercept at which predictions are right on average."""
        terms, intercept, slope = card
        line = self.shrinkage_ * (_eta(table, card) - intercept)
        shift = 0.0
        for _ in range(50):
            mean = expit(shift + line) if self._is_logistic else shift + line
            curvature = mean * (1 - mean) if self._is_logistic else np.ones_like(mean)
            step = float(weight @ (target - mean) / max(weight @ curvature, 1e-12))
            shift += float(np.clip(step, -2.0, 2.0))
            if abs(step) < 1e-12:
                break
        return terms, shift, self.shrinkage_ * slope

    def _keep(self, table: Table, card: tuple[Any, ...]) -> None:
        """Write statements so that points are positive where no value is missing, the largest points first."""
        terms, intercept, slope = card
        divisor = int(np.gcd.reduce([points for _, points in terms] or [1])) * (-1 if slope < 0 else 1)
        terms, slope = [(statement, points // divisor) for statement, points in terms], slope * divisor
        place = {table.column(j).name: j for j in range(table.n_columns)}
        written = []
        for statement, points in terms:
            column = table.column(place[statement.column])
            if points < 0 and statement.kind in ("above", "at most") and not column.missing.any():
                intercept, statement, points = intercept + slope * points, statement.opposite(), -points
            written.append((statement, points))
        written.sort(key=lambda term: (-abs(term[1]), term[0].column, str(term[0].value)))
        self.statements_ = [statement for statement, _ in written]
        self.points_ = np.array([points for _, points in written], dtype=np.int64)
        self.intercept_, self.slope_ = float(intercept), float(slope)
        self.columns_ = np.array([place[statement.column] for statement in self.statements_], dtype=np.int64)
        self.column_names_ = tuple(table.column(j).name for j in range(table.n_columns))
        total = self._totals(table)
        values = np.unique(total)
        count = np.array([int(np.sum(total == value)) for value in values], dtype=np.int64)
        self.feature_importances_ = self._contributions(table).std(axis=0)
        self.risk_ = {"total": values, "prediction": self._curve(values), "n_rows": count}

    @property
    def table_(self) -> list[tuple[str, int]]:
        """The card: statements and their points, the largest first."""
        check_is_fitted(self, "statements_")
        notations = self.notations_in_
        return [(s.words(notations), int(p)) for s, p in zip(self.statements_, self.points_)]

    @property
    def selected_columns_(self) -> tuple[str, ...]:
        """Names of the columns that some statement is about, in the order of the table."""
        check_is_fitted(self, "statements_")
        return tuple(str(self.column_names_[j]) for j in sorted(set(self.columns_.tolist())))

    def _totals(self, table: Table) -> np.ndarray:
        total = np.zeros(table.n_rows, dtype=np.int64)
        for statement, points, j in zip(self.statements_, self.points_, self.columns_):
            total += points * statement.holds(table.column(int(j)))
        return total

    def totals(self, X: TableLike) -> np.ndarray:
        """The points of each row."""
        check_is_fitted(self, "statements_")
        return self._totals(features(self, X, reset=False))

    def contributions(self, X: TableLike) -> np.ndarray:
        """(rows, columns) what each column adds to a + b · total; with `intercept_` they sum to it."""
        check_is_fitted(self, "statements_")
        return self._contributions(features(self, X, reset=False))

    def _contributions(self, table: Table) -> np.ndarray:
        out = np.zeros((table.n_rows, table.n_columns))
        for statement, points, j in zip(self.statements_, self.points_, self.columns_):
            out[:, j] += self.slope_ * points * statement.holds(table.column(int(j)))
        return out

    def to_text(self) -> str:
        """The card and its table of totals, on half a page."""
        check_is_fitted(self, "statements_")
        return text_of(self)

    def to_sql(self, name: str = "prediction") -> str:
        """One SQL expression: the sum of CASEs, through the curve."""
        check_is_fitted(self, "statements_")
        return sql_of(self, name)

    def to_dict(self) -> dict[str, Any]:
        """Plain values that JSON holds exactly."""
        check_is_fitted(self, "statements_")
        return plain(self)

    @classmethod
    def from_dict(cls, saved: dict[str, Any]) -> Any:
        """The fitted card that `to_dict` wrote."""
        return load(cls, saved)

    def _curve(self, total: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = False
        return tags


class ScoreCard(ClassifierMixin, BaseCard):
    r"""A score card for two classes: whole points for yes-or-no statements, a table from their total to the risk.

    The probability of the second class is :math:`1 / (1 + e^{-(a + b t)})` with the total t of the points of the
    statements that hold. Statements, points, a and b are searched for the least log loss.

    Parameters
    ----------
    max_terms : statements at most.
    max_points : points of a statement at most, in absolute value.
    n_cuts : cuts that are tried per column of numbers, at quantiles of its values.
    monotone : dict column -> 1 (a larger value never lowers the answer), -1 (never raises it) or 0; of numbers.
    cv : folds that choose the number of statements and shrink the slope b to what held-out rows support; None takes
        `max_terms` and the slope of the training rows.
    rule : with folds, "min" takes the number of statements with the least held-out loss, "1se" the fewest within one
        standard error of it.
    random_state : shuffles rows into folds.
    n_jobs : threads for the folds.

    A row without a value fulfils no statement but "is missing". A statement holds for at least five training rows and
    fails for at least five.

    Attributes
    ----------
    classes_ : the two classes.
    table_ : (statement, points) pairs as people read them, the largest points first.
    risk_ : dict of `total`, `prediction` (the risk of the second class) and `n_rows` (training rows with that total).
    statements_, points_, intercept_, slope_ : the card as values; a and b of the curve.
    selected_columns_ : the columns that some statement is about.
    cv_loss_ : held-out log loss for 0, 1, 2 … statements.
    nested_predictions_ : with folds, predictions of each row by the card of the fold that left it out, its size and
        slope chosen by the other folds.
    feature_importances_ : standard deviation of what each column adds to a + b · total.
    shrinkage_ : the slope of held-out rows on a + b · total, by which b was multiplied.

    References
    ----------
    Ustun, Rudin (2019), Learning optimized risk scores. Liu, Zhong, Li, Seltzer, Rudin (2022), FasterRisk.

    >>> from tamis.linear import ScoreCard
    >>> X = [[float(i % 50), float(i % 7)] for i in range(100)]
    >>> card = ScoreCard(cv=None, max_terms=1).fit(X, ["ill" if row[0] > 29.5 else "well" for row in X])
    >>> card.table_
    [('x0 ≤ 29', 1)]
    """

    _is_logistic = True

    def fit(self, X: TableLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> ScoreCard:
        """Search the card that predicts the classes best."""
        table = features(self, X, reset=True)
        classes = Classes.of(y)
        same_length(table, classes.codes)
        if classes.n_classes > 2:
            raise TableError(
                "Only binary classification is supported: a score card takes two classes, but y has "
                f"{classes.n_classes}; join classes, or use a tree"
            )
        self.classes_ = classes.labels
        self._fit(table, classes.codes.astype(np.float64), check.weights(sample_weight, table.n_rows))
        return self

    def _curve(self, total: np.ndarray) -> np.ndarray:
        return np.asarray(expit(self.intercept_ + self.slope_ * total))

    def decision_function(self, X: TableLike) -> np.ndarray:
        """Log odds of the second class."""
        total = self.totals(X)
        return np.asarray(self.intercept_ + self.slope_ * total)

    def predict_proba(self, X: TableLike) -> np.ndarray:
        """The probability of both classes."""
        risk = self._curve(self.totals(X))
        return np.column_stack([1 - risk, risk]) if len(self.classes_) == 2 else np.ones((len(risk), 1))

    def predict_log_proba(self, X: TableLike) -> np.ndarray:
        """Logarithm of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: TableLike) -> np.ndarray:
        """The more probable class."""
        probability = self.predict_proba(X)  # which asks first whether there is a card
        return np.asarray(self.classes_[probability.argmax(axis=1)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


class ScoreCardRegressor(RegressorMixin, BaseCard):
    r"""A score card for numbers: whole points for yes-or-no statements, a table from their total to the expected value.

    The prediction is :math:`a + b t` with the total t of the points, searched for the least squared error. Parameters
    and attributes are those of :class:`ScoreCard`; `prediction` in `risk_` is the expected value.

    >>> from tamis.linear import ScoreCardRegressor
    >>> X = [[float(i % 50), float(i % 7)] for i in range(100)]
    >>> card = ScoreCardRegressor(cv=None, max_terms=1).fit(X, [10.0 * (row[0] > 29.5) for row in X])
    >>> card.table_, card.predict([[10.0, 0.0], [40.0, 0.0]]).round().tolist()
    ([('x0 > 29', 1)], [0.0, 10.0])
    """

    _is_logistic = False

    def fit(self, X: TableLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> ScoreCardRegressor:
        """Search the card that predicts the numbers best."""
        table = features(self, X, reset=True)
        target = numbers(y)
        same_length(table, target)
        self._fit(table, target, check.weights(sample_weight, table.n_rows))
        return self

    def _keep(self, table: Table, card: tuple[Any, ...]) -> None:
        terms, intercept, slope = card
        super()._keep(table, (terms, self._centre + self._spread * intercept, self._spread * slope))

    def _curve(self, total: np.ndarray) -> np.ndarray:
        return np.asarray(self.intercept_ + self.slope_ * total, dtype=np.float64)

    def predict(self, X: TableLike) -> np.ndarray:
        """The expected value at the total of each row."""
        return self._curve(self.totals(X))


def _eta(table: Table, card: tuple[Any, ...]) -> np.ndarray:
    """a + b · total of a card."""
    terms, intercept, slope = card
    place = {table.column(j).name: j for j in range(table.n_columns)}
    total = np.zeros(table.n_rows)
    for statement, points in terms:
        total += points * statement.holds(table.column(place[statement.column]))
    return np.asarray(intercept + slope * total)


def _calibration_slope(is_logistic: bool, target: np.ndarray, eta: np.ndarray, weight: np.ndarray) -> float:
    """The slope of the target on held-out a + b · total, between 0 and 1: below 1 where cards fitted noise.

    A weak ridge toward 1, of one row, steadies it where there are few rows.
    """
    centred = eta - np.average(eta, weights=weight)
    spread = float(np.average(centred**2, weights=weight))
    if spread < 1e-12:
        return 1.0
    intercept, slope = 0.0, 1.0
    for _ in range(50):
        line = intercept + slope * centred
        mean = expit(line) if is_logistic else line
        curvature = weight * (mean * (1 - mean) if is_logistic else 1.0)
        gradient = np.array([weight @ (target - mean), (weight * centred) @ (target - mean) - spread * (slope - 1.0)])
        cross = float(curvature @ centred)
        hessian = np.array([[curvature.sum(), cross], [cross, curvature @ centred**2 + spread]])
        step = np.linalg.solve(hessian + 1e-12 * np.eye(2), gradient)
        intercept, slope = intercept + float(step[0]), slope + float(step[1])
        if np.abs(step).max() < 1e-10:
            break
    return float(np.clip(slope, 0.0, 1.0))


def _losses(is_logistic: bool, target: np.ndarray, eta: np.ndarray) -> np.ndarray:
    if is_logistic:
        return np.asarray(np.logaddexp(0.0, eta) - target * eta)
    return np.asarray(0.5 * (target - eta) ** 2)


__all__ = ["ScoreCard", "ScoreCardRegressor", "Statement"]
