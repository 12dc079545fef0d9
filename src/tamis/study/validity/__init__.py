"""Whether a model may be used: calibration, net benefit and subgroups of held-out predictions, and other tables.

Read in this order: `judged` (the held-out predictions), `calibration`, `decision` (net benefit), `subgroups`, `facts`
(all of it for results.json), `external` (validation of a finished study on another table) with `drift` and
`recalibration`.
"""
