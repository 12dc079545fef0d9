"""The compiled core (`_core/`) as Python sees it: arrays are C-ordered, of the types said here.

Groups of arrays are named tuples, read by their names: BinnedTable of `tamis.views.binned_table`; ForestTarget,
TargetCosts, ForestLimits and Draws of `tamis.forest.layout`; Trees of `tamis.forest.predict.trees`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

# columns as codes

def code_columns(
    lines: np.ndarray, places: np.ndarray, codes: np.ndarray, values: np.ndarray, sizes: np.ndarray, missing: np.ndarray
) -> None:
    """Codes of columns of numbers, float64 (columns, rows): ranks of their values.

    Column q fills line places[q] of codes (uint16) and values (float64), and an element of sizes (int64: distinct
    values) and missing (bool).
    """

def recode_columns(
    given: np.ndarray, n_values: np.ndarray, first: np.ndarray, low: np.ndarray, rows: np.ndarray, columns: np.ndarray,
    places: np.ndarray, codes: np.ndarray, values: np.ndarray, sizes: np.ndarray, missing: np.ndarray,
) -> None:  # fmt: skip
    """The same for some rows of a BinnedTable (its first four arrays): ranks among the values that these rows have.

    columns : for each column p, its line there. places : the columns p to fill.
    """

def learn_numbers(values: np.ndarray, max_codes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, bool]:
    """Smallest and largest value of each code, edges between codes, and whether coding is lossless."""

def encode(values: np.ndarray, edges: np.ndarray, missing: int) -> np.ndarray:
    """How many edges lie below each value; NaN gets the code `missing`; of the smallest type that holds it."""

def midways(values: np.ndarray) -> np.ndarray:
    """Midway between neighbouring values."""

# the order of rows

def hash_codes(codes: np.ndarray) -> np.ndarray:
    """A digest of every row (uint64) of codes, uint16 (columns, rows)."""

def fold_words(words: np.ndarray, n_lanes: int) -> np.ndarray:
    """Words of 64 bits stirred into so many."""

def arrange(codes: np.ndarray, order: np.ndarray, is_narrow: bool) -> tuple[np.ndarray, np.ndarray]:
    """Codes, uint16 (columns, rows), with their rows in an order: column by column, and row by row; uint8 if narrow."""

# forests

class GrowingForest:
    """A forest while it grows: its trees so far, and the sums that are kept of them."""

    n_trees: int
    share: float
    gain: np.ndarray

    def __init__(self, costs: Any, n_columns: int, judges: bool, n_interval_rows: int, copy_costs: Any) -> None: ...
    def grow(
        self, table: Any, target: Any, limits: Any, draws: Any, seeds: np.ndarray, judges: bool,
        loss: np.ndarray | None, n_threads: int, progress: Callable[[int], None] | None,
    ) -> None:  # fmt: skip
        """One tree for each line of seeds, int64 (trees, 2): of the rows it draws, and its own.

        judges : send the rows left out down. loss : where trees vote, the cost of each (truth, answer). progress : is
        told how many are done, several times a second.
        """

    def add(self, batch: Any) -> None:
        """Trees that were grown by themselves: a TreeBatch."""

    def join(self, columns: np.ndarray, n_classes: int, has_table: bool) -> tuple[np.ndarray, ...]:
        """nodes (words of 64 bits), table, sets, sum_column, sum_factor and ends of all trees; none is left here."""

    def out_of_bag(self, of_copies: bool = ...) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Sums of answers (rows, outputs), trees that left each row out, error after each tree."""

    def drawn_answers(self) -> tuple[np.ndarray, ...]:
        """below, upto, drawn, least, most, truth: how answers lie among those drawn from leaves."""

def grow_tree(
    table: Any, target: Any, limits: Any, draws: Any, row_seed: int, tree_seed: int, judges: bool,
    loss: np.ndarray | None, judges_copies: bool,
) -> tuple[np.ndarray, ...]:  # fmt: skip
    """One tree by itself: the fields of a TreeBatch."""

def draw_rows(draws: Any, n_rows: int, seed: int) -> np.ndarray:
    """How often each row is drawn (int32)."""

def permutation_rises(
    trees: Any, table: Any, matrix: np.ndarray, unit_of: np.ndarray, place: np.ndarray, target_costs: Any, draws: Any,
    seeds: np.ndarray, n_units: int, repeats: int, n_threads: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, int]:  # fmt: skip
    """Rise of the trees' cost when units of columns are permuted among the rows left out.

    Sums over trees: of the rise, of its square, of the rise in each class, of trees with rows of each class; and how
    many rows were left out. seeds : int64 (trees, 2), of the rows each drew, and of the permutations.
    """

# rows down trees

def sum_answers(trees: Any, X: np.ndarray, n_classes: int, n_outputs: int, n_threads: int) -> np.ndarray:
    """Sum of the trees' answers for every row of X, float64: (rows, outputs)."""

def drawn_answers(trees: Any, X: np.ndarray, n_threads: int) -> np.ndarray:
    """A training answer from the leaf of each row in each tree: float32 (rows, trees)."""

def leaves(trees: Any, X: np.ndarray, n_threads: int) -> np.ndarray:
    """The leaf of each row in each tree, counted from its root: int64 (trees, rows)."""
