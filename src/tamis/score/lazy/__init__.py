"""Scores of the columns of a lazy table: counts and sums from one pass, then the formulas of `criteria`.

Read `lazy_rank` (scores from a tally, and the order of the columns), then `tally` (what is counted and summed).
"""
