"""A model that people can read as plain values, from which a page draws it and computes predictions.

Read `model` (which kind it is; trees and formulas), then `curves` (additive models) and `card` (score cards).
"""

from tamis.study.findings.readable.model import readable

__all__ = ["readable"]
