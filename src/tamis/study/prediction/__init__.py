"""Predictions of new rows, and how far they can be trusted.

Read `training` (what is remembered of the training rows, and which new rows are unlike them) with `distance` (several
columns together), `residuals` (errors on rows not seen, and the intervals they give), then `answers` (predictions as
CSV).
"""
