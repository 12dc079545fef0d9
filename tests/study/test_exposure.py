"""Counts with exposures: models of rates are those of counts with the offset log exposure, in studies and outside."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.special import xlogy
from sklearn.neighbors import KNeighborsRegressor
from typer.testing import CliRunner

import tamis
from tamis.additive import AdditiveRegressor
from tamis.boosting import BoostingRegressor
from tamis.cli import app
from tamis.errors import TamisError
from tamis.forest import ForestRegressor
from tamis.linear import LinearRegressor
from tamis.report.reproduce import command as command_of
from tamis.search import MirrorSelector
from tamis.study.fold import outer_folds
from tamis.study.procedures.knn import NearestRates
from tamis.tree import TreeRegressor

FEW = {"folds": 3, "repeats": 1, "inner": 3}


def claims(seed: int = 0, n: int = 240, signal: float = 1.0) -> pd.DataFrame:
    """Claims of drivers that were insured for different times; older ones for longer."""
    rng = np.random.default_rng(seed)
    age = rng.uniform(20, 70, n).round(1)
    region = rng.choice(["north", "south", "west"], n)
    years = (0.03 * (age - 20) + rng.uniform(0.1, 1.0, n)).round(3)
    rate = np.exp(0.5 + signal * (0.05 * (45 - age) - 0.6 * (region == "south")))
    columns = {"age": age, "noise": rng.normal(size=n).round(3), "region": region, "years": years}
    return pd.DataFrame(columns | {"claims": rng.poisson(rate * years)})


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> tamis.Study:
    folder = tmp_path_factory.mktemp("exposure")
    claims().to_csv(folder / "claims.csv", index=False)
    made = tamis.Study(folder / "claims.csv", target="claims", exposure="years", folder=folder / "study", **FEW)
    return made.run()


def rates() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    table = claims()
    X = np.column_stack([table["age"], table["region"] == "south", table["noise"]])
    return X, table["claims"].to_numpy(float), table["years"].to_numpy()


@pytest.mark.parametrize(("penalty", "alpha"), [(None, 0.0), ("lasso", 0.05), ("ridge", 0.2), ("elastic-net", 0.1)])
def test_rates_with_weights_are_counts_with_an_offset(penalty: str | None, alpha: float) -> None:
    """If this fails, a study of rates does not fit the Poisson model with the offset log exposure.

    The mean loss is per unit of exposure there and per row here, and so is the strength.
    """
    X, y, e = rates()
    settings = {"loss": "poisson", "standardize": False, "tol": 1e-10}
    offset = LinearRegressor(penalty, alpha=alpha, **settings).fit(X, y, offset=np.log(e))
    rate = LinearRegressor(penalty, alpha=alpha * len(y) / e.sum(), **settings).fit(X, y / e, sample_weight=e)
    np.testing.assert_allclose(rate.coef_, offset.coef_, rtol=1e-5, atol=1e-7)
    assert rate.intercept_ == pytest.approx(offset.intercept_, rel=1e-5)


def test_a_poisson_tree_of_rates_splits_where_the_deviance_of_counts_falls_most() -> None:
    """If this fails, trees of rates are not those of the Poisson model with exposures."""
    X, y, e = rates()

    def deviance(rows: np.ndarray) -> float:
        mean = e[rows] * (y[rows].sum() / e[rows].sum())
        return float(
            2
            * (
                xlogy(y[rows], y[rows])
                - y[rows] * np.log(max(mean.sum(), 1e-300) / e[rows].sum())
                - xlogy(y[rows], e[rows])
                - y[rows]
                + mean
            ).sum()
        )

    best = min(
        (deviance(left) + deviance(~left), j, cut)
        for j in range(3)
        for cut in np.unique(X[:, j])[:-1]
        if (left := X[:, j] <= cut).any()
    )
    tree = TreeRegressor(criterion="poisson", max_depth=1).fit(X, y / e, sample_weight=e)
    left = X[:, best[1]] <= best[2]
    expected = np.where(left, y[left].sum() / e[left].sum(), y[~left].sum() / e[~left].sum())
    np.testing.assert_allclose(tree.predict(X), expected, rtol=1e-10)


@pytest.mark.parametrize(
    ("model", "tolerance"),
    [
        (ForestRegressor(20, criterion="poisson", bootstrap=False, random_state=0), 1e-9),
        (BoostingRegressor(300, loss="poisson", learning_rate=0.3, random_state=0), 1e-6),
        (AdditiveRegressor(loss="poisson", random_state=0), 0.03),
    ],
)
def test_each_group_has_its_counts_over_its_exposure(model: object, tolerance: float) -> None:
    """If this fails, long exposures count as much as short ones: the mean of rates is not the rate of the group."""
    _, y, e = rates()
    group = np.repeat([0, 1], len(y) // 2)
    rate = model.fit(group[:, None], y / e, sample_weight=e).predict(np.array([[0], [1]]))
    expected = [y[group == k].sum() / e[group == k].sum() for k in (0, 1)]
    np.testing.assert_allclose(rate, expected, rtol=tolerance)


def test_the_score_is_the_deviance_of_counts_and_the_baseline_one_rate(study: tamis.Study) -> None:
    """If this fails, scores do not compare counts with the rate times the exposure."""
    table, kept = claims(), study.results_["predictions"]
    rows, expected = np.array(kept["rows"]), np.array(kept["answers"])
    y = table["claims"].to_numpy()[rows]
    assert kept["truth"] == y.tolist()
    scores = []
    for fold in outer_folds(study.problem, 3, 1, seed=0):
        rows, learned = study.problem.rows[fold.test], study.problem.rows[fold.train]
        rate = table["claims"][learned].sum() / table["years"][learned].sum()
        scores.append(tamis.metrics.score("poisson_deviance", table["claims"][rows], rate * table["years"][rows]))
    assert study.results_["answer"]["baseline"] == pytest.approx(np.mean(scores))
    assert tamis.metrics.score("poisson_deviance", y, expected) < np.mean(scores)
    assert "r2" not in study.results_["comparison"]["procedures"][1]["metrics"]


def test_the_answer_says_per_unit(study: tamis.Study) -> None:
    """If this fails, a reader takes a rate for a count."""
    assert "claims per unit of years" in study.answer_
    assert "always guessing the mean rate" in study.answer_
    assert "years" not in study.selected_
    assert "rate per unit of 'years'" in study.cite()
    page = (study.folder / "report.html").read_text()
    assert "claims per unit of years" in page
    command = command_of({"source": "c.csv", "settings": {"target": "claims", "exposure": "years"}})
    assert command == "tamis run c.csv --target claims --seed 0 --exposure years"


def test_predictions_are_rates_and_expected_counts_where_the_exposure_is_known(study: tamis.Study) -> None:
    """If this fails, a rate is written as a count, or the count of another exposure."""
    table = claims(seed=1, n=5)
    loaded = tamis.load(study.folder)
    rate = loaded.predict(table.drop(columns=["years", "claims"]))
    np.testing.assert_array_equal(rate, study.predict(table))
    assert loaded.score(table, table["claims"]) < 1
    header, *lines = loaded.predictions_csv(table).splitlines()
    assert header.split(",")[1:3] == ["claims per unit of years", "expected claims"]
    cells = np.array([[float(cell) for cell in line.split(",")[1:3]] for line in lines])
    np.testing.assert_allclose(cells[:, 0], rate)
    np.testing.assert_allclose(cells[:, 1], rate * table["years"])
    assert "no intervals" in loaded.remarks_[0]
    assert "expected" not in loaded.predictions_csv(table.drop(columns="years")).splitlines()[0]
    longer = table.assign(years=[1.0, 2.0, 0.0, 1.0, 1.0])
    with pytest.raises(TamisError, match=r"exposure='years' has 0 in row 3, but every row needs a number above 0"):
        loaded.predictions_csv(longer)


def test_the_command_predicts_several_files(study: tamis.Study, tmp_path) -> None:
    """If this fails, a table in parts is predicted without its exposure."""
    table = claims(seed=2, n=30)
    for part in range(2):
        table[15 * part : 15 * part + 15].to_csv(tmp_path / f"part{part}.csv", index=False)
    shown = CliRunner().invoke(app, ["predict", str(study.folder), str(tmp_path / "part*.csv")])
    assert shown.exit_code == 0, shown.output
    lines = [line for line in shown.stdout.splitlines() if line.count(",") >= 4]
    assert lines[0].startswith("row,claims per unit of years,expected claims")
    assert float(lines[-1].split(",")[2]) == pytest.approx(study.predict(table)[-1] * table["years"].iloc[-1])


def test_opening_and_validating_compare_counts(study: tamis.Study, tmp_path) -> None:
    """If this fails, locked or new rows are judged as if each had been observed for one unit."""
    opened = study.open()
    locked = claims().iloc[study.locked_rows_]
    expected = study.predict(locked) * locked["years"]
    assert opened["score"] == pytest.approx(tamis.metrics.score("poisson_deviance", locked["claims"], expected))
    table = claims(seed=3)
    judged = study.validate(table)
    expected = study.predict(table) * table["years"]
    assert judged["score"] == pytest.approx(tamis.metrics.score("poisson_deviance", table["claims"], expected))
    with pytest.raises(TamisError, match="there is no column 'years'"):
        study.validate(table.drop(columns="years"))
    with pytest.raises(TamisError, match="recalibrate is not for rates"):
        study.validate(table, recalibrate="slope", name="moved")


def test_the_model_keeps_the_exposure_and_exports_rates(study: tamis.Study) -> None:
    """If this fails, a model elsewhere gives counts without saying of which exposure."""
    assert json.loads((study.folder / "model.json").read_text())["exposure"] == "years"
    text = study.export("python")
    assert text.startswith("# claims per unit of years, predicted by")
    scope: dict[str, object] = {}
    exec(text, scope)
    row = claims().iloc[0]
    assert scope["predict"](dict(row)) == pytest.approx(study.predict(claims()[:1])[0])
    assert "claims per unit of years" in study.export("sql")


@pytest.mark.parametrize(
    ("changed", "settings", "message"),
    [
        ({"years": 0.0}, {}, r"exposure='years' has 0 in row 5, but every row needs a number above 0; drop the row"),
        ({"years": -1.0}, {}, r"exposure='years' has -1 in row 5"),
        ({"years": None}, {}, r"exposure='years' has no value in row 5"),
        ({"claims": 1.5}, {}, r"the target 'claims' holds 1.5"),
        ({}, {"exposure": "yeers"}, r"there is no column 'yeers' \(did you mean 'years'"),
        ({}, {"exposure": "region"}, r"column 'region' cannot be numeric: row 1 holds"),
        ({}, {"exposure": "claims"}, r"exposure='claims' is the target itself"),
        ({}, {"task": "regression"}, r"exposure='years' is for counts, but task='regression'"),
        ({}, {"scoring": "r2"}, r"scoring='r2' would credit the model with what the exposure explains"),
        ({}, {"drop": ["years"]}, r"exposure and drop both name 'years'"),
        ({}, {"procedures": {"mine": KNeighborsRegressor()}}, r"the procedure 'mine' takes no exposure"),
    ],
)
def test_bad_exposures_get_one_sentence(changed, settings, message, tmp_path) -> None:
    """If this fails, an exposure that is none ends in a wrong rate or in somebody else's error."""
    table = claims(n=60).astype({"claims": float})
    for name, value in changed.items():
        table.loc[4, name] = value
    with pytest.raises(TamisError, match=message):
        tamis.Study(table, target="claims", **{"exposure": "years", "folder": tmp_path / "s", **FEW, **settings}).run()


