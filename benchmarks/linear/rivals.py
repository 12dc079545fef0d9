"""Rivals of the lasso paths: each takes (X, y, strengths, folds) and gives the coefficients of all rows along the path.

A rival that is not installed is told and left out. Every rival searches the same strengths on the same folds with the
loosest of its tolerances whose relative duality gap stays below 1e-5 (given here, checked in the run).
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import numpy as np


def sklearn_lasso(X, y, alphas, folds):
    from sklearn.linear_model import LassoCV

    model = LassoCV(alphas=alphas, cv=folds, n_jobs=2, tol=1e-5, max_iter=100_000).fit(X, y)
    return None, model.alpha_


def celer_lasso(X, y, alphas, folds):
    from celer import celer_path  # its LassoCV does not run with scikit-learn 1.9

    errors = np.zeros(len(alphas))
    for train, test in folds:
        A, b = np.asfortranarray(X[train] - X[train].mean(axis=0)), y[train] - y[train].mean()
        coefs = celer_path(A, b, "lasso", alphas=alphas, tol=1e-5)[1]
        guess = (X[test] - X[train].mean(axis=0)) @ coefs + y[train].mean()
        errors += np.mean((y[test, None] - guess) ** 2, axis=0)
    coefs = celer_path(np.asfortranarray(X - X.mean(axis=0)), y - y.mean(), "lasso", alphas=alphas, tol=1e-5)[1]
    return coefs.T, alphas[np.argmin(errors)]


def skglm_lasso(X, y, alphas, folds):
    from skglm import Lasso

    X = np.asfortranarray(X)
    errors = np.zeros(len(alphas))
    for train, test in folds:
        model = Lasso(tol=1e-5, warm_start=True)
        A, b = np.asfortranarray(X[train]), y[train]
        for i, alpha in enumerate(alphas):
            model.set_params(alpha=alpha).fit(A, b)
            errors[i] += np.mean((y[test] - model.predict(X[test])) ** 2)
    coefs, model = [], Lasso(tol=1e-5, warm_start=True)
    for alpha in alphas:
        coefs.append(model.set_params(alpha=alpha).fit(X, y).coef_.copy())
    return np.array(coefs), alphas[np.argmin(errors)]


def adelie_lasso(X, y, alphas, folds):
    import adelie as ad

    def path(A, b):
        return ad.grpnet(
            X=ad.matrix.dense(np.asfortranarray(A), method="naive", n_threads=2),
            glm=ad.glm.gaussian(y=b),
            lmda_path=alphas,
            early_exit=False,
            progress_bar=False,
            tol=1e-10,
            n_threads=2,
        )

    errors = np.zeros(len(alphas))
    for train, test in folds:
        state = path(X[train], y[train])
        betas, intercepts = state.betas.toarray(), np.asarray(state.intercepts)
        errors[: len(betas)] += np.mean((y[test, None] - X[test] @ betas.T - intercepts) ** 2, axis=0)
    return path(X, y).betas.toarray(), alphas[np.argmin(errors)]


def glmnet_lasso(X, y, alphas, folds):
    from glmnet import ElasticNet

    model = ElasticNet(
        alpha=1.0, lambda_path=alphas, n_splits=len(folds), standardize=False, tol=1e-9, n_jobs=2, max_iter=10**7
    )
    model.fit(X, y)
    return model.coef_path_.T, model.lambda_best_[0]


def r_glmnet(X, y, alphas, folds, family="gaussian"):
    thresh = 1e-12 if family == "gaussian" else 1e-10
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        X.astype("<f8").T.tofile(home / "X")
        np.asarray(y, dtype="<f8").tofile(home / "y")
        alphas.astype("<f8").tofile(home / "a")
        fold = np.zeros(len(y), dtype="<i4")
        for f, (_, test) in enumerate(folds):
            fold[test] = f + 1
        fold.tofile(home / "f")
        script = f"""
