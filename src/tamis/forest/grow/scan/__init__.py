"""What cuts along one column gain, cut after cut.

Read `sums` (of buckets and levels), `ordered` (rows in the order of their codes, by the squared error or Gini's
impurity), then `deviation` (both, by the standard deviation).
"""
