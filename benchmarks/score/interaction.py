"""Pairs of columns: counting 64 rows a word beside plain loops over the rows, at equal results.

The loops are Numba's, one table a pair and target; the NumPy way (bincount) is timed on a few pairs. Times of the loops
are those of some columns, scaled to all pairs. Columns of two and three values (yes and no, genotypes) should be at
least 50 times faster than the loop; with eight groups there are 64 cells to count instead of 4 to 9, and looking up
their logarithms takes 1.7 of the 2 microseconds that a pair and 50 targets would have at 50 times.
"""

import sys
from time import process_time

import numpy as np
from numba import njit
from scipy.special import xlogy

from tamis.score import interaction
from tamis.score.criteria.interaction import Interaction
from tamis.score.criterion import read_table


@njit(nogil=True)
def loop(codes, sizes, classes, n_classes, xlogx, out):
    """I(pair; y) less the entropy of y, row by row."""
    d, n = codes.shape
    counts = np.zeros((sizes.max() ** 2, n_classes), dtype=np.int32)
    for i in range(d):
        for j in range(i + 1, d):
            width = np.int64(sizes[j])
            table = counts[: sizes[i] * width]
            table[:] = 0
            for r in range(n):
                table[codes[i, r] * width + codes[j, r], classes[r]] += 1
            inside = 0.0
            for line in range(len(table)):
                total = 0
                for c in range(n_classes):
                    total += table[line, c]
                    inside += xlogx[table[line, c]]
                inside -= xlogx[total]
            out[i, j] = inside / n


def by_bincount(codes, sizes, classes, n_classes, xlogx, pairs):
    """The same in NumPy, for some pairs."""
    n, found = codes.shape[1], []
    for i, j in pairs:
        cell = codes[i].astype(np.int64) * sizes[j] + codes[j]
        table = np.bincount(cell * n_classes + classes, minlength=sizes[i] * sizes[j] * n_classes)
        table = table.reshape(-1, n_classes)
        found.append((xlogx[table].sum() - xlogx[table.sum(axis=1)].sum()) / n)
    return np.array(found)


def seconds(work):
    """The result and the processor's time, which other programs on the machine do not change."""
    start = process_time()
    return work(), process_time() - start


def main(d=1_000, n=1_600, permutations=50, part=150):
    rng = np.random.default_rng(0)
    warm = rng.integers(0, 3, size=(200, 9)).astype(float)
    interaction(warm, warm[:, 0] > 1, n_permutations=2)
    loop(np.zeros((2, 9), np.uint16), np.ones(2, np.int64), np.zeros(9, np.int32), 2, np.zeros(10), np.zeros((2, 2)))
    print(f"{n:,} rows × {d:,} columns, {permutations} permutations, one thread; processor seconds")
    print(f"{'values':<8}{'tamis':>8}{'loop':>10}{'bincount':>11}{'loop/tamis':>12}{'on noise':>10}{'differ by':>11}")
    for values in (2, 3, 4, 8):
        X = rng.integers(0, values, size=(n, d)).astype(float)
        middle = (values - 1) / 2
        y = ((X[:, 0] > middle) ^ (X[:, 1] > middle) ^ (rng.random(n) < 0.1)).astype(int)
        found, ours = seconds(lambda X=X, y=y: interaction(X, y, n_permutations=permutations))
        assert found[0, 1] > 0.1
        _, noise = seconds(lambda X=X: interaction(X, rng.integers(0, 2, n), n_permutations=permutations))
        criterion, table = Interaction(), read_table(X)
        goal = criterion.target(y, n)
        view = criterion.view(table, goal, None, None)
        codes, sizes, xlogx = view.columns.codes[:part], view.columns.sizes[:part], xlogy(*[np.arange(n + 1.0)] * 2)
        out = np.zeros((part, part))
        _, plain = seconds(lambda c=codes, s=sizes, o=out, x=xlogx, g=goal: loop(c, s, g.codes, g.n_classes, x, o))
        some = [(i, i + 1) for i in range(100)]
        told, numpy = seconds(
            lambda c=codes, s=sizes, x=xlogx, g=goal, p=some: by_bincount(c, s, g.codes, g.n_classes, x, p)
        )
        assert np.allclose(told, [out[pair] for pair in some], atol=1e-12)
        upper = np.triu_indices(part, 1)
        single = np.array([loop_single(c, s, goal, xlogx) for c, s in zip(codes, sizes)])
        base = (xlogx[n] - xlogx[np.bincount(goal.codes)].sum()) / n
        expected = out[upper] + base - single[upper[0]] - single[upper[1]]
        apart = np.abs(criterion.synergy(view, [goal])[0][upper] - expected).max()
        assert apart < 1e-12
        every = d * (d - 1) / 2 * (permutations + 1)
        plain, numpy = plain / len(upper[0]) * every, numpy / len(some) * every
        print(f"{values:<8}{ours:8.2f}{plain:10.1f}{numpy:11.0f}{plain / ours:12.0f}{plain / noise:10.0f}{apart:11.0e}")
    print("on noise: the same ratio where no pair interacts, and permuting ends early.")


def loop_single(codes, size, goal, xlogx):
    """I(column; y)."""
    table = np.zeros((size, goal.n_classes), dtype=np.int64)
    np.add.at(table, (codes, goal.codes), 1)
    n = len(codes)
    inside = xlogx[table].sum() - xlogx[table.sum(axis=1)].sum()
    return (inside - xlogx[table.sum(axis=0)].sum() + xlogx[n]) / n


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
