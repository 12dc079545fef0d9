"""Rows down grown trees.

Read `trees` (the arrays of a forest) and `route` (one row), then `batch` (many rows), `out_of_bag`, `interval`;
`merge` puts trees behind each other.
"""
