"""How sure a score is: intervals and tests from the rows that were judged.

Read `tally` and `row_sums` (what judged rows leave behind), `curves` (confusion, ROC, calibration), `interval` (of a
score), `evidence` with `mean_bounds`, `ranking_bounds` and `bounds` (its parts), `paired` (differences between
procedures), `bootstrap_metrics` (a metric under many sets of row weights).
"""
