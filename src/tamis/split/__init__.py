"""Rows that train and rows that judge, and what `cv` means everywhere. Read in this order: `pairs` (what users give),
`folds` (what evaluation, search and transforms take; equal rows kept together), `tuning_folds` (within a fit: of a
path, of a pruning), `stratify` and `bootstrap` (two splitters), `exchange` (draws of a target that
respect groups and time).
"""

from tamis.split.bootstrap import BootstrapSplit
from tamis.split.folds import WORDS, folds, folds_of_copies
from tamis.split.pairs import Folds

__all__ = ["WORDS", "BootstrapSplit", "Folds", "folds", "folds_of_copies"]
