"""Linear models of tables larger than memory.

Read `prepare` (what a lazy table must be, and what the model remembers of it), `squared` (all of it from
moments), `logistic` and `logistic_pass` (passes over the rows).
"""
