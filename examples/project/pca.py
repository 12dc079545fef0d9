"""Digits of 64 pixels in a few components: the spectrum, the rows, the odd ones.

Draws pca.html beside this file.
"""

from pathlib import Path

import numpy as np
from bokeh.layouts import column
from bokeh.plotting import output_file, save
from sklearn.datasets import load_digits

from tamis import PCA
from tamis.project.pictures import loadings_figure, scores_figure, spectrum_figure


def main(folder: Path = Path(__file__).parent) -> Path:
    X, y = load_digits(return_X_y=True, as_frame=True)
    few = X.loc[y < 4]
    classes = y[y < 4].astype(str).to_numpy()
    pca = PCA(0.8).fit(few)
    print(f"{pca.n_components_} components hold {pca.explained_variance_ratio_.sum():.0%} of {few.shape[1]} pixels")
    print("first component:", ", ".join(pca.carriers(0.5)[0]))
    back = pca.inverse_transform(pca.transform(few))
    lost = float(((few - back) ** 2).sum().sum() / ((few - few.mean()) ** 2).sum().sum())
    assert lost < 0.2
    inked = few.iloc[:1].copy()
    inked.iloc[0, 0] = 16.0  # ink in a corner that no digit touches
    assert pca.anomaly_score(inked)[0] > pca.anomaly_score(few.iloc[:1])[0]
    assert pca.anomaly_columns(inked)[0][0] == X.columns[0]
    inner = few.loc[:, few.var() > 5]  # pixels that are often inked
    holed = inner.mask(np.random.default_rng(0).random(inner.shape) < 0.2)
    first, again = PCA(1).fit(inner), PCA(1).fit(holed)
    turned = float(np.degrees(np.arccos(np.abs(again.components_[0] @ first.components_[0]))))
    print(f"a fifth of the pixels missing: the first component is turned by {turned:.1f}°")
    assert turned < 5
    path = folder / "pca.html"
    output_file(path, title="Digits in a few components")
    save(column(spectrum_figure(pca), scores_figure(pca, few, classes), loadings_figure(pca)))
    return path


if __name__ == "__main__":
    print(main())
