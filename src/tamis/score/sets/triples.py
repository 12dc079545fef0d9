"""What three columns tell together that their pairs and members do not."""

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tamis import check
from tamis.engine import generator, map_threads
from tamis.score.counts import cut
from tamis.score.criteria.interaction import Interaction
from tamis.score.criteria.mutual_information import mutual_information
from tamis.score.criterion import read_table
from tamis.score.groups import Groups
from tamis.table import same_length
from tamis.table.like import TableLike

MAX_GROUPS = 4  # of a column: three columns of four groups make 64 cells


class Triple(NamedTuple):
    """Three columns, the nats they add to their pairs, and how likely chance gives its best triple as much."""

    first: str
    second: str
    third: str
    information: float
    pvalue: float


def top_triples(
    X: TableLike,
    y: ArrayLike,
    *,
    top: int = 10,
    max_columns: int = 20,
    alpha: float = 0.05,
    n_permutations: int = 50,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> list[Triple]:
    r"""Triples of columns that carry information beyond their pairs and members, corrected for chance.

    .. math:: I(a, b, c; y) - [I(a, b; y) + I(a, c; y) + I(b, c; y)] + I(a; y) + I(b; y) + I(c; y)

    in nats, less its mean over permuted targets. A triple is reported when it is above the best triple of all in at
    least a share 1 − alpha of the permutations, standardised as the chi-squared variable it then is. Numbers are cut
    into two to four groups, as the rows allow.

    Parameters
    ----------
    X : table of n rows and d columns, numeric or categorical, missing values allowed.
    y : target, classes or numbers.
    top : how many triples to give at most.
    max_columns : columns whose triples are looked at. Of more columns those with the largest information alone or in a
        pair are kept; a triple of which no member or pair shows anything is then missed.
    alpha, n_permutations, random_state, n_jobs : as in `interaction`.

    References
    ----------
    W. McGill, "Multivariate information transmission", Psychometrika 19, 1954.

    >>> X = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)] * 10)
    >>> top_triples(X, X.sum(axis=1) % 2)[0][:3]
    ('x0', 'x1', 'x2')
    """
    check.count("top", top)
    check.count("max_columns", max_columns, low=3)
    check.count("n_permutations", n_permutations)
    check.number("alpha", alpha, low=0, high=1)
    table = read_table(X)
    same_length(table, y)
    target = Interaction().target(y, table.n_rows)
    target = target if target.kind == "classes" else cut(target, max_bins=4)
    names = [table.names[j] for j in table.order()]
    table = table.select([int(j) for j in table.order()])
    screened = _screened(table, y, max_columns, n_jobs)
    if len(screened) < 3 or target.n_classes < 2 or target.codes is None:
        return []
    n_groups = int(np.clip((table.n_rows / (5 * target.n_classes)) ** (1 / 3), 2, MAX_GROUPS))
    groups = Groups.of(table.select(screened.tolist()), max_groups=n_groups, levels=2 * MAX_GROUPS, n_jobs=n_jobs)
    codes = [np.asarray(line, dtype=np.int64) for line in groups.codes]
    triples = list(combinations(range(len(screened)), 3))
    targets = [target.codes] + [
        generator(random_state, "triple", p).permutation(target.codes) for p in range(n_permutations)
    ]
    gains = np.array(map_threads(lambda y: _gains(codes, triples, np.asarray(y), target.n_classes), targets, n_jobs))
    observed, null = gains[0], gains[1:]
    mean = null.mean(axis=0)
    levels = [int(code.max()) for code in codes]
    freedom = np.array([levels[a] * levels[b] * levels[c] for a, b, c in triples]) * (target.n_classes - 1)
    best, height = (_standardised(gains, freedom, table.n_rows) for gains in (null, observed))
    pvalues = (1 + (best.max(axis=1)[:, None] >= height).sum(axis=0)) / (1 + n_permutations)
    order = np.argsort(-(observed - mean), kind="stable")
    reported = [t for t in order if pvalues[t] <= alpha and observed[t] > mean[t]][:top]
    called = [names[j] for j in screened]
    return [
        Triple(called[a], called[b], called[c], float(observed[t] - mean[t]), float(pvalues[t]))
        for t in reported
        for a, b, c in [triples[t]]
    ]


def _standardised(gains: np.ndarray, freedom: np.ndarray, n: int) -> np.ndarray:
    return np.where(freedom > 0, (2 * n * gains - freedom) / np.sqrt(2.0 * np.maximum(freedom, 1)), -np.inf)


def _screened(table: Any, y: ArrayLike, max_columns: int, n_jobs: int | None) -> np.ndarray:
    """Positions of the columns whose triples are looked at."""
    if table.n_columns <= max_columns:
        return np.arange(table.n_columns)
    alone = mutual_information(table, y, n_jobs=n_jobs)
    criterion = Interaction()
    target = criterion.target(y, table.n_rows)
    in_pairs = criterion.values(criterion.view(table, target, None, n_jobs), target, n_jobs)
    worth = np.maximum(alone / max(alone.max(), 1e-12), in_pairs / max(in_pairs.max(), 1e-12))
    return np.sort(np.argsort(-worth, kind="stable")[:max_columns])


def _gains(codes: list[np.ndarray], triples: list[tuple[int, int, int]], y: np.ndarray, n_classes: int) -> np.ndarray:
    sizes = [int(code.max()) + 1 for code in codes]
    single = [_information(code, size, y, n_classes) for code, size in zip(codes, sizes)]
    pair = {
        (a, b): _information(codes[a] * sizes[b] + codes[b], sizes[a] * sizes[b], y, n_classes)
        for a, b in combinations(range(len(codes)), 2)
    }
    gains = []
    for a, b, c in triples:
        joint = (codes[a] * sizes[b] + codes[b]) * sizes[c] + codes[c]
        triple_gain = _information(joint, sizes[a] * sizes[b] * sizes[c], y, n_classes)
        gains.append(triple_gain - pair[a, b] - pair[a, c] - pair[b, c] + single[a] + single[b] + single[c])
    return np.array(gains)


def _information(code: np.ndarray, size: int, y: np.ndarray, n_classes: int) -> float:
    """I(code; y) in nats from joint counts."""
    joint = np.bincount(code * n_classes + y, minlength=size * n_classes).reshape(size, n_classes) / len(y)
    expected = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
    occupied = joint > 0
    return float((joint[occupied] * np.log(joint[occupied] / expected[occupied])).sum())
