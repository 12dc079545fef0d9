"""A path: the models for a falling strength (or a growing number of columns), and the choice among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tamis.metrics.one_standard_error import one_standard_error
from tamis.wording import MAX_LINES, html_table

SATURATED = 1e-3  # share of the loss without columns at which a path may end
_ALWAYS = 30  # strengths that are followed in any case
_PATIENCE = 20  # strengths without a better error after which a path ends
_RIDGE = 1e-7  # the least strength of a ridge path, of the largest
_FEWEST = 20  # strengths of a ridge path that may end early
_DECADES = 1.5  # of strengths without a better error after which a ridge path ends


@dataclass(frozen=True, eq=False)
class Path:
    """Models along a path.

    Attributes
    ----------
    alphas : strengths, falling; for best subsets the number of columns.
    coef : models × encoded columns × outputs, in the units of the columns.
    intercept : models × outputs.
    n_columns : how many columns of the table each model uses.
    cv_mean, cv_se : mean and standard error of the error over folds, or None without cross-validation.
    fold_errors, fold_weights : the errors (folds × models) and the weights of the folds, likewise.
    """

    alphas: np.ndarray
    coef: np.ndarray
    intercept: np.ndarray
    n_columns: np.ndarray
    cv_mean: np.ndarray | None = None
    cv_se: np.ndarray | None = None
    fold_errors: np.ndarray | None = None
    fold_weights: np.ndarray | None = None

    def choose(self, rule: str) -> int:
        """Position of the model the rule picks: the least error, or the simplest within one standard error of it.

        >>> path = Path(np.array([3.0, 2.0, 1.0]), np.zeros((3, 1, 1)), np.zeros((3, 1)), np.array([0, 1, 2]),
        ...             np.array([5.0, 2.1, 2.0]), np.array([1.0, 0.3, 0.2]))
        >>> path.choose("min"), path.choose("1se")
        (2, 1)
        """
        assert self.cv_mean is not None
        assert self.cv_se is not None
        best = int(np.argmin(self.cv_mean))
        return best if rule == "min" else one_standard_error(self.cv_mean, self.cv_se[best])

    def scored(self, errors: np.ndarray, weights: np.ndarray) -> Path:
        """The same path with the mean and standard error of errors (folds × models), folds weighted."""
        mean, se = over_folds(errors, weights)
        return replace(self, cv_mean=mean, cv_se=se, fold_errors=errors, fold_weights=weights)

    def __getitem__(self, name: str) -> Any:
        """A part of the path by name, as from a table."""
        return getattr(self, name)

    def _repr_html_(self) -> str:
        """The steps for a notebook: at most thirty of them, evenly along the path."""
        steps = np.unique(np.linspace(0, len(self.alphas) - 1, min(len(self.alphas), MAX_LINES)).round().astype(int))
        errors = {"error": self.cv_mean, "standard error": self.cv_se}
        lines = [
            {"step": int(k) + 1, "alpha": float(self.alphas[k]), "columns": int(self.n_columns[k])}
            | {name: float(values[k]) for name, values in errors.items() if values is not None}
            for k in steps
        ]
        return html_table(f"Path of {len(self.alphas):,} models", lines)

    def summary(self) -> dict[str, Any]:
        """Strengths, number of columns and errors as plain lists."""
        parts = {"alphas": self.alphas, "n_columns": self.n_columns, "cv_mean": self.cv_mean, "cv_se": self.cv_se}
        return {name: None if part is None else np.asarray(part).tolist() for name, part in parts.items()}


def is_past_its_best(errors: np.ndarray, always: int = _ALWAYS, patience: int = _PATIENCE) -> bool:
    """Whether a path from the empty model may end, by the errors so far (folds × models).

    After 30 strengths, when the folds do worse than with no column, or have not done better for 20 strengths: what
    follows has more columns still and is chosen by no rule, but costs most of the time.

    >>> is_past_its_best(np.linspace(1.0, 2.0, 40)[None]), is_past_its_best(np.linspace(2.0, 1.0, 40)[None])
    (True, False)
    """
    mean = errors.mean(axis=0)
    return len(mean) >= always and bool(mean[-1] > mean[0] or len(mean) - 1 - mean.argmin() >= patience)


def ends_saturated(job: Any) -> bool:
    """Whether a path ends where nearly all of the loss is gone: with as many columns as rows that is noise.

    Fewer columns than rows may explain a number nearly perfectly: large counts, exact measurements. Classes that they
    separate have no finite optimum.
    """
    n, p = job.X.shape
    return bool(p >= n or job.loss.target == "classes")


def choose_model(families: Sequence[Sequence[Path]], rule: str) -> tuple[int, int, int]:
    """The family, the path in it and the model on that path that a rule picks.

    The family holds the least mean error over folds, the first of equal ones; paths of a family share their strengths,
    and so their columns. Of the models within one standard error of the least, the rule "1se" takes the one of the
    largest strength, and of several of that strength the one of least error.
    """
    means = [[path.cv_mean for path in family if path.cv_mean is not None] for family in families]
    best = int(np.argmin([min(float(np.min(mean)) for mean in family) for family in means]))
    family, errors = families[best], means[best]
    which = int(np.argmin([float(np.min(mean)) for mean in errors]))
    if rule == "min" or len(family) == 1:
        return best, which, family[which].choose(rule)
    se = family[which].cv_se
    assert se is not None
    enough = errors[which].min() + se[int(np.argmin(errors[which]))]
    at = min(int(np.argmax(mean <= enough)) for mean in errors if np.any(mean <= enough))
    return best, int(np.argmin([mean[at] if at < len(mean) else np.inf for mean in errors])), at


def choose_without_fold(families: Sequence[Sequence[Path]], rule: str) -> list[tuple[int, int, int]]:
    """For each fold, what the errors of the others choose: the rows it holds out have no influence."""
    first = families[0][0].fold_errors
    assert first is not None
    return [
        choose_model([[_without(path, f) for path in family] for family in families], rule) for f in range(len(first))
    ]


def _without(path: Path, f: int) -> Path:
    """The path scored by all folds but one."""
    assert path.fold_errors is not None
    assert path.fold_weights is not None
    return path.scored(np.delete(path.fold_errors, f, axis=0), np.delete(path.fold_weights, f))


@dataclass(frozen=True)
class PathEnd:
    """When a path ends before its last strength.

    Attributes
    ----------
    always : strengths that are followed in any case; 0 where it never ends early.
    patience : strengths without a better error over folds after which it ends.
    saturated : share of the loss without columns below which it ends.
    after_stretch : whether it ends only after a whole stretch of strengths.
    """

    always: int = 0
    patience: int = 0
    saturated: float = -1.0
    after_stretch: bool = False


def path_end(job: Any, n: int, has_folds: bool, may_end: bool) -> PathEnd:
    """The end of a path of n strengths, where it `may_end` early.

    A ridge path is followed for the four decades in which a model departs from the empty one, and ends when the folds
    have not done better for one and a half. A coarse grid is followed to its end.
    """
    if not may_end:
        return PathEnd()
    if job.penalty.l1_ratio > 0:
        return PathEnd(_ALWAYS, _PATIENCE, SATURATED)
    decade = (n - 1) / -np.log10(_RIDGE)
    if n < _FEWEST or not has_folds:
        return PathEnd()
    return PathEnd(int(4 * decade), int(_DECADES * decade), after_stretch=True)


def over_folds(errors: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weighted mean over folds and its standard error."""
    share = weights / weights.sum()
    mean = share @ errors
    if len(errors) < 2:
        return mean, np.zeros_like(mean)
    return mean, np.sqrt(share @ (errors - mean) ** 2 / (len(errors) - 1))


def strengths(largest: float, n: int, wide: bool, ridge: bool = False) -> np.ndarray:
    """A falling grid of strengths, evenly spaced in their logarithm, from the one that empties the model.

    It falls to 1/10,000 of it, or to 1/100 where columns outnumber rows; ridge, where no strength empties the model,
    begins at 1,000 times the largest gradient (as glmnet does) and ends at a ten-thousandth of it.
    """
    top = largest if largest > 0 else 1.0
    last = _RIDGE if ridge else (1e-2 if wide else 1e-4)
    return np.asarray(top * np.logspace(0, np.log10(last), n))
