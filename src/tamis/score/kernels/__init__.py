"""The compiled half of the scores; kernels take arrays and fill arrays.

Read `contingency` (counting scores) and `best_split` (the stump), `sums` (means and variances), `hits_and_misses`
(Relief), `pair_contingency` with `bits` (interaction).
"""
