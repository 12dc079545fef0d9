"""Scores of the columns of a lazy table: counts and sums from one pass, then the formulas of `criteria`.

Read `lazy_rank` (the order of the columns), `tally` (what is counted and summed), `scored` (scores from a tally).
"""
