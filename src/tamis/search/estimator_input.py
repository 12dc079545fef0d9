"""What an estimator inside a selector is given: the table as it came, as far as the estimator can take it."""

from collections.abc import Sequence
from typing import Any

from sklearn.base import BaseEstimator, clone
from sklearn.utils import get_tags

from tamis.table import Table, in_days, is_frame, refusal, refuse_missing
from tamis.table.like import TableLike


def takes(estimator: BaseEstimator) -> tuple[bool, bool]:
    """Whether an estimator may be given missing values, and sparse matrices.

    One with transformers inside may fill missing values itself, whatever its tags say: it is asked.
    """
    tags = get_tags(estimator).input_tags
    return bool(tags.allow_nan) or transforms(estimator), bool(tags.sparse)


def shown_to(estimator: BaseEstimator, table: Table, X: TableLike) -> Any:
    """X for an estimator: dates and time spans in days, unless transformers inside it know what to do with them."""
    if table.matrix is not None and not is_frame(X):
        return table.matrix
    return X if transforms(estimator) else in_days(X)


def refuse_holes(estimator: BaseEstimator, table: Table) -> None:
    """Refuse missing values for an estimator that cannot be given any."""
    if takes(estimator)[0]:
        return
    hint = ", or give the model missing='mean'" if _fills(estimator) else ""
    refuse_missing(table, f"fill them first, for example with tamis.transform.Impute in a pipeline{hint}")


def refused(estimator: BaseEstimator, X: TableLike, error: Exception, names: Sequence[str] | None = None) -> Exception:
    """The sentence that names the column an estimator could not take; the error itself when it has another cause."""
    return refusal(_name(estimator), X, error, names=names, fills=_fills(estimator)) or error


def _name(estimator: BaseEstimator) -> str:
    steps = getattr(estimator, "steps", None)
    if not steps:
        return type(estimator).__name__
    return "the pipeline of " + ", ".join(type(step).__name__ for _, step in steps if hasattr(step, "fit"))


def _fills(estimator: BaseEstimator) -> bool:
    """Whether an estimator could fill missing values itself, but was not told to."""
    return hasattr(estimator, "get_params") and estimator.get_params(deep=False).get("missing") == "refuse"


def transforms(estimator: BaseEstimator) -> bool:
    """Whether there are transformers among an estimator's parameters."""
    if not hasattr(estimator, "get_params"):
        return False
    return any(hasattr(value, "transform") for value in estimator.get_params(deep=True).values())


def seeded(estimator: BaseEstimator, seed: int) -> Any:
    """A clone whose missing seeds are filled in."""
    model = clone(estimator)
    free = {
        name: seed
        for name, value in model.get_params(deep=True).items()
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    }
    return model.set_params(**free) if free else model
