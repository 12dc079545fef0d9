"""Fits that a compiled kernel takes down their path: all rows and every fold side by side.

Read `layout` (the arrays of kernels), `path_fit` (which fits there are, and their folds), `standardized` (the columns
they read), then a kernel and its fit: `squared` with `squared_fit`, `newton` with `newton_fit`, `multinomial/`;
`logistic_sets` fits many sets of columns at one strength.
"""
