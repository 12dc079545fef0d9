"""The best cut of one column in one node, by criterion and kind of column.

Read `criterion`, then `thresholds` (numbers) and `categories`; `two_classes` and `absolute_error` are their fast forms;
`sort` and `presorted` bring the rows in order.
"""
