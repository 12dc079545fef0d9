"""Growing one tree: codes in, nodes out.

Read `fit` (from a table to a Tree), `layout` (the arrays) and `training_set` (table and target); the core grows.
"""
