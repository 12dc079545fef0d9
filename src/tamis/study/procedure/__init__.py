"""A procedure after fitting, and as plain values.

Read `fitted` (predictions and columns), `contribution` (what each column adds), `recipe` (type and parameters as plain
values), `transformed` (behind a study's transforms), `columns` (a fitted selector, saved), `few_columns` (held to a
number of columns), `readability` (at a glance, on a page, or not), `boosting` (the black box).
"""
