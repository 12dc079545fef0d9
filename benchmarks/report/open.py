"""How long a report takes to open in headless Chromium: first paint, page ready, all charts drawn; its size.

    python benchmarks/report/open.py                    reports of the demo's table and of a wide one, made here
    python benchmarks/report/open.py study/report.html  these reports

Milliseconds since the navigation began, by the page's own clock; the least of five openings, each in a new tab. Charts
are counted as drawn when every canvas carries ink, looked at every 50 ms.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer

import tamis

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.report.browser.conftest import NAMES, Chromium, Page

OPENINGS = 5

TIMES = """(() => {
  const paint = performance.getEntriesByName("first-contentful-paint")[0];
  const page = performance.getEntriesByType("navigation")[0];
  return [paint ? paint.startTime : NaN, page.domContentLoadedEventEnd, page.loadEventEnd];
})()"""


def reports(folder: Path) -> list[Path]:
    """The demo's table, and 60 rows of 6,000 columns."""
    rng = np.random.default_rng(0)
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    wide = pd.DataFrame(rng.normal(size=(60, 6000)), columns=[f"g{j}" for j in range(6000)])
    tables = {
        "569 x 30": X.assign(target=y.astype(str)),
        "60 x 6000": wide.assign(target=np.where(wide["g0"] + wide["g1"] > 0, "yes", "no")),
    }
    for name, frame in tables.items():
        tamis.Study(frame, target="target", folder=folder / name).run()
    return [folder / name / "report.html" for name in tables]


def opened(browser: Chromium, path: Path) -> list[float]:
    """First paint, content loaded, page loaded, all charts drawn."""
    page = Page(browser, path.resolve().as_uri(), width=1400)
    times = page.run(TIMES)
    page.drawn()
    found = [*times, page.run("performance.now()")]
    page.close()
    return found


def main() -> None:
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as place:
        given = [Path(name) for name in sys.argv[1:]] or reports(Path(place))
        binary = next(found for name in NAMES if (found := shutil.which(name)))
        browser = Chromium(binary, Path(place) / "profile")
        try:
            for path in given:
                best = np.min([opened(browser, path) for _ in range(OPENINGS)], axis=0)
                words = ("first paint", "content", "loaded", "charts drawn")
                print(
                    f"{path.parent.name}: {path.stat().st_size / 1e6:.2f} MB;",
                    ", ".join(f"{word} {ms:.0f} ms" for word, ms in zip(words, best)),
                )
        finally:
            browser.close()


if __name__ == "__main__":
    main()
