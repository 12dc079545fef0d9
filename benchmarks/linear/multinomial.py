"""Lasso paths of three classes or more with cross-validation: Tamis and its rivals on the same strengths and folds.

python benchmarks/linear/multinomial.py [wine] [digits] [warppie10p] [nci9] [yale] [satimage] [--without name …]
        [--suite folder] [--limit seconds]
Prints CPU seconds, the ratio to Tamis, and the largest relative duality gap along the path of all rows. A rival is run
with falling tolerances until its gap is at most that of Tamis (1e-5), or a run has taken the time limit; its line then
says what gap it had reached, and the ratio is a lower bound; the limit is of the processor. scikit-learn follows the
path of all rows only: its ratio is to the same path of Tamis.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
import warnings
from pathlib import Path
from resource import RLIMIT_CPU, setrlimit
from signal import SIGXCPU

import numpy as np
from scipy.special import softmax, xlogy
from sklearn.datasets import load_digits, load_wine
from sklearn.model_selection import StratifiedKFold

from tamis import LinearClassifier

NAMES = ["wine", "digits", "warppie10p", "nci9", "yale", "satimage"]
GOAL = 1e-5


def table(name, suite):
    """Standardised columns and class codes; classes of fewer than 5 rows go, as glmnet refuses them in a fold."""
    if name in ("wine", "digits"):
        X, y = (load_wine if name == "wine" else load_digits)(return_X_y=True)
    else:
        import pandas as pd

        frame = pd.read_parquet(Path(suite) / f"{name}.parquet")
        y = frame.pop("target").to_numpy()
        X = frame.to_numpy(dtype=float)
    codes = np.unique(y, return_inverse=True)[1]
    kept = np.bincount(codes)[codes] >= 5
    X, codes = np.asarray(X, dtype=float)[kept], np.unique(codes[kept], return_inverse=True)[1]
    X = X - X.mean(axis=0)
    spread = X.std(axis=0)
    return np.ascontiguousarray(X[:, spread > 0] / spread[spread > 0]), codes


def gap(X, y, coef, alpha):
    """Relative duality gap of coefficients (columns × classes), the intercepts made optimal first."""
    n, Y = len(y), np.eye(coef.shape[1])[y]
    eta = X @ coef
    for _ in range(100):
        each = Y - softmax(eta, axis=1)
        total = each.mean(axis=0)
        if np.abs(total).max() < 1e-15:
            break
        P = Y - each
        curve = np.diag(P.mean(axis=0)) - P.T @ P / n
        eta = eta + np.clip(np.linalg.lstsq(curve, total, rcond=1e-12)[0], -2, 2)
    share = min(1.0, alpha / max(np.abs(X.T @ each).max() / n, 1e-300))
    q, top = np.clip(Y - share * each, 0, 1), eta.max(axis=1)
    loss = np.mean(np.log(np.exp(eta - top[:, None]).sum(axis=1)) + top - eta[np.arange(n), y])
    base = Y.mean(axis=0)
    return (loss + alpha * np.abs(coef).sum() + xlogy(q, q).sum() / n) / -xlogy(base, base).sum()


def worst(X, y, coefs, alphas):
    return max(gap(X, y, coefs[i], alphas[i]) for i in range(0, min(len(coefs), len(alphas)), 9))


def r_glmnet(X, y, alphas, folds, thresh, limit):
    """CPU seconds of cv.glmnet and its path of all rows."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        X.astype("<f8").T.tofile(home / "X")
        y.astype("<i4").tofile(home / "y")
        alphas.astype("<f8").tofile(home / "a")
        fold = np.zeros(len(y), dtype="<i4")
        for f, (_, test) in enumerate(folds):
            fold[test] = f + 1
        fold.tofile(home / "f")
        script = f"""
suppressMessages(library(glmnet)); n <- {len(y)}; p <- {X.shape[1]}
X <- matrix(readBin("{home}/X", "double", n * p), n, p); y <- factor(readBin("{home}/y", "integer", n))
a <- readBin("{home}/a", "double", {len(alphas)}); f <- readBin("{home}/f", "integer", n)
t <- proc.time()
m <- cv.glmnet(X, y, lambda = a, foldid = f, standardize = FALSE, family = "multinomial",
               thresh = {thresh}, maxit = 1e8)
d <- proc.time() - t
b <- sapply(m$glmnet.fit$beta, function(x) as.vector(as.matrix(x)))
writeBin(as.vector(b), "{home}/b"); cat(d[1] + d[2], length(m$glmnet.fit$lambda), "\\n")
"""
        done = subprocess.run(
            ["Rscript", "-e", script],
            capture_output=True,
            text=True,
            preexec_fn=lambda: setrlimit(RLIMIT_CPU, (int(limit), int(limit) + 5)),
        )
        if done.returncode == -SIGXCPU:
            raise TimeoutError
        done.check_returncode()
        seconds, length = done.stdout.split()[-2:]
        coefs = np.fromfile(home / "b").reshape(y.max() + 1, int(length), X.shape[1]).transpose(1, 2, 0)
    return float(seconds), coefs


