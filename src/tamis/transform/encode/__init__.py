"""Categories as numbers: `encode` is the estimator; `levels` merges levels, `target_mean` is what y says of them.

`codes` is the place of each row's level among the levels of its column.
"""

from tamis.transform.encode.encode import Encode

__all__ = ["Encode"]
