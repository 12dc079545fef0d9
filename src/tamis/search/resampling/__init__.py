"""Parts of stability selection, and of the sifted forest.

Read `resamples` (which rows), `lasso` (whole paths on each), `stability_index` (how alike the chosen sets are),
`false_selection_bound` (columns kept falsely, at most);
`halving` (how often the columns of a forest can be halved).
"""
