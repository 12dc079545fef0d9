"""Losses of linear models: value, gradient, curvature and convex conjugate of each row's loss.

Read `loss` first (every loss as arrays of rows), then `row_loss` (the same inside kernels, chosen by a number).
"""
