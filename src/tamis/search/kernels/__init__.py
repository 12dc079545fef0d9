"""The compiled half of searches over linear models and information criteria.

`sweep` (one column in or out of a least-squares fit), `pair_information` (information shared by pairs of columns). Best
subsets, lasso paths and logistic fits are those of `tamis.linear.solvers`.
"""
