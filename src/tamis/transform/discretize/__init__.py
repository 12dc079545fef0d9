"""Numbers as intervals: `discretize` is the estimator; `cuts` need no target, `mdl` and `squares` do.

`parts` is what every recursive cutting needs, `buckets` spares it sorting all rows, `intervals` puts the result in
words.
"""

from tamis.transform.discretize.discretize import Discretize

__all__ = ["Discretize"]