suppressMessages(library(glmnet)); n <- {len(y)}; p <- {X.shape[1]}
X <- matrix(readBin("{home}/X", "double", n * p), n, p); y <- readBin("{home}/y", "double", n)
a <- readBin("{home}/a", "double", {len(alphas)}); f <- readBin("{home}/f", "integer", n)
t <- proc.time()
m <- cv.glmnet(X, y, lambda = a, foldid = f, standardize = FALSE, family = "{family}", thresh = {thresh}, maxit = 1e8)
cat(sum((proc.time() - t)[1:2]), "\\n"); cat(m$lambda.min, "\\n")
b <- as.matrix(m$glmnet.fit$beta); writeBin(as.vector(b), "{home}/b"); cat(ncol(b), "\\n")
"""
        done = subprocess.run(["Rscript", "-e", script], capture_output=True, text=True, check=True)
        seconds, best, width = done.stdout.split()[-3:]
        coefs = np.fromfile(home / "b").reshape(int(width), X.shape[1])
    return coefs, float(best), float(seconds)


def sklearn_logistic(X, y, alphas, folds):
    from sklearn.linear_model import LogisticRegressionCV

    Cs = 1 / (len(y) * alphas)
    model = LogisticRegressionCV(
        Cs=Cs,
        cv=folds,
        l1_ratios=(1.0,),
        solver="saga",
        tol=1e-4,
        max_iter=1000,
        n_jobs=2,
        scoring="neg_log_loss",
        use_legacy_attributes=False,
    ).fit(X, y)
    return None, 1 / (len(y) * np.ravel(model.C_)[0])


def celer_logistic(X, y, alphas, folds):
    from celer import LogisticRegression
    from sklearn.metrics import log_loss

    errors, coefs = np.zeros(len(alphas)), []
    for part in [*folds, (np.arange(len(y)), None)]:
        train, test = part
        model = LogisticRegression(penalty="l1", tol=1e-5, warm_start=True, max_iter=500)
        for i, alpha in enumerate(alphas):
            model.set_params(C=1 / (len(train) * alpha)).fit(X[train], y[train])
            if test is None:
                coefs.append(model.coef_[0].copy())
            else:
                errors[i] += log_loss(y[test], model.predict_proba(X[test]), labels=[0, 1])
    return np.array(coefs), alphas[np.argmin(errors)]


def skglm_logistic(X, y, alphas, folds):
    from skglm import SparseLogisticRegression

    errors, coefs = np.zeros(len(alphas)), []
    for train, test in [*folds, (np.arange(len(y)), None)]:
        model = SparseLogisticRegression(tol=1e-6, warm_start=True)
        A, b = np.asfortranarray(X[train]), y[train]
        for i, alpha in enumerate(alphas):
            model.set_params(alpha=alpha).fit(A, b)
            if test is None:
                coefs.append(model.coef_[0].copy())
            else:
                eta = X[test] @ model.coef_[0] + model.intercept_
                errors[i] += np.mean(np.logaddexp(0, eta) - y[test] * eta)
    return np.array(coefs), alphas[np.argmin(errors)]


def adelie_logistic(X, y, alphas, folds):
    import adelie as ad

    def path(A, b):
        return ad.grpnet(
            X=ad.matrix.dense(np.asfortranarray(A), method="naive", n_threads=2),
            glm=ad.glm.binomial(y=b.astype(float)),
            lmda_path=alphas,
            early_exit=False,
            progress_bar=False,
            tol=1e-7,
            irls_tol=1e-7,
            n_threads=2,
        )

    errors = np.zeros(len(alphas))
    for train, test in folds:
        state = path(X[train], y[train])
        betas, intercepts = state.betas.toarray(), np.asarray(state.intercepts)
        eta = X[test] @ betas.T + intercepts
        errors[: len(betas)] += np.mean(np.logaddexp(0, eta) - y[test, None] * eta, axis=0)
    return path(X, y).betas.toarray(), alphas[np.argmin(errors)]


def glmnet_logistic(X, y, alphas, folds):
    from glmnet import LogitNet

    model = LogitNet(
        alpha=1.0, lambda_path=alphas, n_splits=len(folds), standardize=False, tol=1e-9, n_jobs=2, scoring="log_loss"
    )
    model.fit(X, y)
    return model.coef_path_[0].T, model.lambda_best_[0]
