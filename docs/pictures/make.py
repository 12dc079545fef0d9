"""Makes the pictures of the documentation anew: `python docs/pictures/make.py`, in the folder of Tamis.

Charts of the concept pages are those of the gallery's examples, drawn without a browser. Pictures of reports and of the
page need Chromium: the tests that walk through the page write them, and headless Chromium the reports.
"""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import bokeh.plotting

HERE = Path(__file__).parent
ROOT = HERE.parents[1]

#: Examples whose first figure stands on a page of the documentation.
CHARTS = {"folds": "Five folds", "confusion": "Two confusion matrices", "bias_variance": "Bias and variance"}

#: Studies whose report is shown: the words of the command, and what is run before.
REPORTS = {
    "report": (["demo", "--folder"], None),
    "report-clinic": (
        [
            "run",
            "clean.csv",
            "--target",
            "outcome",
            "--types",
            "stage=ordinal(I<II<III<IV)",
            "--drop",
            "fee",
            "--folder",
        ],
        "sed 's/;-999;/;;/' {root}/docs/tutorial/clinic.csv > clean.csv",
    ),
}


def chart(name: str) -> str:
    """The first figure of an example of the gallery, as SVG."""
    from tamis.report.figures import chart_picture

    shown: list[object] = []
    usual, bokeh.plotting.show = bokeh.plotting.show, shown.append
    try:
        runpy.run_path(str(ROOT / "examples" / "evaluate" / f"{name}.py"))
    finally:
        bokeh.plotting.show = usual
    return chart_picture(shown[0], CHARTS[name]).svg()


def reports(browser: str) -> None:
    """The first screen of each report."""
    for name, (words, before) in REPORTS.items():
        with tempfile.TemporaryDirectory() as folder:
            if before:
                subprocess.run(["bash", "-euc", before.format(root=ROOT)], cwd=folder, check=True)
            subprocess.run([sys.executable, "-m", "tamis", *words, "study"], cwd=folder, check=True)
            picture = ["--window-size=1120,1060", "--virtual-time-budget=5000", f"--screenshot={HERE / name}.png"]
            flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", *picture]
            subprocess.run([browser, *flags, f"file://{folder}/study/report.html"], check=True, capture_output=True)


def pages() -> None:
    """The pages of the app, written by the test that follows their tutorial."""
    test = [sys.executable, "-m", "pytest", "-q", "tests/walks/test_app_tutorial.py"]
    subprocess.run(test, cwd=ROOT, env=os.environ | {"TAMIS_ALBUM": str(HERE)}, check=True)


def smaller(path: Path) -> None:
    """Few colours, and a third of the bytes; of the start page what stands above the name of a folder."""
    from PIL import Image

    picture = Image.open(path).convert("RGB")
    if path.stem == "app-start":
        picture = picture.crop((0, 0, picture.width, 620))
    picture.quantize(128).save(path, optimize=True)


def main() -> None:
    """Write every picture beside this script."""
    for name in CHARTS:
        (HERE / f"{name}.svg").write_text(chart(name), encoding="utf-8")
    browser = next(
        (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
    )
    if browser is None:
        print("no Chromium: pictures of reports and of the page stay as they are")
        return
    reports(browser)
    pages()
    for path in HERE.glob("*.png"):
        smaller(path)


if __name__ == "__main__":
    main()
