"""A procedure after fitting, and as plain values.

Read `fitted` (predictions and columns), `contribution` (what each column adds), `recipe` (type and parameters as plain
values), `transformed` (behind a study's transforms), `columns` (a fitted selector, saved), `few_columns` (held to a
number of columns), `boosting` (the black box).
"""
