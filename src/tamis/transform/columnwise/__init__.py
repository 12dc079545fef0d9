"""Transforms that change each column, or each row, by itself; a file holds one, `unit_range` the class `UnitRange`.

A file that is added here is found by its name, in `tamis.transform` and in the words of `Transforms`; nothing else
changes.
"""
