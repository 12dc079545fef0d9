"""Fits that a compiled kernel takes down their path: all rows and every fold side by side.

Read `path_fit` (which fits there are, and their folds), `standardized` (the columns they read), then a kernel and its
fit: `squared`, `newton` with `newton_fit`, `multinomial`.
"""
