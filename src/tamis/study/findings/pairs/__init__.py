"""Which pairs of columns act together. Read `additive_fit` (the target as a sum of one curve a column), then
`interactions` (what pairs explain beyond it).
"""
