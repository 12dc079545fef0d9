"""Arithmetic on matrices of rows × positions: nothing here checks its input, every row is worked out on its own.

`smoothing` and `wavelets` smooth, `baselines` finds what lies under the peaks.
"""
