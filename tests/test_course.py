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
NO_CALLS = {'VotingClassifier(voting="hard")'}  # of another library


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
@pytest.mark.parametrize("call", [call for call in CALLS if call not in NO_CALLS])
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
