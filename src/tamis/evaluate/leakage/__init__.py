"""Parts of the search for leaks (`tamis.evaluate.leaks`).

`univariate`: how much of the target one column tells. `duplicates`: equal and nearly equal rows.
"""
