"""Several transforms of some columns each: `words` reads them from a line of text, `transforms` is the estimator."""

from tamis.transform.steps.transforms import Transforms
from tamis.transform.steps.words import read_steps

__all__ = ["Transforms", "read_steps"]
