import json
import re
import sqlite3
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.svm import SVC

from tamis import ForestClassifier, ForestRegressor
from tamis.errors import ParameterError, TamisError, TamisWarning
from tamis.table import read
from tamis.tree import TreeClassifier, TreeRegressor, mimic


def mixed(n=300, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"age": rng.normal(50, 9, n).round(1), 'odd "name"': rng.normal(size=n)})
    frame["town"] = pd.Categorical(rng.choice(["Ülm", "Aix", "O'Fallon"], n))
    frame.loc[rng.random(n) < 0.1, "age"] = np.nan
    frame.loc[rng.random(n) < 0.1, "town"] = None
    y = np.where((frame["age"].fillna(50) > 52) ^ (frame["town"] == "Aix") ^ (rng.random(n) < 0.1), "ill", "well")
    return frame, y


@pytest.mark.parametrize("missing", ["surrogate", "category", "majority"])
def test_sql_says_what_predict_says(missing):
    """If this fails, the exported CASE sends rows, or missing values, another way than the tree."""
    frame, y = mixed()
    number = (y == "ill") + frame["age"].fillna(0).to_numpy() / 7
    for model in (
        TreeClassifier(missing=missing, max_depth=5).fit(frame, y),
        TreeRegressor(missing=missing, max_depth=5).fit(frame, number),
    ):
        base = sqlite3.connect(":memory:")
        frame.astype({"town": object}).to_sql("t", base, index=False)
        said = [row[0] for row in base.execute(f"SELECT {model.to_sql()} FROM t")]
        base.close()
        assert said == model.predict(frame).tolist()


def times(n=400, seed=0):
    """Days, moments, booleans and ordered words, with holes, and a target that depends on them."""
    rng = np.random.default_rng(seed)
    begin = pd.Timestamp("2020-01-01")
    frame = pd.DataFrame({"day": begin + pd.to_timedelta(rng.integers(0, 300, n), "D")})
    frame["moment"] = begin + pd.to_timedelta(rng.integers(0, 400_000, n), "min")
    frame["second"] = begin + pd.to_timedelta(rng.integers(0, 9_000_000, n), "s")
    frame["ill"] = rng.random(n) < 0.5
    frame["grade"] = pd.Categorical(rng.choice(["low", "middle", "high"], n), ["low", "middle", "high"], ordered=True)
    late = frame["day"] > pd.Timestamp("2020-05-05")
    y = late ^ (frame["moment"] > pd.Timestamp("2020-06-01 09:55")) ^ frame["ill"] ^ (frame["grade"] == "low")
    frame.loc[rng.random(n) < 0.1, ["day", "moment", "grade"]] = None
    return frame, np.where(y, "yes", "no")


@pytest.mark.parametrize("seed", range(4))
def test_sql_compares_dates_with_dates_and_words_with_words(seed):
    """If this fails, the exported CASE compares a date with a day number, which no date is below."""
    frame, y = times(seed=seed)
    model = TreeClassifier(max_depth=6).fit(frame, y)
    written = model.to_sql()
    assert "'2020-" in written
    assert "FALSE" in written
    base = sqlite3.connect(":memory:")
    stored = frame.astype({"grade": object})
    stored["day"] = stored["day"].dt.date
    stored.to_sql("t", base, index=False)
    said = [row[0] for row in base.execute(f"SELECT {written} FROM t")]
    base.close()
    assert said == model.predict(frame).tolist()


def test_times_that_were_read_from_texts_are_written_as_times(tmp_path):
    """If this fails, a tree speaks of 0.875694 where the table says 21h 1m, or of 14.55 where it says 14:33."""
    rng = np.random.default_rng(0)
    hours, minutes = rng.integers(0, 24, 200), rng.integers(0, 60, 200)
    lasts = [f"{h}h {m}m" for h, m in zip(rng.integers(0, 60, 200), rng.integers(0, 60, 200))]
    frame = pd.DataFrame({"begins": [f"{h:02d}:{m:02d}" for h, m in zip(hours, minutes)], "lasts": lasts})
    frame["y"] = np.where(hours >= 15, "late", [("short", "long")[int(text.split("h")[0]) >= 30] for text in lasts])
    frame.to_csv(tmp_path / "t.csv", index=False)
    table = read(tmp_path / "t.csv")
    text = TreeClassifier(max_depth=3).fit(table.select(["begins", "lasts"]), frame["y"]).to_text()
    assert re.search(r"begins ≤ 14:\d\d:", text), text
    assert re.search(r"lasts ≤ 1 d [56] h( \d+ min)?:", text), text
    stored = pd.DataFrame({"lasts": pd.to_timedelta(frame["lasts"].str.replace("m", "min"))}).astype(object)
    text = TreeClassifier(max_depth=1).fit(stored, frame["lasts"].str.split("h").str[0].astype(int) >= 30).to_text()
    assert re.search(r"lasts ≤ 1 d [56] h( \d+ min)?:", text), text


def test_json_brings_back_the_same_tree_exactly():
    """If this fails, a saved tree predicts differently after loading."""
    frame, y = mixed(seed=1)
    models = [
        TreeClassifier(prune="cv").fit(frame, y),
        TreeClassifier(missing="category").fit(frame, y == "ill"),
        TreeRegressor(criterion="absolute_error").fit(frame, np.arange(300) / 3),
        TreeRegressor(leaf="linear", min_samples_leaf=20).fit(frame, np.arange(300) / 7),
        TreeClassifier(splits="oblique").fit(frame, y),
    ]
    for model in models:
        text = json.dumps(model.to_dict(), allow_nan=False)
        loaded = type(model).from_dict(json.loads(text))
        assert np.array_equal(loaded.predict(frame), model.predict(frame))
        assert loaded.classes_.dtype == model.classes_.dtype if hasattr(model, "classes_") else True
        assert json.dumps(loaded.to_dict(), allow_nan=False) == text
        assert loaded.to_text() == model.to_text()
    with pytest.raises(TamisError, match="not a TreeRegressor"):
        TreeRegressor.from_dict(models[0].to_dict())


