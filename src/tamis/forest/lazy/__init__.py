"""Forests on tables larger than memory: each tree draws some rows of a mapped file of codes.

Read `fit` (from a lazy table to a forest), `draw` (which rows a tree draws), `one_tree` (a tree on its own rows).
"""
