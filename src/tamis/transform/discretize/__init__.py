"""Numbers as intervals: `discretize` is the estimator; `cuts` need no target, `mdl` and `squares` do."""

from tamis.transform.discretize.discretize import Discretize

__all__ = ["Discretize"]
