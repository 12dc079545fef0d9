"""Shadow selection: what matters is confirmed, noise is not."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsClassifier

from tamis import ShadowSelector
from tamis.errors import KindError, ParameterError


@pytest.fixture
def data():
    random = np.random.default_rng(0)
    X = random.normal(size=(250, 8))
    return X, (X[:, 1] + X[:, 5] + 0.5 * random.normal(size=250) > 0).astype(int)


def test_true_columns_are_confirmed_and_noise_rejected(data):
    """The selector would miss what matters, or keep what does not."""
    X, y = data
    found = ShadowSelector().fit(X, y)
    assert found.selected_ == [1, 5]
    assert set(found.verdict_[[1, 5]]) == {"confirmed"}
    assert (found.verdict_ == "rejected").sum() >= 5
    assert np.all(found.adjusted_pvalue_[[1, 5]] == 0.02)
    assert np.all(found.pvalue_ <= found.adjusted_pvalue_)
    assert np.all(found.hits_ <= found.rounds_)


def test_numbers_names_and_other_models(data):
    """Only classes, arrays and the default forest would work."""
    X, _ = data
    frame = pd.DataFrame(X, columns=list("hgfedcba"))
    target = 3 * X[:, 2] + X[:, 6]
    for model in (None, LinearRegression(), RandomForestRegressor(20, max_depth=5)):
        found = ShadowSelector(model, max_rounds=40).fit(frame, target)
        assert {"f", "b"} <= set(found.selected_)
    one, two = (
        ShadowSelector(max_rounds=40).fit(frame[names], target) for names in (list("abcdefgh"), list("hgfedcba"))
    )
    assert one.selected_ == two.selected_
    assert dict(zip("abcdefgh", one.hits_)) == dict(zip("hgfedcba", two.hits_))


def test_threads_do_not_matter(data):
    """The verdict would depend on the machine."""
    one, two = (ShadowSelector(max_rounds=10, n_jobs=jobs, keep="undecided").fit(*data) for jobs in (1, 2))
    np.testing.assert_array_equal(one.hits_, two.hits_)


def test_bad_input_gets_a_sentence(data):
    """A user would not learn the way out."""
    X, y = data
    with pytest.raises(ParameterError, match=r"alpha=1\.5"):
        ShadowSelector(alpha=1.5).fit(X, y)
    with pytest.raises(ParameterError, match="max_rounds=0"):
        ShadowSelector(max_rounds=0).fit(X, y)
    with pytest.raises(KindError, match="cannot be fitted"):
        ShadowSelector("forest").fit(X, y)
    with pytest.raises(ParameterError, match="feature_importances_"):
        ShadowSelector(KNeighborsClassifier()).fit(X, y)


def test_few_rounds_confirm_nothing_and_reject_nothing(data):
    """Nineteen shuffled targets are needed for a p-value of 0.05; with fewer every verdict would be a guess."""
    found = ShadowSelector(max_rounds=39, keep="undecided").fit(*data)
    assert set(found.verdict_) == {"undecided"}
    assert ShadowSelector(max_rounds=40).fit(*data).selected_ == [1, 5]


def _confirmed_in_noise(n_tables, start):
    wrong = 0
    for seed in range(start, start + n_tables):
        random = np.random.default_rng(seed)
        X, y = random.normal(size=(120, 10)), random.integers(0, 2, 120)
        wrong += bool(
            ShadowSelector(random_state=seed).fit(X, y if seed % 2 else random.normal(size=120)).support_.any()
        )
    return wrong


@pytest.mark.filterwarnings("ignore::tamis.errors.TamisWarning")
def test_noise_is_confirmed_in_5_percent_of_tables():
    """Rounds that redraw only shadows confirm columns in 34 of 60 tables; 8 of 60 at 5% has a probability of 0.01."""
    assert _confirmed_in_noise(60, 0) <= 7


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore::tamis.errors.TamisWarning")
def test_the_family_wise_error_is_alpha():
    """As above, of 300 tables: at most 5% and two standard errors."""
    assert _confirmed_in_noise(300, 1000) <= 300 * 0.05 + 2 * np.sqrt(300 * 0.05 * 0.95)