def test_a_column_that_goes_with_the_exposure_alone_is_no_signal(tmp_path) -> None:
    """If this fails, long exposures are taken for high rates: age goes with years here, and with no rate."""
    claimed = 0
    for seed in range(6):
        table = claims(seed=100 + seed, n=150, signal=0.0)
        done = tamis.Study(table, target="claims", exposure="years", folder=tmp_path / str(seed), **FEW).run()
        claimed += done.results_["answer"]["signal"] != "none"
        without = tamis.Study(table, target="claims", folder=tmp_path / f"{seed} without", task="count", **FEW)
        assert seed or without.run().results_["answer"]["signal"] == "captured"
    assert claimed <= 1


def test_black_boxes_and_wide_tables_take_exposures(tmp_path) -> None:
    """If this fails, prefer='best', named procedures or panels end in an error of weights."""
    table = claims(n=60)
    wide = table.join(
        pd.DataFrame(np.random.default_rng(0).normal(size=(60, 90)), columns=[f"g{j}" for j in range(90)])
    )
    done = tamis.Study(wide, target="claims", exposure="years", folder=tmp_path / "wide", **FEW).run()
    assert "panel" in str(done.results_["answer"]["tried"])
    best = tamis.Study(table, target="claims", exposure="years", prefer="best", folder=tmp_path / "best", **FEW).run()
    assert best.results_["answer"]["procedure"] != "forest"
    names = ["lasso", "ridge", "tree", "boosting", "stump"]
    named = tamis.Study(table, target="claims", exposure="years", procedures=names, folder=tmp_path / "n", **FEW).run()
    assert named.results_["answer"]["score"] > 0


