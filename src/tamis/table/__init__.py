"""Any source becomes named, typed columns; the only place that knows dataframes exist."""

from tamis.table.column import KINDS, MISSING, UNSEEN, Column, categories
from tamis.table.decision import Decision, decision_rows
from tamis.table.extreme import refuse_extreme, refuse_extreme_matrix
from tamis.table.features import features, refuse_missing
from tamis.table.frame import beside, eager, in_days, is_frame, take
from tamis.table.output import assembled, numbers_of
from tamis.table.raw import Held, Raw, raw_of
from tamis.table.read import fetch, known_names, read, table_of
from tamis.table.refusal import refusal
from tamis.table.table import Origin, Table
from tamis.table.target import Classes, is_class_target, numbers, same_length
from tamis.table.units import position, positions, units_of

__all__ = [
    "KINDS",
    "MISSING",
    "UNSEEN",
    "Classes",
    "Column",
    "Decision",
    "Held",
    "Origin",
    "Raw",
    "Table",
    "assembled",
    "beside",
    "categories",
    "decision_rows",
    "eager",
    "features",
    "fetch",
    "in_days",
    "is_class_target",
    "is_frame",
    "known_names",
    "numbers",
    "numbers_of",
    "position",
    "positions",
    "raw_of",
    "read",
    "refusal",
    "refuse_extreme",
    "refuse_extreme_matrix",
    "refuse_missing",
    "same_length",
    "table_of",
    "take",
    "units_of",
]
