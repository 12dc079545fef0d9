"""Encode: tables worked out by hand, honesty of the target's mean, unseen levels."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GroupKFold

from tamis import SubsetSelector
from tamis.transform import Encode

X = pd.DataFrame({"colour": ["red", "blue", None, "red", "green"], "size": [1.0, 2.0, 3.0, 4.0, 5.0]})


def test_one_hot_by_hand():
    """An indicator would stand for another level; a missing value is missing in the whole group."""
    made = Encode().fit(X)
    out = made.transform(X)
    assert list(out.columns) == ["colour=blue", "colour=green", "colour=red", "size"]
    np.testing.assert_array_equal(out.iloc[:, :3], [[0, 0, 1], [1, 0, 0], [np.nan] * 3, [0, 0, 1], [0, 1, 0]])


def test_ordinal_and_counts_by_hand():
    """A level would get another's number."""
    np.testing.assert_array_equal(Encode("ordinal").fit_transform(X)["colour"], [2, 0, np.nan, 2, 1])
    np.testing.assert_array_equal(Encode("counts").fit_transform(X)["colour"], [2, 1, np.nan, 2, 1])


def test_target_mean_by_hand():
    """n = 2, mean 1, m = 2 towards 0.6 of all: (2 · 1 + 2 · 0.6) / 4 = 0.8; unseen levels get 0.6."""
    frame = pd.DataFrame({"c": ["a", "a", "b", "b", "b"]})
    made = Encode("target", smooth=2).fit(frame, [1, 1, 0, 1, 0])
    found = made.transform(pd.DataFrame({"c": ["a", "b", "z", None]}))
    np.testing.assert_allclose(found["c"], [0.8, (3 * (1 / 3) + 2 * 0.6) / 5, 0.6, np.nan])


def test_a_group_of_indicators_is_chosen_as_one():
    """Half of a category would be selected."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"c": rng.choice(list("abc"), 90), "z": rng.normal(size=90)})
    made = Encode().set_output(transform="pandas").fit(frame)
    assert made.groups_ == {"c": ["c=a", "c=b", "c=c"]}
    y = (frame["c"] == "a") * 3.0 + rng.normal(size=90) * 0.1
    from sklearn.linear_model import LinearRegression

    chosen = SubsetSelector(LinearRegression(), k=1, cv=3, groups=made.groups_).fit(made.transform(frame), y)
    assert list(chosen.get_feature_names_out()) == ["c=a", "c=b", "c=c"]


@pytest.mark.parametrize("how", ["one-hot", "ordinal", "counts", "target", "levels"])
def test_unseen_levels_are_unknown_and_counted(how):
    """New data with a new level would end the prediction, or nobody would know how many there are."""
    made = Encode(how).fit(X, [0, 1, 0, 1, 1])
    new = pd.DataFrame({"colour": ["pink", "red", "pink", None, "grey"], "size": [0.0] * 5})
    out = made.transform(new)
    assert made.unknown_ == {"colour": 3}
    expected = {"one-hot": 0, "ordinal": -1, "counts": 0, "target": 0.6}
    if how != "levels":
        np.testing.assert_allclose(out.iloc[0].drop("size").astype(float), expected[how])
        np.testing.assert_allclose(out.iloc[3].drop("size").astype(float), np.nan)
    made.transform(X)
    assert made.unknown_ == {"colour": 0}


def test_rare_levels_are_merged_and_unseen_ones_join_them():
    """A level of one row would be learned by heart."""
    frame = pd.DataFrame({"c": ["a"] * 5 + ["b"] * 4 + ["d", "e"]})
    made = Encode("one-hot", rare=3).fit(frame)
    assert list(made.get_feature_names_out()) == ["c=a", "c=b", "c=other"]
    np.testing.assert_array_equal(made.transform(pd.DataFrame({"c": ["e", "zzz"]})), [[0, 0, 1], [0, 0, 1]])
    assert made.unknown_ == {"c": 1}
    assert list(Encode("one-hot", rare=0.4).fit(frame).get_feature_names_out()) == ["c=a", "c=other"]


def test_similar_levels_are_merged():
    """Levels of one mean would stay apart."""
    frame = pd.DataFrame({"c": np.repeat(list("abcd"), 10)})
    y = np.repeat([0.0, 5.0, 0.2, 5.2], 10) + np.tile([-0.5, 0.5], 20)
    made = Encode("levels", similar=2).fit(frame, y)
    assert made.words_ == [("a|c", "b|d")]
    assert made.transform(frame)["c"].tolist() == ["a|c"] * 10 + ["b|d"] * 10 + ["a|c"] * 10 + ["b|d"] * 10


def noisy(task, n=60):
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"c": rng.choice(list("abcde"), n), "d": rng.choice(list("uv"), n)})
    frame.loc[7, "c"] = None
    y = {"numbers": rng.normal(size=n) * 1e3, "two": rng.integers(0, 2, n), "three": rng.integers(0, 3, n)}[task]
    return frame, y, np.repeat(np.arange(n // 4), 4)


@pytest.mark.parametrize("task", ["numbers", "two", "three"])
@pytest.mark.parametrize("arguments", [{}, {"smooth": 3.0}, {"rare": 8, "similar": 3}], ids=repr)
def test_a_rows_own_answer_is_not_in_its_encoding(task, arguments):
    """The model would read the answer of a training row out of its encoding."""
    frame, y, _ = noisy(task)
    encode = Encode("target", target="numbers" if task == "numbers" else "classes", **arguments)
    before = encode.fit_transform(frame, y).to_numpy()
    moved = 0
    for i in range(len(y)):
        other = y.copy()
        other[i] = 1e9 if task == "numbers" else (y[i] + 1) % len(set(y))
        after = encode.fit_transform(frame, other).to_numpy()
        np.testing.assert_array_equal(after[i], before[i])
        moved += not np.array_equal(after, before, equal_nan=True)
    assert moved > len(y) // 2  # the others do see it


def test_groups_of_rows_share_a_fold():
    """Rows of one patient would tell each other's answer."""
    frame, y, groups = noisy("numbers")
    encode = Encode("target")
    before = encode.fit_transform(frame, y, groups=groups).to_numpy()
    for g in np.unique(groups)[:6]:
        other = np.where(groups == g, -50.0 * y, y)
        after = encode.fit_transform(frame, other, groups=groups).to_numpy()
        np.testing.assert_array_equal(after[groups == g], before[groups == g])
    given = Encode("target", cv=GroupKFold(3))
    assert given.fit_transform(frame, y, groups=groups).shape == before.shape


