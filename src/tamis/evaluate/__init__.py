"""Honest evaluation: every number Tamis reports about how good something is comes from here."""

from tamis.evaluate.nested import Comparison, NestedScore, nested_score

__all__ = ["Comparison", "NestedScore", "nested_score"]
