"""PCA of tables with missing values beside what Python has for it: time, and the angle to the components without holes.

Rivals: ppca, pyppca, nipals, statsmodels (fill-em), wpca; those that are absent, or fail with the libraries installed,
are named.
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
from scipy.linalg import subspace_angles
from timing import by_turns, exponent, show

from tamis import PCA


def table(n: int, p: int, k: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    load = np.linalg.qr(rng.normal(size=(p, k)))[0].T
    X = rng.normal(size=(n, k)) * np.linspace(5, 2, k) @ load + 0.3 * rng.normal(size=(n, p)) + 7
    return X, np.where(rng.random(X.shape) < 0.2, np.nan, X)


def _tamis(X, k):
    return PCA(k).fit(X).components_


def _ppca(X, k):
    from ppca import PPCA

    model = PPCA()
    model.fit(X.copy(), d=k)
    return (model.C * model.stds[:, None]).T  # it standardises: back to the units of the columns


def _pyppca(X, k):
    from pyppca import ppca

    return ppca(X.copy(), k, False)[0].T


def _nipals(X, k):
    from nipals import nipals

    model = nipals.Nipals(pd.DataFrame(X))
    model.fit(ncomp=k, center=True, scale=False, maxiter=500)
    return model.loadings.to_numpy().T


def _statsmodels(X, k):
    from statsmodels.multivariate.pca import PCA as Model

    return np.asarray(Model(X, ncomp=k, standardize=False, missing="fill-em").eigenvecs)[:, :k].T


def _wpca(X, k):
    from wpca import EMPCA

    return EMPCA(k).fit(np.nan_to_num(X), weights=(~np.isnan(X)).astype(float)).components_


RIVALS = {
    "tamis": _tamis,
    "ppca": _ppca,
    "pyppca": _pyppca,
    "nipals": _nipals,
    "statsmodels, fill-em": _statsmodels,
    "wpca, EMPCA": _wpca,
}


def compare(n: int, p: int, k: int) -> None:
    X, holed = table(n, p, k)
    expected = PCA(k).fit(X).components_
    jobs, notes = {}, {}
    for name, function in RIVALS.items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                angle = np.degrees(subspace_angles(function(holed, k).T, expected.T)).max()
        except Exception as error:  # whatever stops a rival is said, not hidden
            print(f"  {name}: not measured ({type(error).__name__}: {str(error)[:70]})")
            continue
        jobs[name] = lambda function=function: function(holed, k)
        notes[name] = f"{angle:.2f}° from the space of the components without holes"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        show(f"{n:,} × {p:,}, {k} components, 20% missing", by_turns(jobs, 2), notes)


if __name__ == "__main__":
    for n, p, k in ((10_000, 50, 5), (2_000, 100, 10), (100, 1_000, 3)):
        compare(n, p, k)
    rows = [2_000, 4_000, 8_000, 16_000, 32_000]
    tables = {n: table(n, 30, 3)[1] for n in rows}
    found = by_turns({str(n): lambda n=n: PCA(3).fit(tables[n]) for n in rows}, 2)
    print(f"growth with rows (2,000 to 32,000 × 30): exponent {exponent(rows, [found[str(n)][0] for n in rows]):.2f}")
