"""Bias, variance and noise: closed forms of least squares, identities of both losses, replicates."""

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeRegressor

import tamis
from tamis.errors import ParameterError
from tamis.evaluate import bias_variance, bias_variance_figure

RNG = np.random.default_rng(0)
N, SIGMA = 40, 1.5
X = RNG.normal(size=(N, 3))
F = X @ [1.0, 2.0, -1.0]
Y = F + SIGMA * RNG.normal(size=N)


def draw(rng):
    return X, F + SIGMA * rng.normal(size=N)


def test_least_squares_has_no_bias_and_the_variance_of_its_hat_matrix():
    """At fixed rows the mean variance of p + 1 coefficients is σ² (p + 1) / n, the bias 0."""
    parts = bias_variance(LinearRegression(), X, Y, draw=draw, truth=F, noise=SIGMA**2, n_resamples=1500)
    assert parts.variance == pytest.approx(SIGMA**2 * 4 / N, rel=0.1)
    assert abs(parts.bias) < 0.003
    assert parts.loss == pytest.approx(parts.bias + parts.variance + parts.noise)
    assert parts.noise == SIGMA**2


def test_ridge_trades_variance_for_the_bias_of_its_formula():
    """Bias and variance of ridge would not be those of H f - f and σ² tr(HHᵀ)/n."""
    alpha = 20.0
    H = X @ np.linalg.solve(X.T @ X + alpha * np.eye(3), X.T)
    ridge = Ridge(alpha, fit_intercept=False)
    parts = bias_variance(ridge, X, Y, draw=draw, truth=F, noise=SIGMA**2, n_resamples=1500)
    assert parts.bias == pytest.approx(((H @ F - F) ** 2).mean(), rel=0.1)
    assert parts.variance == pytest.approx(SIGMA**2 * np.trace(H @ H.T) / N, rel=0.1)


def test_the_parts_of_squared_error_add_up_by_bootstrap():
    """The loss would not be the sum of its parts, or a row be predicted by a fit that saw it."""
    parts = bias_variance(DecisionTreeRegressor(random_state=0), X, Y, n_resamples=60)
    assert parts.loss == pytest.approx(parts.bias + parts.variance + parts.noise)
    assert parts.noise == 0
    assert parts.noise_source == "unknown"
    assert parts.loss > 0.5  # a full tree has no error on rows it saw
    again = bias_variance(DecisionTreeRegressor(random_state=0), X, Y, n_resamples=60, n_jobs=2)
    assert again.loss == parts.loss


def test_noise_from_replicates_is_the_pure_error():
    """Rows of equal features tell the noise without a model."""
    rng = np.random.default_rng(1)
    levels = np.repeat(np.arange(30.0), 20)
    y = np.sin(levels) + 0.7 * rng.normal(size=600)
    parts = bias_variance(DummyRegressor(), levels[:, None], y, n_resamples=30)
    assert parts.noise_source == "replicates"
    assert parts.noise == pytest.approx(0.49, rel=0.1)
    assert parts.bias == pytest.approx(np.var(np.sin(np.arange(30.0))), rel=0.15)


def test_zero_one_loss_is_bias_and_net_variance():
    """For any number of classes, without noise, loss = bias + net variance (Domingos)."""
    for n_classes in (2, 3):
        y = np.digitize(Y, np.quantile(Y, np.arange(1, n_classes) / n_classes)).astype(str)
        parts = bias_variance(KNeighborsClassifier(1), X, y, n_resamples=50)
        assert parts.of_classes
        assert parts.loss == pytest.approx(parts.bias + parts.net_variance)
        assert parts.variance >= parts.net_variance


def test_a_constant_answer_has_no_variance_and_noise_is_known_from_the_truth():
    """A model that always says the same class has bias only; flipped labels are noise."""
    y = np.array([0] * 30 + [1] * 10)
    parts = bias_variance(DummyClassifier(strategy="constant", constant=0), X, y, n_resamples=30)
    assert (parts.variance, parts.bias, parts.loss) == (0, 0.25, 0.25)
    truth = np.zeros(N, dtype=int)
    parts = bias_variance(DummyClassifier(strategy="constant", constant=0), X, y, truth=truth, n_resamples=30)
    assert (parts.bias, parts.noise, parts.loss) == (0, 0.25, 0.25)
    # two classes: loss = (2 P(f = y*) - 1) N + B + (1 - 2 B) V row by row
    parts = bias_variance(KNeighborsClassifier(1), X, y, truth=truth, n_resamples=30)
    rows = parts.rows
    right = 1 - np.where(rows["bias"] == 1, 1 - rows["variance"], rows["variance"])
    formula = (2 * right - 1) * rows["noise"] + rows["bias"] + (1 - 2 * rows["bias"]) * rows["variance"]
    assert np.allclose(rows["loss"], formula)


def test_mixed_frames_with_holes_are_taken():
    """A frame of words and missing values would be refused."""
    frame = pd.DataFrame(X, columns=list("abc")).assign(d=np.where(X[:, 0] > 0, "u", "v"))
    frame.loc[::5, "a"] = np.nan
    parts = bias_variance(tamis.TreeRegressor(max_depth=2), frame, Y, n_resamples=20)
    assert parts.loss == pytest.approx(parts.bias + parts.variance)


def test_figures_against_a_size_and_for_names():
    """Sizes would not be an axis, or a part be missing from the bars."""
    shallow, deep = (bias_variance(DecisionTreeRegressor(max_depth=d), X, Y, n_resamples=20) for d in (1, 6))
    assert shallow.variance < deep.variance
    lines = bias_variance_figure({1: shallow, 6: deep}, label="depth")
    assert [item.label.value for item in lines.legend[0].items] == ["loss", "bias", "variance"]
    bars = bias_variance_figure({"stump": shallow, "tree": deep})
    assert bars.x_range.factors == ["stump", "tree"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"n_resamples": 1}, "n_resamples=1"),
        ({"noise": -1.0}, "noise=-1.0 must be a variance"),
        ({"truth": [1.0]}, r"truth has shape \(1,\), but there are 40 rows"),
        ({"draw": lambda rng: X}, "draw gave ndarray instead of a pair"),
    ],
)
def test_bad_input_gets_a_sentence(options, sentence):
    """The user would not be told what to change."""
    with pytest.raises(ParameterError, match=sentence):
        bias_variance(LinearRegression(), X, Y, **options)
    with pytest.raises(ParameterError, match="noise is for numbers"):
        bias_variance(DummyClassifier(), X, Y > 0, noise=0.1)
