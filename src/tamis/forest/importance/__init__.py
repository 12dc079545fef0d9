"""Permutation importance of columns on out-of-bag rows.

Read `permutation_importance` (what is asked and answered), `per_tree` (the core's answer), then
`importance_pvalues` (what permuted copies of columns reach).
"""
