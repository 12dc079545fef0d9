"""Reporting checklists filled from a study: `items` (what is asked), `answers` (what a study answers), `write`.

Items are worded by us; numbers and subjects are those of the guidelines named in `items`.
"""

from tamis.report.checklist.answers import filled
from tamis.report.checklist.items import CHECKLISTS, Checklist, Item
from tamis.report.checklist.write import checklist_text, write_checklist

__all__ = ["CHECKLISTS", "Checklist", "Item", "checklist_text", "filled", "write_checklist"]
