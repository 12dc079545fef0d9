"""Fits that the core (`_core/linear`) takes down their path: all rows and every fold side by side.

Read `path_fit` (which fits there are, and their folds), `standardized` (the columns they read), then the fits:
`squared_fit`, `newton_fit` (one linear predictor), `multinomial_fit`; `principal_axes`, `ridge_strengths` and
`softmax_newton` serve ridge.
"""
