"""Trees on tables larger than memory, grown on a mapped file of codes.

Read `fit` (from a lazy table to a tree), `level` (counts of all nodes of a level in one pass),
`statistics` (what a node holds), `split` and `surrogate` (from counts alone), `top` (level by level, down to
nodes whose rows fit into memory), `subtrees` (those nodes, grown as in memory), `graft` (one tree of all), `judge`
(pruning by rows held out).
"""
