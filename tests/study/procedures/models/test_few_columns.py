"""A procedure held to few columns keeps those that the answer says contribute most."""

from __future__ import annotations

import numpy as np
import pytest

from tamis.additive import AdditiveRegressor
from tamis.errors import ParameterError
from tamis.evaluate.problem import problem_of
from tamis.linear import LinearRegressor
from tamis.study.procedures.models.contribution import contributions
from tamis.study.procedures.models.few_columns import FewColumns, held_to
from tamis.study.procedures.models.fitted import FittedProcedure
from tamis.table import read
from tamis.transform import Standardize


def _table():
    """Column z makes up most of y, b some of it, and a is noise."""
    random = np.random.default_rng(0)
    z, b, a = random.normal(size=(3, 300))
    y = 3 * z + b + 0.1 * random.normal(size=300)
    return read({"a": a, "b": b, "z": z}), y


@pytest.mark.parametrize("model", [AdditiveRegressor(random_state=0), LinearRegressor(penalty=None)])
def test_the_columns_kept_are_those_that_contribute_most(model):
    """An additive model was held to its first columns by name, for it does not say what they contribute."""
    table, y = _table()
    assert list(FewColumns(model, 1).fit(table, y).selected_columns_) == ["z"]
    assert list(FewColumns(model, 2).fit(table, y).selected_columns_) == ["b", "z"]
    fitted = FittedProcedure("", model.fit(table, y), tuple(table.names))
    assert list(contributions(fitted, problem_of([model], table, y)))[:2] == ["z", "b"]


def test_a_pipeline_is_refused_for_what_it_is():
    """The answer gave the contribution of a pipeline's columns, and this sentence said that it is not known."""
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline

    with pytest.raises(ParameterError, match="a pipeline is fitted on the columns it is made for"):
        held_to(make_pipeline(Standardize(), Ridge()), 2, "line")
