"""Lasso paths of counts, robust errors, margins and sparse tables: Tamis and its rivals on the same strengths.

python benchmarks/linear/losses.py [poisson] [huber] [squared_hinge] [sparse] [--shape tall|wide] [--suite folder]
        [--limit seconds]
Prints CPU seconds for the path of all rows (columns standardised before; of the sparse table as they are), the ratio
to Tamis, and the largest relative duality gap, by one formula for all. A rival is run with falling tolerances until its
gap is at most 1.5e-5 (that of Tamis is 1e-5) or the time limit is reached; its line then says what gap it had, and the
ratio is a lower bound. Every path is computed once before the clock starts, by Tamis and by rivals that compile.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from data import table
from scipy import sparse
from scipy.optimize import brentq

from tamis.linear.fit import Job, path_of
from tamis.linear.losses.huber import Huber
from tamis.linear.losses.logistic import Logistic
from tamis.linear.losses.poisson import Poisson
from tamis.linear.losses.squared_hinge import SquaredHinge
from tamis.linear.penalties.elastic_net import Penalty

GOAL = 1.5e-5
SHAPES = {"tall": (5000, 100), "wide": (200, 5000)}


def problem(name, shape, suite):
    """Columns, and a loss with its target."""
    if name == "sparse":
        import pandas as pd

        frame = pd.read_parquet(Path(suite) / "pcmac.parquet")
        y = np.unique(frame.pop("target").to_numpy(), return_inverse=True)[1].astype(float)
        return sparse.csc_array(frame.to_numpy(dtype=float)), Logistic(y)
    rng = np.random.default_rng(1)
    X, y = table(*SHAPES[shape], classes=name == "squared_hinge")
    if name == "squared_hinge":
        return X, SquaredHinge(y.astype(float))
    y = (y - y.mean()) / y.std()
    if name == "poisson":
        return X, Poisson(rng.poisson(np.exp(y)).astype(float))
    y = y + 10 * (rng.random(len(y)) < 0.05)
    return X, Huber(y, width=1.35 * 1.4826 * np.median(np.abs(y - np.median(y))))


def tamis(X, loss, alphas, intercept):
    job = Job(X, loss, np.ones(X.shape[0]), Penalty(1.0, np.ones(X.shape[1])), False, intercept)
    path = path_of(job, None, 60, alphas)
    return path.alphas, path.coef[:, :, 0]


def gap(X, loss, coef, alpha, intercept):
    """Relative duality gap, the intercept made optimal first."""
    eta = (X @ coef)[:, None]

    def total(b):
        return loss.residual(eta + b).mean()

    if intercept:
        far = 1.0
        while total(-far) * total(far) > 0:
            far *= 2
        eta = eta + brentq(total, -far, far, xtol=1e-15, rtol=1e-15)
    residual = loss.residual(eta)
    share = min(1.0, alpha / max(np.abs(X.T @ residual[:, 0]).max() / len(eta), 1e-300))
    floor = -loss.conjugate(np.zeros_like(residual)).mean()
    start = loss.start(np.full(len(eta), 1 / len(eta))) if intercept else 0.0
    null = loss.value(np.zeros_like(eta) + start).mean() - floor
    return (loss.value(eta).mean() + alpha * np.abs(coef).sum() + loss.conjugate(share * residual).mean()) / null


def worst(X, loss, coefs, alphas, intercept):
    return max(gap(X, loss, coefs[i], alphas[i], intercept) for i in range(0, len(coefs), 6))


def r_glmnet(X, loss, alphas, tol, limit):
    """CPU seconds of R's glmnet and its path."""
    family = "poisson" if isinstance(loss, Poisson) else "binomial"
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        n, p = X.shape
        if sparse.issparse(X):
            X.indptr.astype("<i4").tofile(home / "p")
            X.indices.astype("<i4").tofile(home / "i")
            X.data.astype("<f8").tofile(home / "x")
            read = f"""library(Matrix); X <- sparseMatrix(i = readBin("{home}/i", "integer", {X.nnz}) + 1,
p = readBin("{home}/p", "integer", {p + 1}), x = readBin("{home}/x", "double", {X.nnz}), dims = c({n}, {p}))"""
        else:
            X.astype("<f8").T.tofile(home / "X")
            read = f'X <- matrix(readBin("{home}/X", "double", {n * p}), {n}, {p})'
        loss.y.astype("<f8").tofile(home / "y")
        alphas.astype("<f8").tofile(home / "a")
        script = f"""
suppressMessages(library(glmnet)); {read}
y <- readBin("{home}/y", "double", {n}); a <- readBin("{home}/a", "double", {len(alphas)}); t <- proc.time()
m <- glmnet(X, y, lambda = a, standardize = FALSE, family = "{family}", thresh = {tol}, maxit = 1e8)
d <- proc.time() - t; writeBin(as.vector(as.matrix(m$beta)), "{home}/b"); cat(d[1] + d[2], length(m$lambda), "\\n")
"""
        done = subprocess.run(["Rscript", "-e", script], capture_output=True, text=True, check=True, timeout=limit)
        seconds, length = done.stdout.split()[-2:]
        return float(seconds), np.fromfile(home / "b").reshape(int(length), p)


def by_strength(fit, alphas, limit):
    """CPU seconds and coefficients of a model fitted strength after strength, each from the one before."""
    start, coefs = time.process_time(), []
    for alpha in alphas:
        coefs.append(np.ravel(fit(alpha)).copy())
        if time.process_time() - start > limit:
            break
    return time.process_time() - start, np.array(coefs)


