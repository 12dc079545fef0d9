"""Categories as numbers: `encode` is the estimator; `levels` codes and merges levels, `target_mean` is what y says of
them.
"""

from tamis.transform.encode.encode import Encode

__all__ = ["Encode"]
