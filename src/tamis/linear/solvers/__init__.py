"""Solvers: from a loss, a penalty and rows to coefficients, for one strength or a whole path. `tamis.search` uses them.

Read `normal_equations` (squared loss from moments) and `compiled/` (any loss from rows, on a working set), both in the
core, `_core/linear`; closed forms in `least_squares`, `ridge`, `bayes`; `hinge`; `bridge`; `effective` (degrees of
freedom), `relaxed` (refits of supports); subsets in `best_subset` (proved), `splicing` (found), `subset_path` (chosen).
"""