def skglm(X, loss, alphas, tol, limit):
    from skglm import GeneralizedLinearEstimator, datafits
    from skglm.penalties import L1
    from skglm.solvers import AndersonCD, ProxNewton

    X = X if sparse.issparse(X) else np.asfortranarray(X)
    if isinstance(loss, Huber):
        datafit, solver = datafits.Huber(loss.width), AndersonCD(tol=tol, warm_start=True, max_iter=500)
    elif isinstance(loss, Poisson):
        datafit, solver = datafits.Poisson(), ProxNewton(tol=tol, warm_start=True, max_iter=100)
    else:
        datafit, solver = datafits.Logistic(), ProxNewton(tol=tol, warm_start=True, max_iter=100)
    model = GeneralizedLinearEstimator(datafit, L1(1.0), solver)
    y = loss.y[:, 0] * 2 - 1 if isinstance(loss, Logistic) else loss.y[:, 0]

    def fit(alpha):
        model.penalty.alpha = alpha
        return model.fit(X, y).coef_

    by_strength(fit, alphas[:3], limit)
    model.coef_ = None
    del model.coef_
    return by_strength(fit, alphas, limit)


def celer(X, loss, alphas, tol, limit):
    from celer import LogisticRegression

    model = LogisticRegression(tol=tol, warm_start=True, max_iter=200, fit_intercept=False)
    y = loss.y[:, 0].astype(int)
    return by_strength(lambda a: model.set_params(C=1 / (len(y) * a)).fit(X, y).coef_, alphas, limit)


def liblinear(X, loss, alphas, tol, limit):
    """scikit-learn's LinearSVC, without an intercept: liblinear would penalise it."""
    from sklearn.svm import LinearSVC

    model = LinearSVC(penalty="l1", loss="squared_hinge", dual=False, fit_intercept=False, tol=tol, max_iter=10**6)
    y = loss.y[:, 0].astype(int)
    return by_strength(lambda a: model.set_params(C=1 / (len(y) * a)).fit(X, y).coef_, alphas, limit)


def saga(X, loss, alphas, tol, limit):
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(solver="saga", l1_ratio=1.0, tol=tol, warm_start=True, max_iter=10_000, random_state=0)
    X, y = sparse.csr_array(X), loss.y[:, 0].astype(int)
    return by_strength(lambda a: model.set_params(C=1 / (len(y) * a)).fit(X, y).coef_, alphas, limit)


#: name -> rivals, each with falling tolerances and whether an intercept is fitted.
RIVALS = {
    "poisson": {
        "R glmnet": (r_glmnet, (1e-9, 1e-10, 1e-11, 1e-12, 1e-13), True),
        "skglm": (skglm, (1e-4, 1e-5, 1e-6, 1e-7), True),
    },
    "huber": {"skglm": (skglm, (1e-4, 1e-5, 1e-6, 1e-7), True)},
    "squared_hinge": {"sklearn liblinear": (liblinear, (1e-3, 1e-4, 1e-5, 1e-6, 1e-7), False)},
    "sparse": {
        "R glmnet": (r_glmnet, (1e-7, 1e-8, 1e-9, 1e-10), True),
        "skglm": (skglm, (1e-4, 1e-5, 1e-6, 1e-7), True),
        "celer": (celer, (1e-3, 1e-4, 1e-5), False),
        "sklearn saga": (saga, (1e-3, 1e-4, 1e-5), True),
    },
}


def run(name, given):
    X, loss = problem(name, given.shape, given.suite)
    print(f"\n{name}, {X.shape[0]:,} × {X.shape[1]:,}{', sparse' if sparse.issparse(X) else ''}")
    own = {}
    for rival, (function, tols, intercept) in RIVALS[name].items():
        if intercept not in own:
            alphas, _ = tamis(X, loss, None, intercept)
            times = []
            for _ in range(3):
                start = time.process_time()
                _, coefs = tamis(X, loss, alphas, intercept)
                times.append(time.process_time() - start)
            own[intercept] = min(times), alphas
            kind = "" if intercept else ", no intercept"
            told = worst(X, loss, coefs, alphas, intercept)
            print(
                f"  {'tamis':18s} {min(times):8.3f} s CPU{kind}   {len(alphas)} strengths   gap {told:.1e}", flush=True
            )
        follow(rival, function, tols, intercept, *own[intercept], X, loss, given.limit)


def follow(rival, function, tols, intercept, base, alphas, X, loss, limit):
    """Run a rival with falling tolerances until the gap is reached or the time is up."""
    line = "not run"
    for tol in tols:
        try:
            seconds, coefs = function(X, loss, alphas, tol, limit)
        except subprocess.TimeoutExpired:
            line += f"; with {tol:g} not done in {limit:g} s (wall)"
            break
        except Exception as error:
            line = f"left out: {type(error).__name__}: {str(error)[:90]}"
            break
        reached = worst(X, loss, coefs, alphas, intercept)
        few = "" if len(coefs) == len(alphas) else f" ({len(coefs)} of {len(alphas)} strengths)"
        line = f"{seconds:8.3f} s CPU   {seconds / base:6.1f} × Tamis   gap {reached:.1e} (tol {tol:g}){few}"
        if reached <= GOAL or seconds > 0.3 * limit or few:
            break
    print(f"  {rival:18s} {line}", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("names", nargs="*", default=list(RIVALS))
    words.add_argument("--shape", choices=SHAPES, default="tall")
    words.add_argument("--suite", default="../shared/data/suite")
    words.add_argument("--limit", type=float, default=120.0)
    asked = words.parse_args()
    for word in asked.names:
        run(word, asked)
