"""Lasso paths of 100 strengths with 10-fold cross-validation: Tamis and its rivals on the same strengths and folds.

python benchmarks/linear/lasso.py [tall] [wide] [logistic-wide] [logistic-tall] [correlated] [--without name …]
Prints seconds of the processor (of R by its own clock), the ratio to Tamis, and the largest relative duality gap along
the path of all rows, where the rival gives its path.
"""

from __future__ import annotations

import sys
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

sys.path.insert(0, str(Path(__file__).parent))
import rivals
from data import table

from tamis import LinearClassifier, LinearRegressor

CASES = {
    "tall": (20_000, 300, False),
    "wide": (300, 10_000, False),
    "logistic-wide": (300, 5_000, True),
    "logistic-tall": (20_000, 100, True),
    "correlated": (3_000, 300, False),
}
LASSO = {"sklearn": rivals.sklearn_lasso, "celer": rivals.celer_lasso, "skglm": rivals.skglm_lasso,
         "adelie": rivals.adelie_lasso, "python-glmnet": rivals.glmnet_lasso, "R glmnet": rivals.r_glmnet}  # fmt: skip
LOGISTIC = {"sklearn": rivals.sklearn_logistic, "celer": rivals.celer_logistic, "skglm": rivals.skglm_logistic,
            "adelie": rivals.adelie_logistic,
            "python-glmnet": rivals.glmnet_logistic,
            "R glmnet": lambda *given: rivals.r_glmnet(*given, family="binomial")}  # fmt: skip


def lasso_gap(X, y, coef, alpha):
    """Relative duality gap of a lasso on centred data, the best intercept assumed."""
    y = y - y.mean()
    r = y - X @ coef
    r = r - r.mean()
    n = len(y)
    share = min(1.0, alpha / max(np.abs(X.T @ r).max() / n, 1e-300))
    gap = 0.5 * (r @ r) * (1 + share**2) / n + alpha * np.abs(coef).sum() - share * (y @ r) / n
    return gap / (0.5 * (y @ y) / n)


def logistic_gap(X, y, coef, alpha):
    """Relative duality gap of an L1 logistic regression, the intercept made optimal first."""
    from scipy.optimize import brentq
    from scipy.special import expit, xlogy

    eta = X @ coef
    eta = eta + brentq(
        lambda b: np.sum(y - expit(eta + b)), -50 - np.abs(eta).max(), 50 + np.abs(eta).max(), xtol=1e-14
    )
    n = len(y)
    residual = y - expit(eta)
    share = min(1.0, alpha / max(np.abs(X.T @ residual).max() / n, 1e-300))
    q = np.clip(y - share * residual, 0, 1)
    value = (
        np.mean(np.logaddexp(0, eta) - y * eta)
        + alpha * np.abs(coef).sum()
        + np.mean(xlogy(q, q) + xlogy(1 - q, 1 - q))
    )
    base = y.mean()
    return value / -(xlogy(base, base) + xlogy(1 - base, 1 - base))


def worst(X, y, coefs, alphas, gap):
    if coefs is None:
        return "not given"
    at = range(5, min(len(coefs), len(alphas)), 12)
    return f"{max(gap(X, y, coefs[i], alphas[i]) for i in at):.1e} ({len(coefs)} strengths)"


def run(name, without):
    n, p, classes = CASES[name]
    alike = {"k": p, "common": 0.95} if name == "correlated" else {}
    X, y = table(n, p, classes=classes, **alike)
    gap = logistic_gap if classes else lasso_gap
    splitter = StratifiedKFold(10, shuffle=True, random_state=0) if classes else KFold(10, shuffle=True, random_state=0)
    folds = list(splitter.split(X, y))
    model = (LinearClassifier if classes else LinearRegressor)(cv=folds, rule="min", n_jobs=2)
    start = time.process_time()
    model.fit(X, y)
    base = time.process_time() - start
    alphas = model.path_.alphas
    told = worst(X, y, model.path_.coef[:, :, 0], alphas, gap)
    print(f"\n{name}: {n:,} × {p:,}, {len(alphas)} strengths, 10 folds")
    print(
        f"  {'tamis':14s} {base:8.2f} s   alpha {model.alpha_:.5g}  gap {told}",
        flush=True,
    )
    for rival, function in (LOGISTIC if classes else LASSO).items():
        if rival in without:
            continue
        try:
            start = time.process_time()
            found = function(X, y, alphas, folds)
            taken = found[2] if len(found) == 3 else time.process_time() - start
        except Exception as error:
            print(f"  {rival:14s} left out: {type(error).__name__}: {str(error)[:90]}", flush=True)
            continue
        told = worst(X, y, found[0], alphas, gap)
        print(
            f"  {rival:14s} {taken:8.2f} s   {taken / base:6.1f} × Tamis   alpha {found[1]:.5g}  gap {told}", flush=True
        )


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    words = sys.argv[1:]
    skip = words[words.index("--without") + 1 :] if "--without" in words else []
    words = words[: words.index("--without")] if "--without" in words else words
    for warm in (LinearRegressor, LinearClassifier):  # compile before the clock starts
        A, b = table(40, 60, classes=warm is LinearClassifier, k=5)
        warm(cv=3).fit(A, b)
        warm(cv=3).fit(A[:, :5], b)
    for word in words or CASES:
        run(word, skip)
