"""The models that procedures make, and what is known of a fitted one.

Read `fitted` (predictions and columns), `contribution` (what each column adds), `recipe` (type and parameters as plain
values), `transformed` (behind a study's transforms), `columns` (a fitted selector, saved), `few_columns` (held to a
number of columns), `readability` (at a glance, on a page, or not). Models: `linear` and `trees` (as studies fit them),
`boosting` (the black box; its `rounds` by inner folds), `sized/` (readable models of several sizes).
"""
