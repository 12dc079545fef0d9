"""Honest evaluation: every number Tamis reports about how good something is comes from here.

Read `problem` (what is learned from what), `cross_validate` (the one loop), `fold/` (what a fold leaves behind) and
`nested` (`several_targets` of a matrix y); then `chance/`, `audit` with `leakage/`, `bias_variance`,
`curves`, `holdout`. Intervals are in `tamis.metrics`.
"""

from tamis.evaluate.audit import Audit, audit
from tamis.evaluate.bias_variance import BiasVariance, bias_variance, bias_variance_figure
from tamis.evaluate.chance.degrees_of_freedom import degrees_of_freedom
from tamis.evaluate.chance.permutation import PermutationTest, permutation_test
from tamis.evaluate.curves import Curve, Grown, complexity_curve, grow
from tamis.evaluate.holdout import ReusableHoldout
from tamis.evaluate.inner_folds import InnerFolds
from tamis.evaluate.leakage.leaks import Leak, leaks
from tamis.evaluate.nested import NestedComparison, NestedScore, nested_score
from tamis.evaluate.problem import Problem
from tamis.evaluate.sample_size import SampleSize, sample_size
from tamis.evaluate.script import audit_table
from tamis.evaluate.several_targets import SeveralScores
from tamis.metrics import METRICS, Metric
from tamis.metrics.calibration import Calibration, calibration, number_calibration
from tamis.metrics.intervals.interval import Interval
from tamis.metrics.loss_matrix import LossMatrix
from tamis.metrics.net_benefit import DecisionCurve, net_benefit

__all__ = [
    "METRICS",
    "Audit",
    "BiasVariance",
    "Calibration",
    "Curve",
    "DecisionCurve",
    "Grown",
    "InnerFolds",
    "Interval",
    "Leak",
    "LossMatrix",
    "Metric",
    "NestedComparison",
    "NestedScore",
    "PermutationTest",
    "Problem",
    "ReusableHoldout",
    "SampleSize",
    "SeveralScores",
    "audit",
    "audit_table",
    "bias_variance",
    "bias_variance_figure",
    "calibration",
    "complexity_curve",
    "degrees_of_freedom",
    "grow",
    "leaks",
    "nested_score",
    "net_benefit",
    "number_calibration",
    "permutation_test",
    "sample_size",
]
