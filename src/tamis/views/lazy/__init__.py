"""Views of tables larger than memory: one pass over the cells of the grid, merged in its order.

Read `fold_moments` (moments of every fold), then `target` (what is to be learned: classes or numbers).
"""
