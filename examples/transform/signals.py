"""Spectra whose background hides what is asked for: honest scores with and without correction, and pictures.

120 spectra of 300 positions. The height of one peak is the target; every spectrum lies on a smooth background of its
own that is up to ten times as high, and has noise. No single position tells the height, and a lasso finds little.
Asymmetric least squares takes the background away and a local polynomial the noise; then one column is enough.

Run: python examples/transform/signals.py [out.html]
"""

from __future__ import annotations

import sys

import numpy as np
from bokeh.layouts import column
from bokeh.plotting import output_file, save
from bokeh.resources import INLINE
from sklearn.pipeline import make_pipeline

import tamis
from tamis.transform.signals import Baseline, Derivative, Smooth
from tamis.transform.signals.picture import before_and_after


def spectra(rows: int = 120, positions: int = 300, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Spectra, and the height of the peak at position 120."""
    rng = np.random.default_rng(seed)
    t = np.arange(positions) / positions

    def peak(place: float | np.ndarray, width: float | np.ndarray = 0.015) -> np.ndarray:
        return np.exp(-(((t - place) / width) ** 2))

    height = rng.uniform(0, 1, rows)
    bumps = rng.uniform(-0.2, 1.2, (4, rows, 1)), rng.uniform(0.2, 0.6, (4, rows, 1))
    background = (10 * rng.uniform(0, 1, (4, rows, 1)) * peak(*bumps)).sum(axis=0)
    others = sum(rng.uniform(0, 2, (rows, 1)) * peak(place) for place in (0.15, 0.34, 0.62, 0.8))
    return background + others + height[:, None] * peak(0.4) + 0.15 * rng.normal(size=(rows, positions)), height


def main() -> None:
    """Score procedures on the same folds, and draw what the transforms do to a spectrum."""
    X, y = spectra()
    baseline, smooth, slope = Baseline(lam=1e3), Smooth(window=9), Derivative(window=15)
    steps = {"as they are": [], "first derivative": [slope], "baseline removed, smoothed": [baseline, smooth]}
    models = {
        "lasso": tamis.LinearRegressor(),
        "the best single column": tamis.LinearRegressor(penalty="subset", k=1),
    }
    found = {}
    print("R² on rows the whole procedure, transforms included, never saw")
    for model, estimator in models.items():
        for name, before in steps.items():
            procedure = make_pipeline(*before, estimator)
            found[model, name] = tamis.nested_score(procedure, X, y, scoring="r2", outer=5).mean
            print(f"  {model:<24}{name:<28}{found[model, name]:5.2f}")
    assert found["the best single column", "baseline removed, smoothed"] > 0.8 > 0.2 > found["lasso", "as they are"]

    corrected = baseline.fit_transform(X)
    pictures = [
        before_and_after(baseline, X, row=3),
        before_and_after(smooth.fit(corrected), corrected, row=3),
        before_and_after(slope.fit(X), X, row=3),
    ]
    place = sys.argv[1] if len(sys.argv) > 1 else "signals.html"
    output_file(place, title="Signals before and after", mode="inline")
    save(column(*pictures), resources=INLINE)
    print(f"pictures in {place}")


if __name__ == "__main__":
    main()
