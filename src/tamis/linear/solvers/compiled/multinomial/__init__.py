"""The path of three classes or more, inside kernels.

Read `layout` (the arrays), `fit` (a fit and what it shares with its folds; `ridge_fit` along principal axes), `path`
(from strength to strength), then what a step is made of: `working_set`, `gap`, `by_hessian` or `by_residuals`, and
`line_search`.
"""
