"""Any source becomes named, typed columns; the only place that knows dataframes exist.

Read `read`, `sources/` (files, frames, databases), `raw` (cells, nothing decided), `inference/` (what a column is),
`types` (what users say it is), then `table` and `column` (the result), `decision` (why), `lazy/` (tables whose rows
stay in their files); `interface/` is how estimators read tables; `canonical` makes fingerprints.
"""

from tamis.table.column import KINDS, MISSING, UNSEEN, Column, categories
from tamis.table.decision import Decision, decision_rows
from tamis.table.interface.column_groups import column_groups_of, position, positions
from tamis.table.interface.extreme import overflow_refused, refusal, refuse_extreme, refuse_extreme_matrix
from tamis.table.interface.features import features, refuse_missing
from tamis.table.interface.output import assembled, numbers_of, replaced
from tamis.table.interface.target import Classes, is_class_target, numbers, same_length, target_scales
from tamis.table.lazy.lazy_table import LazyTable
from tamis.table.lazy.read_lazy import grid_source, is_lazy_source
from tamis.table.raw import Held, Raw, raw_of
from tamis.table.read import fetch, fetch_some, known_names, read, table_of
from tamis.table.sources.frame import beside, eager, in_days, is_frame, take
from tamis.table.table import Origin, Table

__all__ = [
    "KINDS",
    "MISSING",
    "UNSEEN",
    "Classes",
    "Column",
    "Decision",
    "Held",
    "LazyTable",
    "Origin",
    "Raw",
    "Table",
    "assembled",
    "beside",
    "categories",
    "column_groups_of",
    "decision_rows",
    "eager",
    "features",
    "fetch",
    "fetch_some",
    "grid_source",
    "in_days",
    "is_class_target",
    "is_frame",
    "is_lazy_source",
    "known_names",
    "numbers",
    "numbers_of",
    "overflow_refused",
    "position",
    "positions",
    "raw_of",
    "read",
    "refusal",
    "refuse_extreme",
    "refuse_extreme_matrix",
    "refuse_missing",
    "replaced",
    "same_length",
    "table_of",
    "take",
    "target_scales",
]
