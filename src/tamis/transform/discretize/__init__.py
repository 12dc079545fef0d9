"""Numbers as intervals: `discretize` is the estimator, `cuts` finds the cuts and puts them in words."""

from tamis.transform.discretize.discretize import Discretize

__all__ = ["Discretize"]
