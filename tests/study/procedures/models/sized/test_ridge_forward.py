"""Ridge forward selection: the greedy minimum of its objective, ends of its range, categories."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from scipy.stats import chi2_contingency

from tamis.study.procedures.models.fitted import FittedProcedure
from tamis.study.procedures.models.sized import SizedFormulas
from tamis.study.procedures.models.sized.ridge_forward import Standardized, held_out_errors, ridge_forward
from tamis.table import Table


def _correlated(n_rows, n_columns, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns)) + rng.normal(size=(n_rows, 1))
    Y = X[:, :2] - X[:, 2:4] + 0.5 * rng.normal(size=(n_rows, 2))
    return X, Y - Y.mean(axis=0)


def _chosen(X, Y, penalty, n_columns=5, max_terms=20):
    return ridge_forward(Standardized.of(Table.of(X)), Y, penalty, n_columns, max_terms)


@pytest.mark.parametrize("penalty", [0.1, 1.0, 10.0])
def test_every_step_lowers_the_ridge_objective_most(penalty):
    """A wrong update of M would choose other columns from the second step on."""
    X, Y = _correlated(40, 12)
    Z, lam = (X - X.mean(axis=0)) / X.std(axis=0), penalty * 40
    noise = (Y**2).sum() / 40
    chosen = []
    for _ in range(5):
        M = np.linalg.inv(np.eye(40) + Z[:, chosen] @ Z[:, chosen].T / lam)
        length = np.einsum("ij,ij->j", Z, M @ Z)
        gains = (((Z.T @ M @ Y) ** 2).sum(axis=1) - noise * length) / (lam + length)
        gains[chosen] = -np.inf
        chosen.append(int(np.argmax(gains)))
    assert _chosen(X, Y, penalty) == chosen


def test_the_ends_are_least_squares_and_the_ranking_of_single_columns():
    """A penalty that did not move the choice from complementing columns to single ones would have no meaning."""
    X, Y = _correlated(60, 10, seed=1)
    Z = X - X.mean(axis=0)
    chosen = []
    for _ in range(4):
        losses = {j: np.linalg.lstsq(Z[:, [*chosen, j]], Y, rcond=None)[1].sum() for j in range(10) if j not in chosen}
        chosen.append(min(losses, key=losses.get))
    assert _chosen(X, Y, 1e-9, 4) == chosen
    correlations = ((Z / X.std(axis=0)).T @ Y) ** 2
    assert _chosen(X, Y, 1e9, 4) == np.argsort(-correlations.sum(axis=1))[:4].tolist()


def test_the_first_gain_of_a_category_is_its_chi_square():
    """Indicators scaled otherwise would favour categories of many levels, or rare ones."""
    rng = np.random.default_rng(2)
    level, code = rng.choice(list("abcd"), 300, p=[0.5, 0.3, 0.15, 0.05]), rng.integers(3, size=300)
    columns = Standardized.of(Table.of(pd.DataFrame({"level": pd.Categorical(level)})))
    Y = (code[:, None] == np.arange(3)).astype(float)
    share = Y.mean(axis=0)
    products = columns.products((Y - share) / np.sqrt(share))
    counts = pd.crosstab(level, code).to_numpy()
    assert np.isclose((products**2).sum() / 300, chi2_contingency(counts, correction=False).statistic)


def test_a_category_enters_whole_and_only_where_its_terms_have_room():
    """A formula would otherwise have more terms than a page holds."""
    rng = np.random.default_rng(3)
    level = rng.integers(6, size=400)
    frame = pd.DataFrame({"level": pd.Categorical(level.astype(str)), "a": rng.normal(size=400)})
    frame["b"] = rng.normal(size=400)
    Y = (3.0 * (level % 2) + frame["a"] + 0.3 * frame["b"]).to_numpy()[:, None]
    Y = Y - Y.mean()
    assert _chosen(frame, Y, 1.0, 3) == [0, 1, 2]
    assert _chosen(frame, Y, 1.0, 3, max_terms=5) == [1, 2]


def test_noise_of_many_levels_is_not_preferred():
    """The chance gain of 19 levels exceeds that of a weak number."""
    rng = np.random.default_rng(4)
    firsts = []
    for _ in range(20):
        frame = pd.DataFrame({"level": pd.Categorical(rng.integers(20, size=100).astype(str))})
        frame["weak"] = rng.normal(size=100)
        Y = 0.5 * frame["weak"].to_numpy()[:, None] + rng.normal(size=(100, 1))
        firsts.append(_chosen(frame, Y - Y.mean(), 1.0, 1)[0])
    assert np.mean(firsts) > 0.85


def test_sparse_and_dense_columns_are_the_same_and_constant_ones_are_left_out():
    """A sparse table would otherwise be centred, that is, filled."""
    X, Y = _correlated(50, 8, seed=5)
    X[np.abs(X) < 1.0], X[:, 6] = 0.0, 7.0
    dense = _chosen(X, Y, 1.0, 8)
    assert _chosen(csr_matrix(X), Y, 1.0, 8) == dense
    assert 6 not in dense
    assert len(dense) == 7


def test_errors_of_held_out_rows_are_those_of_a_ridge():
    """Means or scales of held-out rows would flatter."""
    X, Y = _correlated(40, 6, seed=6)
    train, test = np.arange(30), np.arange(30, 40)
    mean, scale, target = X[train].mean(axis=0), X[train].std(axis=0), Y[train] - Y[train].mean(axis=0)
    Z = ((X - mean) / scale)[:, [1, 4]]
    coef = np.linalg.solve(Z[train].T @ Z[train] + 0.1 * 30 * np.eye(2), Z[train].T @ target)
    part = Standardized.of(Table.of(X[train]))
    errors = held_out_errors(part, target, part.of_rows(Table.of(X[test])), Y[test], [[4], [4, 1]], [0.1, 3.0])
    assert np.allclose(errors[:, 1, 0], ((Y[test] - Z[test] @ coef) ** 2).sum(axis=1))
    single = Z[:, 1:]
    coef = np.linalg.solve(single[train].T @ single[train] + 3.0 * 30 * np.eye(1), single[train].T @ target)
    assert np.allclose(errors[:, 0, 1], ((Y[test] - single[test] @ coef) ** 2).sum(axis=1))


def test_a_column_that_would_act_against_its_direction_is_passed_over():
    """One of two columns of a formula would have the coefficient 0."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(200, 3)), columns=list("abc"))
    y = 3 * frame["a"] - 2 * frame["b"] + frame["c"] + 0.1 * rng.normal(size=200)
    table, pairs = Table.of(frame), [(np.arange(100), np.arange(100, 200))]
    free = SizedFormulas("regression", max_columns=2, cv=pairs).fit(table, y.to_numpy())
    rising = SizedFormulas("regression", max_columns=2, cv=pairs, monotone={"b": 1}).fit(table, y.to_numpy())
    assert FittedProcedure("", free.models_[2], table.names).columns == ("a", "b")
    assert FittedProcedure("", rising.models_[2], table.names).columns == ("a", "c")


def test_a_formula_sees_the_difference_of_two_columns_that_are_nearly_equal():
    """One penalty for all tables hid it: pollen, with 2 of 4 columns, explained 42% where 71% were to be had."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(200, 6)), columns=list("abcdef"))
    difference = rng.normal(size=200)
    frame["b"] = frame["a"] + 0.03 * difference
    y = (0.5 * frame["a"] + difference + 0.3 * rng.normal(size=200)).to_numpy()
    fold = np.arange(200) % 5
    pairs = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(5)]
    table = Table.of(frame)
    model = SizedFormulas("regression", max_columns=3, cv=pairs).fit(table, y).models_[2]
    assert set(FittedProcedure("", model, table.names).columns) == {"a", "b"}
