"""Kernel features: how near each row is to a set of landmarks."""

from collections.abc import Sequence
from dataclasses import field
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from tamis import check
from tamis.engine import drawn_seed, generator
from tamis.errors import DamagedError, ParameterError
from tamis.saved import numbers, read_entry
from tamis.table.interface.takes_table import parameters
from tamis.transform.base import NumericTransform
from tamis.typing import RandomState

HOW = ("rows", "kmeans")


@parameters
class KernelFeatures(NumericTransform):
    r"""Radial basis functions at landmarks: a linear model on them is a kernel model.

    .. math:: \phi_i(x) = \exp(-\gamma \|x - \mu_i\|^2)

    on columns scaled to mean 0 and standard deviation 1 (1/n) of the rows of `fit`. A missing value counts as its
    column's mean.

    Parameters
    ----------
    n_landmarks : how many landmarks, at most the number of distinct rows.
    landmarks : how they are chosen: "rows" (distinct rows drawn at random), "kmeans" (centres of clusters), or a matrix
        of landmarks, one a row, in the units of the columns.
    gamma : width of the functions; None is 1 over the number of columns.
    standardize : whether columns are scaled.
    keep : whether the columns themselves stay beside their features.
    random_state : seed of the draw or of the clusters.

    Attributes
    ----------
    landmarks_ : the landmarks, in the units of the columns.
    gamma_ : the width.

    References
    ----------
    D. Broomhead and D. Lowe, "Multivariable functional interpolation and adaptive networks", Complex Systems 2, 1988.

    >>> kernel = KernelFeatures(landmarks=[[0.0], [2.0]], gamma=1.0, standardize=False)
    >>> kernel.fit_transform([[0.0], [1.0], [2.0]]).round(3).tolist()
    [[1.0, 0.018], [0.368, 0.368], [0.018, 1.0]]
    """

    one_to_one = False

    n_landmarks: int = field(default=100, kw_only=False)
    landmarks: Any = "rows"
    gamma: float | None = None
    standardize: bool = True
    keep: bool = False
    random_state: RandomState = 0

    def _check(self) -> None:
        check.count("n_landmarks", self.n_landmarks)
        if isinstance(self.landmarks, str):
            check.one_of("landmarks", self.landmarks, HOW)
        if self.gamma is not None:
            check.number("gamma", self.gamma, low=0, open_low=True)

    def _learn(self, X: np.ndarray, y: Any) -> None:
        n_observed = np.maximum((~np.isnan(X)).sum(axis=0), 1)
        self.mean_ = np.nansum(X, axis=0) / n_observed
        spread = np.sqrt(np.nansum((X - self.mean_) ** 2, axis=0) / n_observed)
        self.scale_ = np.where(self.standardize & (spread > 0), spread, 1.0)
        self.gamma_ = 1.0 / max(X.shape[1], 1) if self.gamma is None else float(self.gamma)
        self.landmarks_ = self._chosen(X) if isinstance(self.landmarks, str) else self._user_landmarks(X.shape[1])

    def _user_landmarks(self, n_columns: int) -> np.ndarray:
        points = np.asarray(self.landmarks, dtype=np.float64)
        if points.ndim != 2 or points.shape[1] != n_columns or not len(points) or not np.isfinite(points).all():
            raise ParameterError(
                f"landmarks has shape {points.shape}, but the table has {n_columns} numeric columns; give finite "
                "numbers, one row a landmark"
            )
        return points

    def _chosen(self, X: np.ndarray) -> np.ndarray:
        X = np.where(np.isnan(X), self.mean_, X)
        distinct = np.unique(X, axis=0)
        seed = drawn_seed(self.random_state)
        if len(distinct) <= self.n_landmarks:
            return distinct
        if self.landmarks == "rows":
            drawn = generator(seed, "landmarks").choice(len(distinct), self.n_landmarks, replace=False)
            return distinct[np.sort(drawn)]
        from sklearn.cluster import KMeans

        clusters = KMeans(self.n_landmarks, n_init=1, random_state=seed % 2**32).fit(self._scaled(X))
        return np.asarray(clusters.cluster_centers_ * self.scale_ + self.mean_)

    def _scaled(self, X: np.ndarray) -> np.ndarray:
        return np.asarray(np.nan_to_num((X - self.mean_) / self.scale_))

    def _apply(self, X: np.ndarray) -> np.ndarray:
        if not X.shape[1]:
            return np.zeros((len(X), 0))
        squares = cdist(self._scaled(X), self._scaled(self.landmarks_), "sqeuclidean")
        features = np.exp(-self.gamma_ * squares)
        return np.hstack([features, X]) if self.keep else features

    def _output_names(self, names: Sequence[str]) -> Sequence[str]:
        if not len(names):
            return []
        kernel_names = [f"kernel {k + 1}" for k in range(len(self.landmarks_))]
        return [*kernel_names, *names] if self.keep else kernel_names

    def _state(self) -> dict[str, Any]:
        return {
            "landmarks": self.landmarks_.tolist(),
            "mean": self.mean_.tolist(),
            "scale": self.scale_.tolist(),
            "gamma": self.gamma_,
        }

    def _restore(self, state: dict[str, Any]) -> None:
        width = len(self.touched_)
        self.landmarks_ = numbers("landmarks", read_entry(state, "landmarks"), shape=(None, width))
        self.mean_ = numbers("mean", read_entry(state, "mean"), shape=(width,))
        self.scale_ = numbers("scale", read_entry(state, "scale"), shape=(width,))
        self.gamma_ = float(numbers("gamma", read_entry(state, "gamma"), shape=()))
        if not (self.scale_ > 0).all() or self.gamma_ <= 0:
            raise DamagedError("its scales are not all above 0")