def sklearn_saga(X, y, alphas, folds, tol, limit):
    """CPU seconds of scikit-learn's saga along the path of all rows, each strength from the one before."""
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(solver="saga", l1_ratio=1.0, tol=tol, warm_start=True, max_iter=20_000, random_state=0)
    start, coefs = time.process_time(), []
    for alpha in alphas:
        coefs.append(model.set_params(C=1 / (len(y) * alpha)).fit(X, y).coef_.T.copy())
        if time.process_time() - start > limit:
            break
    return time.process_time() - start, np.array(coefs)


RIVALS = {
    "R cv.glmnet": (r_glmnet, [1e-8, 1e-9, 1e-10, 1e-11, 1e-12], False),
    "sklearn saga": (sklearn_saga, [1e-4, 1e-5, 1e-6], True),
}
LEFT_OUT = {
    "adelie": "penalises the coefficients of a column in all classes as one group: another problem",
    "skglm": "has no multinomial loss",
}


def timed(function):
    start = time.process_time()
    made = function()
    return time.process_time() - start, made


def run(name, given):
    X, y = table(name, given.suite)
    few = np.bincount(y).min() < 10
    folds = list(StratifiedKFold(5 if few else 10, shuffle=True, random_state=0).split(X, y))
    options = {"rule": "min", "standardize": False}
    base, model = timed(lambda: LinearClassifier(cv=folds, **options).fit(X, y))
    alphas = model.path_.alphas
    told = worst(X, y, model.path_.coef, alphas)
    print(
        f"\n{name}: {X.shape[0]:,} × {X.shape[1]:,}, {y.max() + 1} classes, {len(alphas)} strengths, {len(folds)} folds"
    )
    print(f"  {'tamis':14s} {base:8.2f} s CPU   gap {told:.1e}", flush=True)
    alone = 0.0
    for rival, (function, tols, one) in RIVALS.items():
        if rival in given.without:
            continue
        if one and not alone:
            alone = path_alone(X, y, alphas)
        follow(rival, function, tols, alone if one else base, X, y, alphas, folds, given.limit)
    for rival, reason in LEFT_OUT.items():
        print(f"  {rival:14s} left out: {reason}", flush=True)


def path_alone(X, y, alphas):
    """CPU seconds of Tamis for the path of all rows."""
    from tamis.linear.fit import Job, path_of
    from tamis.linear.losses.logistic import Multinomial
    from tamis.linear.penalties.elastic_net import Penalty

    job = Job(X, Multinomial(np.eye(y.max() + 1)[y]), np.ones(len(y)), Penalty(1.0, np.ones(X.shape[1])), False, True)
    return timed(lambda: path_of(job, None, len(alphas), alphas))[0]


def follow(rival, function, tols, base, X, y, alphas, folds, limit):
    """Run a rival with falling tolerances until the gap is reached or the time is up."""
    line = "not run"
    for tol in tols:
        try:
            seconds, coefs = function(X, y, alphas, folds, tol, limit)
        except TimeoutError:
            line += f"; with {tol:g} not done in {limit:g} s CPU, so at least {limit / base:.1f} × Tamis"
            break
        except Exception as error:
            line = f"left out: {type(error).__name__}: {str(error)[:80]}"
            break
        reached = worst(X, y, coefs, alphas)
        done = len(coefs) == len(alphas)
        few = "" if done else f" ({len(coefs)} of {len(alphas)} strengths)"
        line = f"{seconds:8.2f} s CPU   {seconds / base:6.1f} × Tamis   gap {reached:.1e} (tol {tol:g}){few}"
        if reached <= 1.5 * GOAL or seconds > 0.3 * limit or not done:
            break
    print(f"  {rival:14s} {line}", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("tables", nargs="*", default=NAMES)
    words.add_argument("--without", nargs="*", default=[])
    words.add_argument("--suite", default="../shared/data/suite")
    words.add_argument("--limit", type=float, default=300.0)
    asked = words.parse_args()
    A, b = table("wine", asked.suite)
    LinearClassifier(cv=3).fit(A, b)  # compile before the clock starts
    for word in asked.tables:
        run(word, asked)
