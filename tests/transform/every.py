"""All transforms, and a table on which each of them has something to do."""

import numpy as np
import pandas as pd

from tamis import transform

#: One or more of each kind; the first of a kind is its default wherever the default does something.
TRANSFORMS = [
    transform.Center(),
    transform.Standardize(),
    transform.UnitRange(),
    transform.Clip(),
    transform.Clip(2.0, floor=0.5),
    transform.Log(),
    transform.Log(1.0),
    transform.Sigmoid(0.5),
    transform.Rank(),
    transform.Rank("normal", n_values=7),
    transform.Symmetrize(0.5),
    transform.Symmetrize(1.0, tails=0.0),
    transform.Discretize(),
    transform.Discretize("count"),
    transform.Discretize("kmeans", 3),
    transform.Discretize("entropy"),
    transform.Discretize("entropy", target="numbers"),
    transform.Discretize("width", encode="intervals"),
    transform.Impute(),
    transform.Impute("median", by="city", indicator=True),
    transform.Impute("most_frequent", categories="own"),
    transform.Encode(),
    transform.Encode("ordinal", rare=0.2),
    transform.Encode("counts"),
    transform.Encode("target"),
    transform.Encode("levels", similar=2),
    transform.Normalize(),
    transform.Shares(),
    transform.Trim(),
    transform.Monomials(),
    transform.Monomials(3, most=4),
    transform.Ratios(),
    transform.Ratios(most=2),
    transform.KernelFeatures(6),
    transform.Text("city"),
    transform.Transforms("city: encode(target); x*: log, standardize; impute"),
]
TRANSFORMS += [
    getattr(transform, name)()
    for name, home in transform._HOME.items()
    if ".columnwise." in home and name not in {type(kind).__name__ for kind in TRANSFORMS}
]
SIGNALS = [
    transform.Baseline(),
    transform.Convolve([1.0, -1.0]),
    transform.Denoise(),
    transform.Derivative(),
    transform.Fourier(),
    transform.ScatterCorrection(),
    transform.Sharpen(),
    transform.Smooth(),
    transform.Wavelet(),
]


def frame(n=80, seed=0, holes=True):
    """Positive numbers, a category with a rare level, a boolean and a date; and a target of two classes."""
    rng = np.random.default_rng(seed)
    data = {f"x{j}": rng.gamma(2.0, size=n) + 0.1 for j in range(6)}
    data["city"] = rng.choice(["Bern", "Oslo", "Rome", "Ulm"], p=[0.4, 0.3, 0.2, 0.1], size=n)
    data["member"] = rng.random(n) < 0.5
    data["since"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="D")
    X = pd.DataFrame(data)
    y = (X["x0"] * X["x1"] > 3).astype(int).to_numpy()
    if holes:
        X.loc[rng.choice(n, 6, replace=False), "x2"] = np.nan
        X.loc[rng.choice(n, 4, replace=False), "city"] = None
    return X, y
