"""Pictures of a whole table: its rows in the plane, with or without clusters."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tamis import check
from tamis.engine import drawn_seed
from tamis.errors import ParameterError, TableError
from tamis.project.pictures import points_figure
from tamis.table import Table, eager, same_length
from tamis.table.like import TableLike
from tamis.typing import RandomState
from tamis.views import Indicators

HOW = ("t-sne", "k-means", "hierarchical")
MAX_ROWS = 20_000  # t-SNE and Ward's method look at pairs of rows


@dataclass(frozen=True, eq=False)
class TableMap:
    """Rows of a table as points in the plane.

    Attributes
    ----------
    how : what made it.
    points : rows × 2.
    clusters : cluster of each row, from 0; None for t-SNE.
    order : rows in the order of the leaves of the hierarchical clustering; None for others.
    """

    how: str
    points: np.ndarray
    clusters: np.ndarray | None = None
    order: np.ndarray | None = None

    def figure(self, y: ArrayLike | None = None, **options: Any) -> Any:
        """The points as a Bokeh figure, coloured by a target, or by cluster without one."""
        colour = (
            y
            if y is not None
            else None
            if self.clusters is None
            else np.char.add("cluster ", self.clusters.astype(str))
        )
        if y is not None:
            same_length(self.points, y)
        return points_figure(self.points, colour, title=f"Map of the rows: {self.how}", **options)


def map(
    X: TableLike,
    how: str = "t-sne",
    *,
    n_clusters: int | None = None,
    perplexity: float = 30.0,
    random_state: RandomState = 0,
) -> TableMap:
    """A picture of the rows of a table, for looking at it: no target is used, and nothing is learned for later rows.

    Columns are standardised, categories become indicators, and a missing value counts as its column's mean.

    Parameters
    ----------
    X : table of any kind.
    how : "t-sne" (scikit-learn's, started from the first two principal components; distances between far points mean
        nothing); "k-means" or "hierarchical" (Ward's method): clusters, drawn in the plane of the first two principal
        components.
    n_clusters : how many; by default the number from 2 to 8 with the largest ratio of variances between and within
        clusters (Caliński and Harabasz).
    perplexity : of t-SNE: about how many neighbours a point has; at most a third of the rows.
    random_state : seed of t-SNE and k-means.

    References
    ----------
    L. van der Maaten and G. Hinton, "Visualizing data using t-SNE", JMLR 9, 2008. J. Ward, "Hierarchical grouping to
    optimize an objective function", JASA 58, 1963.

    >>> import numpy as np
    >>> rows = np.vstack([np.zeros((5, 2)), np.ones((5, 2))]) + np.linspace(0, 0.1, 20).reshape(10, 2)
    >>> map(rows, "hierarchical", n_clusters=2).clusters.tolist()
    [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
    """
    check.one_of("how", how, HOW)
    Z = standardized(X)
    if len(Z) < 4:
        raise TableError(f"a map of {len(Z)} row(s) shows nothing; give at least 4")
    if len(Z) > MAX_ROWS and how != "k-means":
        raise TableError(f"{how} looks at all pairs of {len(Z):,} rows; give a sample of at most {MAX_ROWS:,}")
    seed = drawn_seed(random_state) % 2**32
    if how == "t-sne":
        return TableMap(how, _tsne(Z, check.number("perplexity", perplexity, low=1), seed))
    points = _plane(Z)
    if n_clusters is not None:
        check.count("n_clusters", n_clusters, low=2, high=len(Z) - 1, of="rows")
    if how == "k-means":
        return TableMap(how, points, _chosen(Z, n_clusters, lambda k: _kmeans(Z, k, seed)))
    from scipy.cluster.hierarchy import fcluster, leaves_list, linkage

    tree = linkage(Z, "ward")
    clusters = _chosen(Z, n_clusters, lambda k: _renumbered(fcluster(tree, k, "maxclust")))
    return TableMap(how, points, clusters, np.asarray(leaves_list(tree)))


def standardized(X: TableLike) -> np.ndarray:
    """Columns with mean 0 and standard deviation 1 (1/n), categories as indicators, missing values as means."""
    X = np.asarray(X) if isinstance(X, (list, tuple)) else eager(X)
    table = Table.of(X)
    matrix = Indicators.of(table).encode(table)
    values = np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix, dtype=np.float64)
    n_observed = np.maximum((~np.isnan(values)).sum(axis=0), 1)
    centred = values - np.nansum(values, axis=0) / n_observed
    spread = np.sqrt(np.nansum(centred**2, axis=0) / n_observed)
    return np.asarray(np.nan_to_num(centred / np.where(spread > 0, spread, 1.0)))


def _plane(Z: np.ndarray) -> np.ndarray:
    """Scores on the first two principal components, the largest loading of each positive."""
    _, _, directions = np.linalg.svd(Z, full_matrices=False)
    top = directions[:2]
    top = top * np.sign(top[np.arange(len(top)), np.abs(top).argmax(axis=1)])[:, None]
    points = Z @ top.T
    return points if points.shape[1] == 2 else np.column_stack([points, np.zeros(len(points))])


def _tsne(Z: np.ndarray, perplexity: float, seed: int) -> np.ndarray:
    from sklearn import manifold

    start = _plane(Z)
    start = start / max(float(start[:, 0].std()), 1e-12) * 1e-4
    nearest = min(perplexity, (len(Z) - 1) / 3)
    model = manifold.TSNE(2, perplexity=nearest, init=start, learning_rate="auto", random_state=seed, n_jobs=1)
    return np.asarray(model.fit_transform(Z), dtype=np.float64)


def _kmeans(Z: np.ndarray, k: int, seed: int) -> np.ndarray:
    from sklearn.cluster import KMeans

    return _renumbered(KMeans(k, n_init=10, random_state=seed).fit_predict(Z))


def _renumbered(labels: np.ndarray) -> np.ndarray:
    """Clusters from 0 in the order in which rows meet them."""
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[codes.ravel()]


def _chosen(Z: np.ndarray, n_clusters: int | None, clusters_of: Any) -> np.ndarray:
    if n_clusters is not None:
        return np.asarray(clusters_of(n_clusters))
    if not Z.any():
        raise ParameterError("all rows are equal, so there are no clusters; give a table whose rows differ")
    tried = [clusters_of(k) for k in range(2, min(9, len(Z)))]
    return np.asarray(max((labels for labels in tried if labels.max() > 0), key=lambda labels: _ratio(Z, labels)))


def _ratio(Z: np.ndarray, labels: np.ndarray) -> float:
    """Variance between clusters over variance within, each by its degrees of freedom; Z has mean 0."""
    n, k = len(Z), int(labels.max()) + 1
    sizes = np.bincount(labels)
    centres = np.array([Z[labels == c].mean(axis=0) for c in range(k)])
    between = float(sizes @ (centres**2).sum(axis=1))
    within_scatter = float((Z**2).sum()) - between
    return between / (k - 1) / max(within_scatter / max(n - k, 1), 1e-300)
