"""Honest evaluation: every number Tamis reports about how good something is comes from here."""

from tamis.evaluate.audit import Audit, audit
from tamis.evaluate.loss import LossMatrix
from tamis.evaluate.nested import Comparison, NestedScore, nested_score
from tamis.evaluate.permutation import PermutationTest, permutation_test

__all__ = [
    "Audit",
    "Comparison",
    "LossMatrix",
    "NestedScore",
    "PermutationTest",
    "audit",
    "nested_score",
    "permutation_test",
]
