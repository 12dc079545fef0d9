"""The page "The course, item by item": every call runs, every example is there, every absence has a reason."""

import re
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.metrics.pairwise import linear_kernel

import tamis

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "concepts" / "course.md"
ROWS = [
    line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ") and "| item |" not in line
]
CALLS = sorted({call for row in ROWS for call in re.findall(r"`([^`]+)`", row.split("|", 2)[2])})


def names():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    y = X[:, 0] - X[:, 1] + 0.3 * rng.normal(size=60)
    c = (y > 0).astype(int)
    modules = {name: getattr(tamis, name) for name in dir(tamis) if not name.startswith("_")}
    for name in ("score", "transform", "project", "evaluate", "report", "metrics", "tree", "split"):
        modules[name] = __import__(f"tamis.{name}", fromlist=[name])
    data = {"X": X, "y": y, "c": c, "s": rng.normal(size=(12, 32)).cumsum(axis=1)}
    data["e"] = rng.uniform(1, 5, 60)
    table = pd.DataFrame(X, columns=list("abcd")).assign(c=np.where(c, "yes", "no"))
    texts = ["win a free phone", "lunch at noon", "free cash now", "see you at lunch"]
    images = _images()
    more = {
        "images": images,
        "table": table,
        "texts": texts,
        "LinearRegression": LinearRegression,
        "linear_kernel": linear_kernel,
    }
    return {**modules, **data, **more, "tamis": tamis}


def _images():
    """Six images of 4 × 5 pixels in a folder for each of two labels."""
    image = pytest.importorskip("PIL.Image")
    folder = Path(tempfile.mkdtemp())
    rng = np.random.default_rng(0)
    for k in range(6):
        (folder / "ab"[k % 2]).mkdir(exist_ok=True)
        image.fromarray(rng.integers(0, 256, (4, 5), dtype=np.uint8)).save(folder / "ab"[k % 2] / f"{k}.png")
    return folder


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", CALLS)
def test_every_call_of_the_page_runs(call):
    """A reader would copy a line that does not work."""
    if "Denoise" in call or "Wavelet" in call:
        pytest.importorskip("pywt")
    assert eval(call, names()) is not None


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip()[:40])
def test_every_item_has_a_call_an_example_or_a_reason(row):
    """An item of the course would be named and not be there."""
    linked = re.findall(r"\]\(([^)]+)\)", row)
    assert all((PAGE.parent / target).exists() for target in linked)
    assert "`" in row or linked or "not offered: " in row


#: What the notes have and an earlier version had not, or had otherwise, by the line of the notes: a part of
#: the call that does it now, or "not offered" where the page gives the reason.
LATER = {
    "A57 counts": 'loss="poisson"',
    "A57 rates": "exposure",
    "A57 ordinal": "cumulative_logit",
    "A57 vector of numbers": "X[:, :2]",
    "A57 vector of classes": "X[:, :2] > 0",
    "A74 clustering": '"k-means"',
    "A77 t-SNE": '"t-sne"',
    "A145 selection before a picture": "noise_heatmap.py",
    "A155 heat map": "report.heatmap",
    "A157 effective parameters": "degrees_of_freedom",
    "A157 VC dimension": "VC dimension | not offered",
    "A172 drift": "partial_fit",
    "A173 cloud": "cloud | not offered",
    "A175 groups of columns": "groups=[0, 0, 1, 1]",
    "A196 cube in cube": "cube.py",
    "A208 kernel features": "KernelFeatures",
    "A272 purity": "max_purity",
    "A273 gain of a node": "min_gain",
    "A328 rows left out": 'missing="drop"',
    "A332 logistic leaves": 'leaf="logistic"',
    "A360 leverage": "leverage_",
    "A362-371 bags and outliers": "outliers.py",
    "A383 majority": 'voting="majority"',
    "A434 autoencoders": "autoencoders, hidden units | not offered",
    "A451 null by permutation": "n_permutations=99",
    "A461 triples": "top_triples",
    "A467 squared differences": 'difference="squared"',
    "A481 hill climbing": "hill-climbing",
    "A529 units of lambda": "alpha=3 / 60",
    "A531 validation set": "cv=0.2",
    "A585 other norms": "bridge penalties is not offered",
    "A597 norm bound": 'LinearRegressor("lasso", norm_bound',
    "A622 normal prior": "prior_sd",
    "A628 Laplace prior": "prior_sd",
    "A636 kernel machine": 'loss="hinge").fit(transform.KernelFeatures',
    "A640 mixing": 'l1_ratio="cv"',
    "B77 excess risk": "excess_risk.py",
    "B91 nearly the target": "nearly_the_target.py",
    "B240 from the empty set": "k=(0, 3)",
    "C142 stumps by metrics": 'metric="f1"',
    "C384 bridge": '"bridge"',
    "C394 hinge": 'loss="hinge"',
    "C408 noise and dropped columns": "drop=0.3",
    "D11 bias and variance": "bias_variance",
    "D89 bins in a node": "n_bins=4",
    "D142 partition": "partition.py",
    "E13 texts": "transform.Text",
    "E13 images": "a folder of images",
    "E13 hidden units": "hidden units | not offered",
    "E23 images": "Smooth(shape",
    "E25 structure": "structural features | not offered",
    "E84 one over n": "ddof=0",
    "E112 own kernel": "kernel=linear_kernel",
    "E121 PCA lowers": "pca_lowers_accuracy.py",
    "E174 singular values": "singular_values_",
    "E285 documents": "documents | not offered",
    "E289 weights of ranks": "weights=[2, 1]",
    "E295 score reached": "stop_score",
    "E307 distance of a set": "jeffries_matusita",
    "E375 loss of a row": "sample_weight=e",
    "E391 sources of error": "bias_variance",
    "E405 the best strength": 'rule="min"',
}


@pytest.mark.parametrize("item", LATER)
def test_what_was_missing_is_on_the_page(item):
    """An item of the notes that was once missing would be neither there nor given a reason."""
    assert any(LATER[item] in row for row in ROWS), LATER[item]


def test_lambda_of_the_notes_is_alpha_times_rows():
    """The table of strengths would send a reader of the notes to another model."""
    given = names()
    X, y = given["X"], given["y"]
    Z, target = X - X.mean(axis=0), y - y.mean()
    ridge = np.linalg.solve(Z.T @ Z + 3 * np.eye(4), Z.T @ target)
    found = tamis.LinearRegressor("ridge", alpha=3 / 60, standardize=False).fit(X, y)
    np.testing.assert_allclose(found.coef_, ridge, rtol=1e-6)
    lasso = tamis.LinearRegressor("lasso", alpha=3 / 120, standardize=False, tol=1e-10).fit(X, y)
    slope = 2 * Z.T @ (target - Z @ lasso.coef_)  # of the sum of squares; 3 · sign(w) where w is not 0
    used = lasso.coef_ != 0
    np.testing.assert_allclose(slope[used], 3 * np.sign(lasso.coef_[used]), rtol=1e-4)


def test_squared_singular_values_are_rows_times_variances():
    """s² = n λ holds with 1/n alone."""
    X = names()["X"]
    singular = tamis.project.SVD(4).fit(X - X.mean(axis=0)).singular_values_
    np.testing.assert_allclose(singular**2, 60 * tamis.PCA(4, ddof=0).fit(X).spectrum_, rtol=1e-9)
