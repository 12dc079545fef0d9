"""Arithmetic on matrices of rows × positions: nothing here checks its input, every row is worked out on its own.

`average`, `savitzky_golay` and `wavelets` smooth; `asls` and `polynomial` find baselines, after `offset`; `holes` are
missing values.
"""
