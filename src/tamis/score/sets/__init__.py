"""The worth of a set of columns: `consistency` (does it settle the class) and `cfs` (relevant, not redundant).

Both are what subset search maximises when no model is given.
"""
