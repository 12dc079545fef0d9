"""Results become facts ready to show: sentences and tables of text, nothing left to compute for the page.

Read `assembled` (all of them), then a file a section, in the order of the page: `answer`, `picture/` (ladder, model),
`warnings`, `columns` and `cards`, `selection`, `procedures`, `model`, `performance`, `sheet` with `lock`.
"""

from tamis.report.facts.assembled import facts

__all__ = ["facts"]
