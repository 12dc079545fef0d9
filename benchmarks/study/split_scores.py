"""What the scripts beside keep of a procedure on one split: inner losses, the score on test rows, and three rivals."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LassoCV, LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from tamis.evaluate.cross_validate import Trained
from tamis.metrics.intervals.paired import row_losses
from tamis.study import choose as rule_of_choice
from tamis.study.choose import choose
from tamis.study.procedures.models.fitted import FittedProcedure


def keep(trained: Trained) -> dict[str, Any]:
    """Inner losses, the score on the rows held out, and the number of columns."""
    problem, fold = trained.problem, trained.fold
    kind = "squared_error" if problem.classes is None else "brier"
    predictions = trained.inner_predictions()
    judged = ~np.isnan(predictions if predictions.ndim == 1 else predictions[:, 0])
    losses = np.zeros(len(fold.train))
    truth = problem.codes[fold.train[judged]]
    losses[judged] = row_losses(kind, truth, predictions[judged], n_train=len(fold.train))
    answer = trained.predictions(fold.test)
    given = answer if problem.classes is None else problem.classes[answer.argmax(axis=1)]
    columns = len(FittedProcedure("", trained.model, problem.names).columns)
    return {"own": losses, "score": score(problem.y[fold.test], given), "columns": columns}


def score(truth: np.ndarray, given: np.ndarray) -> float:
    """R² of numbers, accuracy of classes."""
    if truth.dtype.kind == "f":
        return 1 - float(((truth - given) ** 2).mean() / truth.var())
    return float((truth == given).mean())


def rivals(numbers: bool) -> dict[str, Any]:
    """Three models of scikit-learn at their defaults."""
    words = make_column_selector(dtype_include="category")
    coded = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), words), remainder=SimpleImputer()
    )
    if numbers:
        return {
            "forest": make_pipeline(coded, RandomForestRegressor(random_state=0)),
            "boosting": HistGradientBoostingRegressor(random_state=0),
            "L1": make_pipeline(coded, StandardScaler(), LassoCV()),
        }
    line = OneVsRestClassifier(LogisticRegression(penalty="l1", solver="liblinear"))
    return {
        "forest": make_pipeline(coded, RandomForestClassifier(random_state=0)),
        "boosting": HistGradientBoostingClassifier(random_state=0),
        "L1": make_pipeline(coded, StandardScaler(), line),
    }


def place_of(found: dict[str, Any], share: float | None) -> int:
    """The place that a rule takes which asks for a share of the best's gain, by inner losses."""
    rule_of_choice.KEPT["asked"] = share
    losses = [fact["own"] for fact in found["facts"]]
    return choose(losses, np.ones(len(losses[0])), "asked")
