"""Penalised linear models and their whole paths."""

from tamis.linear.classifier import LinearClassifier
from tamis.linear.regressor import LinearRegressor

__all__ = ["LinearClassifier", "LinearRegressor"]
