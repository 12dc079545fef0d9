"""Rows down grown trees.

Read `trees` (the arrays of a forest, and the core's answers by them), `out_of_bag`, `interval`, `temperature`.
"""
