"""A lasso path with its cross-validated error: writes path.svg beside this file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from sklearn.datasets import load_diabetes

from tamis import LinearRegressor

COLOURS = ["#1b6ca8", "#c0392b", "#27864b", "#8e5ea2", "#d68910", "#117a65", "#7b241c", "#34495e", "#b03a8c", "#5d6d1e"]


def draw(path, names, chosen) -> str:
    """Coefficients against the logarithm of the strength, as one SVG."""
    x = -np.log10(path.alphas)
    x = 40 + 520 * (x - x[0]) / (x[-1] - x[0])
    low, high = path.coef.min(), path.coef.max()
    lines = []
    for j, name in enumerate(names):
        y = 280 - 260 * (path.coef[:, j, 0] - low) / (high - low)
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y))
        lines.append(f'<polyline points="{points}" fill="none" stroke="{COLOURS[j]}" stroke-width="1.5"/>')
        lines.append(f'<text x="566" y="{y[-1]:.1f}" font-size="10" fill="{COLOURS[j]}">{name}</text>')
    at = x[int(np.argmin(np.abs(path.alphas - chosen)))]
    lines.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="10" y2="290" stroke="#888" stroke-dasharray="4 3"/>')
    lines.append(
        '<text x="40" y="306" font-size="11">strong penalty</text><text x="500" y="306" font-size="11">weak</text>'
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 620 312" font-family="sans-serif">'
        + "".join(lines)
        + "</svg>"
    )


if __name__ == "__main__":
    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    model = LinearRegressor().fit(X, y)
    print(model.to_text())
    picture = Path(__file__).with_suffix(".svg")
    picture.write_text(draw(model.path_, X.columns, model.alpha_))
    print(f"picture: {picture}")