@pytest.mark.parametrize("name", ["knn", "forest"])
def test_neighbours_and_the_sifted_forest_take_exposures(name, tmp_path) -> None:
    """If this fails, a short exposure counts as much as a long one, or the procedure is refused."""
    settings = {"target": "claims", "exposure": "years", "procedures": [name], **FEW}
    done = tamis.Study(claims(n=150), folder=tmp_path / "s", **settings).run()
    assert done.results_["answer"]["score"] < done.results_["answer"]["baseline"]
    new = claims(seed=9, n=400)
    rate = done.predict(new)
    truth = np.exp(0.5 + 0.05 * (45 - new["age"]) - 0.6 * (new["region"] == "south"))
    assert np.corrcoef(np.log(rate + 0.1), np.log(truth))[0, 1] > 0.6
    if name == "forest":  # models that are not of Tamis alone are not kept
        np.testing.assert_array_equal(tamis.load(tmp_path / "s").predict(new), rate)


def test_rates_of_neighbours_are_counts_over_exposures() -> None:
    """If this fails, rates of neighbours are averaged as they are: a short observation weighs as much as a long one."""
    X, y, e = np.array([[0.0], [2.0], [9.0]]), np.array([3.0, 0.5, 7.0]), np.array([1.0, 4.0, 2.0])
    model = NearestRates((2,), cv=[(np.array([0, 1]), np.array([2]))]).fit(X, y, exposure=e)
    np.testing.assert_allclose(model.predict([[1.0]]), [(3.0 + 2.0) / (1.0 + 4.0)])
    np.testing.assert_allclose(model.predict([[0.5]]), [(3.0 / 0.5 + 2.0 / 1.5) / (1.0 / 0.5 + 4.0 / 1.5)])


