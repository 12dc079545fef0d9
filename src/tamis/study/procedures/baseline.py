"""The baseline: no column is looked at."""

from tamis.evaluate.baseline import Baseline
from tamis.study.procedures import Procedure

PROCEDURE = Procedure(
    "baseline",
    "always the majority class, or the mean: no column is looked at",
    Baseline,
    order=0,
    compared="always",
    readable=True,
    transformed=False,
    article="the",
)
