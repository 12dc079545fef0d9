"""The locked test set: rows put away before anything is learned, and the ledger of every look at them.

Read `lock` (which rows are locked), `row_hashes` (locked rows known again in a changed table), `ledger` (every look).
"""

from tamis.lock.ledger import DAMAGED, LEDGER_FILE, OPENED, PREDICTED, VALIDATED, Ledger, Look
from tamis.lock.lock import FEWEST, LOCK_FILE, Held, Lock
from tamis.lock.row_hashes import RowHashes

__all__ = [
    "DAMAGED",
    "FEWEST",
    "LEDGER_FILE",
    "LOCK_FILE",
    "OPENED",
    "PREDICTED",
    "VALIDATED",
    "Held",
    "Ledger",
    "Lock",
    "Look",
    "RowHashes",
]
