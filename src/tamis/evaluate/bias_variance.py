"""Bias, variance and noise of a procedure: what its expected error on new rows is made of."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone

from tamis.check import count
from tamis.engine import generator, map_threads, seed_from, seed_of
from tamis.errors import ParameterError, TableError
from tamis.evaluate.cross_validate import Trained, cross_validate, named_folds
from tamis.evaluate.problem import Problem, named_procedures, problem_of, refuse_one_class
from tamis.split.bootstrap import BootstrapSplit
from tamis.table import Table
from tamis.table.interface.target import codes_among


@dataclass(frozen=True, eq=False)
class BiasVariance:
    """The parts of an expected loss.

    Attributes
    ----------
    loss : mean loss of the predictions: squared error (with `truth`, the sum of its expected parts), or the share of
        wrong classes.
    bias : squared bias; for classes, the share of rows whose main prediction is not the optimal class.
    variance : mean variance of the predictions; for classes, how often a prediction differs from the main prediction.
    noise : what no model can avoid; 0 where nothing is known about it, and the bias then contains it.
    net_variance : what variance adds to the loss: all of it for squared error; for classes, that of rows whose main
        prediction is optimal less that of the others, where a deviation is often right.
    noise_source : "given", "replicates", "truth" or "unknown".
    of_classes : whether the loss is 0/1 loss (Domingos' decomposition) or squared error.
    n_resamples : number of training sets.
    rows : the same row by row, a dict of arrays row (position), loss, bias, variance and noise; rows that fewer than
        two bootstrap samples left out are not judged.
    """

    loss: float
    bias: float
    variance: float
    noise: float
    net_variance: float
    noise_source: str
    of_classes: bool
    n_resamples: int
    rows: dict[str, np.ndarray]

    def __repr__(self) -> str:
        summary = f"bias {self.bias:.4g}, variance {self.variance:.4g}, noise {self.noise:.4g} ({self.noise_source})"
        return f"BiasVariance(loss {self.loss:.4g}: {summary}; {self.n_resamples} resamples)"


def bias_variance(
    procedure: Any,
    X: Any,
    y: Any,
    *,
    n_resamples: int = 100,
    draw: Callable[[np.random.Generator], tuple[Any, Any]] | None = None,
    truth: Any = None,
    noise: Any = None,
    groups: Any = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> BiasVariance:
    r"""Split the expected loss of a procedure into bias, variance and noise.

    Squared error, with f the prediction over training sets and f* the optimal one:

    .. math:: E (y - f)^2 = (E f - f^*)^2 + E (f - E f)^2 + E (y - f^*)^2

    0/1 loss (Domingos), with the main prediction m (the most frequent one) and the optimal class y*: bias is
    1 where m ≠ y*, variance is P(f ≠ m), and for two classes

    .. math:: P(f \ne y) = (2 P(f = y^*) - 1)\, P(y \ne y^*) + B + (1 - 2 B)\, P(f \ne m).

    Parameters
    ----------
    procedure : an estimator or pipeline; everything in it is fitted again to every training set.
    X, y : the rows. Without `draw` the training sets are bootstrap samples of them, and a row is predicted by the fits
        that did not draw it. With `draw` they are the rows that are predicted.
    n_resamples : number of training sets.
    draw : f(rng) -> (X, y), a new training set, where the distribution is known.
    truth : optimal prediction of each row (the expected value or the most probable class), where it is known.
    noise : for numbers, the variance of y about f*: a number, or one a row. By default it is estimated from
        replicates, rows of equal features (the pure error of an analysis of variance); without any it is 0 and the
        bias contains it. Classes take it from replicates or `truth`.
    groups : one value per row; groups are drawn whole.
    random_state : seed of the draws.
    n_jobs : number of threads.

    Returns
    -------
    BiasVariance. For numbers loss = bias + variance + noise; bias and variance are unbiased for the finite number of
    training sets, so a bias near 0 may come out slightly negative. For two classes without noise
    loss = bias + net_variance.

    References
    ----------
    S. Geman, E. Bienenstock and R. Doursat, "Neural networks and the bias/variance dilemma", Neural Computation, 1992.
    P. Domingos, "A unified bias-variance decomposition", ICML 2000.

    >>> from sklearn.dummy import DummyRegressor
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(200, 1)), rng.normal(size=200)
    >>> bias_variance(DummyRegressor(), X, y, noise=1.0).variance < 0.02  # the mean of 200 rows hardly varies
    True
    """
    count("n_resamples", n_resamples, low=2)
    named_procedures(procedure)
    problem = problem_of([procedure], X, y, groups=groups)
    refuse_one_class(problem)
    seed = seed_from(random_state)
    if draw is None:
        predicted = _by_bootstrap(procedure, problem, n_resamples, seed, n_jobs)
    else:
        predicted = _by_drawing(procedure, problem, draw, n_resamples, seed, n_jobs)
    if problem.classes is None:
        return _of_numbers(problem, predicted, _truth(problem, truth), noise)
    return _of_classes(problem, predicted, _truth(problem, truth), noise)


def _by_bootstrap(
    procedure: BaseEstimator, problem: Problem, n_resamples: int, seed: int, n_jobs: int | None
) -> np.ndarray:
    """Predictions (resamples, rows), NaN where a row was drawn; classes as codes."""
    pairs = list(BootstrapSplit(n_resamples, random_state=seed).split(problem.y, groups=problem.groups))
    predictions = cross_validate(problem, {"it": procedure}, named_folds(pairs), _predicted, seed=seed, n_jobs=n_jobs)[
        "it"
    ]
    predicted = np.full((n_resamples, len(problem.y)), np.nan)
    for line, (_, test), answer in zip(predicted, pairs, predictions):
        line[test] = answer
    return predicted


def _predicted(trained: Trained) -> np.ndarray:
    rows = trained.fold.test
    return _codes(trained.problem, trained.model.predict(trained.problem.model_input(rows, trained.model)))


def _by_drawing(
    procedure: BaseEstimator,
    problem: Problem,
    draw: Callable[..., Any],
    n_resamples: int,
    seed: int,
    n_jobs: int | None,
) -> np.ndarray:
    def predictions_of(index: int) -> np.ndarray:
        drawn = draw(generator(seed_of(seed, "draw"), index))
        if not isinstance(drawn, tuple) or len(drawn) != 2:
            raise ParameterError(f"draw gave {type(drawn).__name__} instead of a pair (X, y); return both")
        model = clone(procedure).fit(*drawn)
        return _codes(problem, model.predict(problem.model_input(np.arange(len(problem.y)), model)))

    return np.array(map_threads(predictions_of, range(n_resamples), n_jobs))


def _codes(problem: Problem, answer: ArrayLike) -> np.ndarray:
    """Predictions as numbers: of classes, their positions in the sorted list, or one past it for others."""
    answer = np.asarray(answer)
    if problem.classes is None:
        return answer.reshape(len(answer), -1)[:, 0].astype(np.float64)
    codes = codes_among(problem.classes, answer)
    return np.where(problem.classes[codes] == answer, codes, len(problem.classes)).astype(np.float64)


def _truth(problem: Problem, truth: ArrayLike) -> np.ndarray | None:
    if truth is None:
        return None
    values = np.asarray(truth)
    if values.shape != problem.y.shape:
        raise ParameterError(
            f"truth has shape {values.shape}, but there are {len(problem.y)} rows; give one value per row"
        )
    codes = _codes(problem, values)
    if problem.classes is not None and codes.max() == len(problem.classes):
        raise ParameterError(f"truth holds {values[codes.argmax()]!r}, which is no class of y; give classes of y")
    return codes


def _replicates(problem: Problem) -> np.ndarray:
    """For each row the number of its group of rows with equal features."""
    X = problem.X
    table = X if isinstance(X, Table) else Table.of(X)
    matrix = np.column_stack([np.asarray(table.column(j).values, dtype=np.float64) for j in range(table.n_columns)])
    return np.unique(np.nan_to_num(matrix, nan=np.inf), axis=0, return_inverse=True)[1].ravel()


def _of_numbers(problem: Problem, predicted: np.ndarray, truth: np.ndarray | None, noise: Any) -> BiasVariance:
    y = np.asarray(problem.y, dtype=np.float64)
    noise_of_rows, source = _number_noise(problem, y, truth, noise)
    judged, n = _judged_rows(predicted)
    predicted, y, noise_of_rows = predicted[:, judged], y[judged], noise_of_rows[judged]
    mean, variance = np.nanmean(predicted, axis=0), np.nanvar(predicted, axis=0, ddof=1)
    loss = np.nanmean((predicted - y) ** 2, axis=0)
    if truth is not None:  # exact at the rows' noise: cross terms of single rows are left out
        bias = (mean - truth[judged]) ** 2 - variance / n
        loss = bias + variance + noise_of_rows
    else:
        bias = loss - variance - noise_of_rows
    by_row = {"row": judged, "loss": loss, "bias": bias, "variance": variance, "noise": noise_of_rows}
    return _averaged(by_row, variance, source, False, len(predicted))


def _number_noise(problem: Problem, y: np.ndarray, truth: np.ndarray | None, noise: Any) -> tuple[np.ndarray, str]:
    if noise is not None:
        values = np.asarray(noise, dtype=np.float64)
        if values.shape not in ((), y.shape) or not np.isfinite(values).all() or values.min() < 0:
            raise ParameterError(f"noise={noise!r} must be a variance of 0 or more, or one for each of {len(y)} rows")
        return np.broadcast_to(values, y.shape).copy(), "given"
    if truth is not None:
        return np.full(len(y), ((y - truth) ** 2).mean()), "truth"
    groups = _replicates(problem)
    sizes = np.bincount(groups)
    freedom = int((sizes - 1).sum())
    if freedom == 0:
        return np.zeros(len(y)), "unknown"
    means = np.bincount(groups, y) / sizes
    return np.full(len(y), ((y - means[groups]) ** 2).sum() / freedom), "replicates"


def _of_classes(problem: Problem, predicted: np.ndarray, truth: np.ndarray | None, noise: Any) -> BiasVariance:
    if noise is not None:
        raise ParameterError(
            "noise is for numbers: of classes it depends on which class is optimal in each row; give truth=, the most "
            "probable class of each row, or leave noise out"
        )
    y = _codes(problem, problem.y)
    optimal, source = (truth, "truth") if truth is not None else _modal_classes(problem, y)
    judged, n = _judged_rows(predicted)
    predicted, y, optimal = predicted[:, judged], y[judged], optimal[judged]
    size = len(problem.classes) + 1  # type: ignore[arg-type]
    shares = np.stack([(predicted == code).sum(axis=0) / n for code in range(size)])
    main = shares.argmax(axis=0)
    bias, variance = (main != optimal).astype(np.float64), 1.0 - shares.max(axis=0)
    right = shares[optimal.astype(np.int64), np.arange(len(y))]
    # deviations of a biased row help where they hit the optimal class
    net = np.where(bias == 0, variance, -right)
    loss = 1.0 - shares[y.astype(np.int64), np.arange(len(y))]
    by_row = {"row": judged, "loss": loss, "bias": bias, "variance": variance, "noise": (y != optimal) * 1.0}
    return _averaged(by_row, net, source, True, len(predicted))


def _modal_classes(problem: Problem, y: np.ndarray) -> tuple[np.ndarray, str]:
    """The most frequent class among rows of equal features, where there are any such rows."""
    groups = _replicates(problem)
    sizes = np.bincount(groups)
    if sizes.max() == 1:
        return y, "unknown"
    counts = np.zeros((len(sizes), len(problem.classes)))  # type: ignore[arg-type]
    np.add.at(counts, (groups, y.astype(np.int64)), 1)
    return counts.argmax(axis=1)[groups].astype(np.float64), "replicates"


def _judged_rows(predicted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows predicted at least twice, which is what a variance takes, and how often each was."""
    n = np.isfinite(predicted).sum(axis=0)
    judged = np.flatnonzero(n >= 2)
    if not judged.size:
        raise TableError(f"no row was left out by two of {len(predicted)} resamples; give more n_resamples")
    return judged, n[judged]


def _averaged(
    by_row: dict[str, np.ndarray], net: np.ndarray, source: str, of_classes: bool, n_resamples: int
) -> BiasVariance:
    loss, bias, variance, noise = (float(by_row[name].mean()) for name in ("loss", "bias", "variance", "noise"))
    return BiasVariance(loss, bias, variance, noise, float(net.mean()), source, of_classes, n_resamples, by_row)


def bias_variance_figure(results: Mapping[Any, BiasVariance], *, label: str = "", **options: Any) -> Any:
    """Bias, variance and loss of several procedures as a Bokeh figure.

    Parameters
    ----------
    results : from a size (numbers: lines against it) or a name (texts: stacked bars) to its decomposition.
    label : of the axis of sizes or names.
    options : of the figure.

    >>> parts = BiasVariance(3.0, 1.0, 2.0, 0.0, 2.0, "unknown", False, 10, {})
    >>> bias_variance_figure({1: parts, 2: parts}, label="depth").xaxis.axis_label
    'depth'
    """
    from tamis.evaluate.picture import parts_bars, parts_lines

    numeric = all(isinstance(key, (int, float, np.integer, np.floating)) for key in results)
    return (parts_lines if numeric else parts_bars)(results, label, **options)
