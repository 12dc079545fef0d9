"""Parts of stability selection, and of the sifted forest.

Read `resamples` (which rows; how alike the chosen sets are; columns kept falsely, at most), `lasso` (whole paths on
each); `halving` (how often the columns of a forest can be halved).
"""
