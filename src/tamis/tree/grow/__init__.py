"""Growing one tree: codes in, nodes out.

Read `fit` (from a table to a Tree) and `layout` (the arrays), then `grow` (the loop), `summary`, `split`, `scan/`
(the best cut of one column), `partition` (rows to children), `surrogate`; `training_set` joins table and target.
"""
