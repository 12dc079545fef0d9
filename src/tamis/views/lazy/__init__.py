"""Views of tables larger than memory: one pass over the cells of the grid, merged in its order.

Read `fold_moments` (moments of every fold), `target` (what `fit` is given and is to learn: classes or numbers),
`key_coding` (columns of numbers as codes), `mapped_codes` (all rows as codes of one byte in a mapped
file, for trees and forests).
"""
