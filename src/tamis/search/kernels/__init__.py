"""The compiled half of searches over linear models and information criteria.

`sweep` (one column in or out of a least-squares fit), `leaps` (best subset of every size), `newton` (logistic fits of
many sets), `lasso_path` (stability selection), `pair_information` (information shared by pairs of columns).
"""
