"""The kernels of boosting: `bins` (codes of one byte), `rounds` (gradients, and a tree a sum), `tree` (how one grows),
`split` (the best split by one column) and `histogram` (what it is found from).
"""