def test_a_sifted_forest_counts_rows_by_their_exposure() -> None:
    """If this fails, exposures do not reach the forest that predicts, or the halves that judge columns."""
    rng = np.random.default_rng(0)
    X, e = rng.normal(size=(200, 25)), rng.uniform(0.1, 4, 200)
    y = rng.poisson(e * np.exp(0.8 * X[:, 3])) / e
    forest = ForestRegressor(40, criterion="poisson", random_state=0)
    fixed = {"leaves": 5, "features": 1, "halvings": "auto"}
    sifted = MirrorSelector(forest, **fixed).fit(X, y, exposure=e)
    assert "x3" in sifted.selected_columns_
    j = [int(name[1:]) for name in sifted.selected_columns_]
    again = ForestRegressor(40, criterion="poisson", min_samples_leaf=5, max_features=0.7, random_state=0)
    np.testing.assert_array_equal(sifted.predict(X), again.fit(X[:, j], y, e).predict(X[:, j]))
    assert not np.array_equal(MirrorSelector(forest, **fixed).fit(X, y).predict(X), sifted.predict(X))
    with pytest.raises(TamisError, match="exposure is for rates"):
        MirrorSelector().fit(X, y > 1, exposure=e)


def test_two_counts_share_an_exposure(tmp_path) -> None:
    """If this fails, a study of several counts ignores their exposure."""
    table = claims(n=80).assign(visits=lambda t: np.random.default_rng(5).poisson(3 * t["years"]))
    both = tamis.Study(table, target=["claims", "visits"], exposure="years", folder=tmp_path / "two", **FEW).run()
    assert "claims per unit of years" in both.studies["claims"].answer_
    assert "years" not in both.studies["visits"].selected_
