"""Permutation importance of columns on out-of-bag rows.

Read `permutation_importance` (what is asked and answered), `per_tree` (threads over trees), `kernels`, then
`importance_pvalues` (what permuted copies of columns reach).
"""
