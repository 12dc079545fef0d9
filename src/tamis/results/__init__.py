"""What a study keeps and writes, as dataclasses that are read by name and dumped as JSON.

Read `record` (how a record becomes plain values and comes back), `fold` (one procedure in one outer fold), `procedure`
(one procedure over all folds), `comparison`, then `answer` and `results` (results.json), and `upgrade` (an earlier
layout).
"""