def test_rules_partition_the_rows_and_merge_intervals():
    """If this fails, rules overlap, miss rows, or repeat a column."""
    rng = np.random.default_rng(2)
    X = pd.DataFrame(rng.normal(size=(200, 2)), columns=["a", "b"])
    y = ((X["a"] > 0) & (X["a"] < 1)).astype(int)
    model = TreeClassifier(max_depth=4).fit(X, y)
    rules = model.rules()
    assert sum(rule["rows"] for rule in rules) == 200
    assert sum(rule["share"] for rule in rules) == pytest.approx(1)
    covered = np.zeros(200, dtype=int)
    for rule in rules:
        inside = np.ones(200, dtype=bool)
        for words in rule["conditions"]:
            parts = words.split()
            if len(parts) == 5:
                inside &= (X[parts[2]] > float(parts[0])) & (X[parts[2]] <= float(parts[4]))
            else:
                inside &= X[parts[0]] <= float(parts[2]) if parts[1] == "≤" else X[parts[0]] > float(parts[2])
        covered += inside
        assert len({words.split()[0 if len(words.split()) == 3 else 2] for words in rule["conditions"]}) == len(
            rule["conditions"]
        )
        assert rule["purity"] == pytest.approx((y[inside] == rule["prediction"]).mean())
    assert np.all(covered == 1)


def test_text_and_drawing_show_every_node_and_escape_names():
    """If this fails, nodes are missing from the print, or a hostile name breaks the drawing."""
    frame, y = mixed(seed=3)
    frame = frame.rename(columns={"age": "<script>&"})
    model = TreeClassifier(max_depth=3).fit(frame, y)
    assert len(model.to_text().splitlines()) == model.tree_.n_nodes
    root = ET.fromstring(model.to_svg())
    boxes = [e for e in root.iter() if e.get("class") == "node"]
    assert len(boxes) == model.tree_.n_nodes
    assert "<script>" not in model.to_svg()


def test_importances_see_a_masked_twin_only_with_surrogates():
    """If this fails, a column that could replace the splitting one is never credited."""
    rng = np.random.default_rng(4)
    x = rng.normal(size=300)
    X = np.c_[x, x + 0.1 * rng.normal(size=300), rng.normal(size=300)]
    model = TreeClassifier(max_depth=1).fit(X, x > 0)
    assert model.feature_importances_.tolist() == [1, 0, 0]
    with_them = model.importances(surrogates=True)
    assert with_them[1] > 0.3
    assert with_them.sum() == pytest.approx(1)


def test_stability_tells_a_firm_root_from_a_shaky_one():
    """If this fails, stability does not measure what changes under resampling."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(150, 3))
    firm = TreeClassifier(max_depth=2).stability(X, X[:, 1] > 0, n_resamples=15)
    shaky = TreeClassifier(max_depth=2).stability(X, rng.integers(0, 2, 150), n_resamples=15)
    assert firm["root"][1] == 1
    assert firm["agreement"] > 0.95 > shaky["agreement"]
    assert shaky["root"].max() < 1
    assert firm["columns"] == ["x0", "x1", "x2"]
    number = TreeRegressor(max_depth=2).stability(X, X[:, 0], n_resamples=5)
    assert 0.8 < number["agreement"] <= 1


def test_mimic_reports_its_fidelity_on_rows_it_did_not_see():
    """If this fails, the imitation is judged on the rows it learned from."""
    rng = np.random.default_rng(6)
    X = rng.normal(size=(600, 3))
    model = SVC().fit(X, X[:, 0] * X[:, 1] > 0)
    with pytest.warns(TamisWarning, match="too little to explain it; give max_leaf_nodes above 2"):
        small = mimic(model, X, max_leaf_nodes=2)
    large = mimic(model, X, max_leaf_nodes=32)
    assert large.fidelity > 0.8 > small.fidelity
    assert large.n_held_out == 180
    forest = RandomForestRegressor(n_estimators=5, random_state=0).fit(X, X[:, 0] > 0)
    assert mimic(forest, X).fidelity > 0.9


def test_mimic_asks_a_forest_about_its_own_rows_out_of_the_bag():
    """If this fails, a tree is to follow the noise that the forest learned by heart, and its fidelity says nothing."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 5))
    flip = rng.random(1000) < 0.3
    forest = ForestClassifier(100, progress=False, random_state=0).fit(X, (X[:, 0] > 0) ^ flip)
    fresh = mimic(forest, rng.normal(size=(1000, 5))).fidelity
    assert mimic(forest, X).fidelity == pytest.approx(fresh, abs=0.06)
    with pytest.warns(TamisWarning, match="rows the model was not fitted on"):
        by_heart = mimic(forest, X.copy()).fidelity  # not known to be its rows: the user is told
    assert by_heart < 0.8 < fresh
    numbers = ForestRegressor(100, progress=False, random_state=0).fit(X, X[:, 0] + 0.5 * rng.normal(size=1000))
    assert mimic(numbers, X).fidelity > 0.9
    copied = mimic(forest, X, held_out=0.5)
    assert copied.n_held_out == 500


def test_sql_refuses_what_it_cannot_write():
    """If this fails, a wrong expression is exported silently."""
    X = np.arange(20.0)[:, None]
    with pytest.raises(ParameterError, match="linear"):
        TreeRegressor(leaf="linear").fit(X, X[:, 0]).to_sql()