def test_folds_do_not_look_at_the_target():
    """Folds stratified by y would tell a row something about its own answer."""
    a, b = (Encode("target")._folds(40, None)[0] for _ in range(2))
    np.testing.assert_array_equal(a, b)
    frame, y, _ = noisy("two")
    parts = Encode("target")
    assert not np.array_equal(parts.fit_transform(frame, y), parts.fit_transform(frame, 1 - y))


def test_each_fold_has_its_own_prior():
    """The mean of all rows would carry every row's answer: a level seen once gets the mean of the other folds."""
    n = 20
    frame, y = pd.DataFrame({"c": [f"level {i}" for i in range(n)]}), np.arange(n) ** 2.0
    encode = Encode("target", target="numbers", cv=4)
    fold, _ = encode._folds(n, None)
    expected = [y[fold != fold[i]].mean() for i in range(n)]
    np.testing.assert_allclose(encode.fit_transform(frame, y)["c"], expected)


def test_levels_of_noise_teach_nothing_out_of_fold():
    """Many levels and a random answer: the encoding would correlate with the answer."""
    rng = np.random.default_rng(8)
    frame, y = pd.DataFrame({"c": rng.integers(0, 150, 600).astype(str)}), rng.integers(0, 2, 600)
    apart = Encode("target").fit_transform(frame, y)["c"]
    together = Encode("target", smooth=0).fit(frame, y).transform(frame)["c"]
    assert np.corrcoef(together, y)[0, 1] > 0.3
    assert np.corrcoef(apart, y)[0, 1] < 0.1


def test_whole_numbers_in_an_array_are_levels_and_columns_can_be_named():
    """Codes of categories in an array would be passed through as numbers."""
    codes = np.array([[3, 10], [7, 10], [3, 20]])
    np.testing.assert_array_equal(Encode("counts").fit_transform(codes), [[2, 2], [1, 2], [2, 1]])
    np.testing.assert_array_equal(
        Encode("counts", columns=["x1"]).fit_transform(codes.astype(float)), [[3, 2], [7, 2], [3, 1]]
    )


def test_a_column_per_class_for_three_classes():
    """Two of three classes would be lost."""
    made = Encode("target", smooth=0).fit(pd.DataFrame({"c": list("aabb")}), ["x", "y", "z", "z"])
    assert list(made.get_feature_names_out()) == ["c: x", "c: y", "c: z"]
    np.testing.assert_array_equal(made.transform(pd.DataFrame({"c": ["a", "b"]})), [[0.5, 0.5, 0], [0, 0, 1]])


def test_bad_parameters_are_named():
    """The user would not know which argument is wrong."""
    for arguments, said in [
        ({"how": "hot"}, "how='hot'"),
        ({"rare": -1}, "rare=-1"),
        ({"similar": 0}, "similar=0"),
        ({"columns": ["color"]}, "did you mean 'colour'"),
    ]:
        with pytest.raises(ValueError, match=said):
            Encode(**arguments).fit(X, [0, 1, 0, 1, 1])
    with pytest.raises(ValueError, match="requires y"):
        Encode("target").fit(X)
