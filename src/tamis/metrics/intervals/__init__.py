"""How sure a score is: intervals and tests from the rows that were judged.

Read `tally` (what judged rows leave behind), `interval` (of a score), `evidence` and `bounds` (its parts), `paired`
(differences between procedures), `bootstrap_metrics` (a metric under many sets of row weights).
"""
