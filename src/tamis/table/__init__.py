"""Any source becomes named, typed columns; the only place that knows dataframes exist."""

from tamis.table.column import KINDS, MISSING, UNSEEN, Column, categories
from tamis.table.decision import Decision, decision_rows
from tamis.table.features import features, refuse_missing
from tamis.table.frame import is_frame, take
from tamis.table.raw import Held, Raw, raw_of
from tamis.table.read import fetch, known_names, read, table_of
from tamis.table.table import Table
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
    "Raw",
    "Table",
    "categories",
    "decision_rows",
    "features",
    "fetch",
    "is_class_target",
    "is_frame",
    "known_names",
    "numbers",
    "position",
    "positions",
    "raw_of",
    "read",
    "refuse_missing",
    "same_length",
    "table_of",
    "take",
    "units_of",
]
