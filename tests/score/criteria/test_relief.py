"""The Relief family against its published definition, written out slowly."""

import numpy as np
import pandas as pd
import pytest

from tamis.errors import ParameterError
from tamis.score import relief


def diff(j, a, b, columns, y, power=1):
    """Kononenko's diff of rows a and b in column j, a missing value by its class-conditional distribution."""
    values, is_category = columns[j]
    seen = [v for v in values if v is not None]
    width = 1.0 if is_category else (max(seen) - min(seen)) or 1.0

    def apart(u, v):
        return float(u != v) if is_category else (abs(u - v) / width) ** power

    def pool(row):
        own = [v for v, c in zip(values, y) if v is not None and c == y[row]]
        return [values[row]] if values[row] is not None else own or seen

    pairs = [apart(u, v) for u in pool(a) for v in pool(b)]
    return sum(pairs) / len(pairs)


def slow_relieff(columns, y, k, power=1):
    """Figure 2 of Robnik-Šikonja and Kononenko (2003), every row drawn once."""
    n, d = len(y), len(columns)
    prior = {c: sum(v == c for v in y) / n for c in set(y)}
    weights = [0.0] * d
    for i in range(n):
        distance = {b: sum(diff(j, i, b, columns, y, power) for j in range(d)) for b in range(n) if b != i}
        for c in prior:
            near = sorted((b for b in distance if y[b] == c), key=lambda b: (distance[b], b))[:k]
            for b in near:
                factor = -1.0 if c == y[i] else prior[c] / (1 - prior[y[i]])
                for j in range(d):
                    weights[j] += factor * diff(j, i, b, columns, y, power) / (n * len(near))
    return weights


def slow_rrelieff(columns, y, k):
    """Figure 3 of Robnik-Šikonja and Kononenko (2003), neighbours counting alike."""
    n, d = len(y), len(columns)
    width = max(y) - min(y)
    apart, changed, both = 0.0, [0.0] * d, [0.0] * d
    for i in range(n):
        distance = {b: sum(diff(j, i, b, columns, [0] * n) for j in range(d)) for b in range(n) if b != i}
        for b in sorted(distance, key=lambda b: (distance[b], b))[:k]:
            apart += abs(y[i] - y[b]) / width / k
            for j in range(d):
                changed[j] += diff(j, i, b, columns, [0] * n) / k
                both[j] += diff(j, i, b, columns, [0] * n) * abs(y[i] - y[b]) / width / k
    return [both[j] / apart - (changed[j] - both[j]) / (n - apart) for j in range(d)]


def mixed(n, holes, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "a": rng.normal(size=n),
            "b": rng.normal(size=n) * 50,
            "colour": rng.choice(["red", "green", "blue"], n).astype(object),
            "shape": rng.choice(["round", "flat"], n).astype(object),
        }
    )
    if holes:
        frame.loc[rng.random(n) < 0.2, "b"] = np.nan
        frame.loc[rng.random(n) < 0.2, "colour"] = None
    columns = [
        ([None if pd.isna(v) else v for v in frame[name]], name in ("colour", "shape")) for name in frame.columns
    ]
    return frame, columns, rng


@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize(("classes", "k"), [(2, 1), (2, 3), (4, 3)])
def test_relief_is_the_published_definition(classes, k, holes):
    """Weights of a small mixed table would not be those of the paper (k = 1 with two classes is Relief itself)."""
    frame, columns, rng = mixed(40, holes)
    y = [int(v) for v in rng.integers(0, classes, 40)]
    assert relief(frame, y, k=k) == pytest.approx(slow_relieff(columns, y, k), abs=1e-12)


@pytest.mark.parametrize("holes", [False, True])
def test_squared_differences_are_those_of_kira_and_rendell(holes):
    """The update by squared differences, and the Euclidean order of neighbours, would be those of absolute ones."""
    frame, columns, rng = mixed(40, holes)
    y = [int(v) for v in rng.integers(0, 2, 40)]
    assert relief(frame, y, k=1, difference="squared") == pytest.approx(slow_relieff(columns, y, 1, 2), abs=1e-12)


@pytest.mark.parametrize("holes", [False, True])
def test_rrelieff_is_the_published_definition(holes):
    """Weights for a numeric target would not be those of the paper."""
    frame, columns, rng = mixed(35, holes, seed=1)
    y = [float(v) for v in rng.normal(size=35)]
    assert relief(frame, y, k=4) == pytest.approx(slow_rrelieff(columns, y, 4), abs=1e-12)


def test_permuted_targets_share_distances_and_give_the_same_weights():
    """The null distribution would be of other weights than the ones it is compared to."""
    from tamis.score.criteria.relief import Relief
    from tamis.score.criterion import read_table

    for holes in (False, True):
        frame, _, rng = mixed(50, holes)
        for y in (rng.integers(0, 3, 50), rng.normal(size=50)):
            criterion, table = Relief(k=3), read_table(frame)
            target = criterion.target(y, 50)
            view = criterion.view(table, target, None, None)
            orders = [rng.permutation(50) for _ in range(4)]
            many = criterion.values_of_targets(view, [target.take(order) for order in orders])
            np.testing.assert_allclose(many, [relief(frame, y[order], k=3) for order in orders], atol=1e-12)


def test_draws_ask_some_rows_and_come_near_all():
    """Drawing rows would be ignored, not repeatable, or estimate something else."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(600, 5))
    y = (X[:, 0] > 0).astype(int)
    every, some = relief(X, y), relief(X, y, draws=200, random_state=1)
    assert not np.array_equal(every, some)
    assert np.array_equal(some, relief(X, y, draws=200, random_state=1))
    assert some == pytest.approx(every, abs=0.03)
    assert np.array_equal(relief(X, y, draws=1000), every)


def test_fewer_rows_than_neighbours_is_said():
    """Asking for more neighbours than rows would end in an index error, or in silence."""
    with pytest.raises(ParameterError, match="k=10 neighbours, but each of the 8 rows has only 7 others"):
        relief(np.arange(16.0).reshape(8, 2), [0, 1] * 4)


def test_weights_of_rows_are_refused_by_the_selector():
    """Row weights would be taken and silently ignored."""
    from tamis import RankSelector

    with pytest.raises(ParameterError, match="relief does not take sample_weight"):
        RankSelector("relief").fit(np.arange(40.0).reshape(20, 2), [0, 1] * 10, sample_weight=np.ones(20))
