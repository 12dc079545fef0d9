"""The compiled core (`_core/`) as Python sees it: arrays are C-ordered, of the types said here.

Groups of arrays are named tuples, read by their names: BinnedTable of `tamis.views.binned`; ForestTarget,
TargetCosts, ForestLimits and Draws of `tamis.forest.layout`; Trees of `tamis.forest.predict.trees`; BoostingTarget and
BoostingLimits of `tamis.boosting.layout`; AdditiveColumns, AdditiveTarget and AdditiveLimits of
`tamis.additive.layout`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

#: The digest of the files it was compiled from.
SOURCES: str

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

# boosting

def boost(
    table: Any, target: Any, limits: Any, baseline: np.ndarray, columns: np.ndarray, n_rounds: int, n_threads: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """All rounds: nodes (words of 64 bits), roots and sets of the trees, those of a sum together; gains of columns.

    table : codes of one byte. baseline : float64, what each sum of trees begins with. columns : int64, what the columns
    of the table are called in the trees.
    """

def join_bins(
    table: Any, counted: np.ndarray, max_bins: int, n_threads: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """codes (uint8), n_values, first, low and high of columns of numbers in at most so many bins; 0 for categories.

    counted : float64, how many rows each row counts for: bins have nearly as many each.
    """

# rows down trees

def sum_answers(trees: Any, X: np.ndarray, n_classes: int, n_outputs: int, n_threads: int) -> np.ndarray:
    """Sum of the trees' answers for every row of X, float64: (rows, outputs)."""

def drawn_answers(trees: Any, X: np.ndarray, n_threads: int) -> np.ndarray:
    """A training answer from the leaf of each row in each tree: float32 (rows, trees)."""

def leaves(trees: Any, X: np.ndarray, n_threads: int) -> np.ndarray:
    """The leaf of each row in each tree, counted from its root: int64 (trees, rows)."""

# scores of columns (codes uint16, classes int32, numbers float64)

def count_classes(codes: np.ndarray, first: np.ndarray, classes: np.ndarray, counts: np.ndarray) -> None:
    """counts[first[j] + codes[j, i], classes[i]] += 1."""

def count_keys(keys: np.ndarray, table: np.ndarray, classes: np.ndarray, counts: np.ndarray) -> None:
    """counts[table[keys[i]], classes[i]] += 1; keys uint32, table uint16, counts int64; no row of a class below 0."""

def weigh_classes(
    codes: np.ndarray, first: np.ndarray, classes: np.ndarray, weights: np.ndarray, counts: np.ndarray
) -> None:
    """counts[first[j] + codes[j, i], classes[i]] += weights[i]."""

def group_lines(
    sorted: np.ndarray, order: np.ndarray, n_present: np.ndarray, n_distinct: np.ndarray, limits: np.ndarray,
    codes: np.ndarray, sizes: np.ndarray,
) -> None:  # fmt: skip
    """Group codes of sorted columns (d, n): each value its own group, or at most limits[j] of about equal size."""

def weigh_codes(codes: np.ndarray, classes: np.ndarray, weights: np.ndarray, counts: np.ndarray) -> None:
    """counts[codes[i], classes[i]] += weights[i]."""

def best_threshold(counts: np.ndarray) -> float:
    """Weight that the best {x <= t} classifies correctly; the last row counts missing values."""

def best_level_set(counts: np.ndarray) -> float:
    """Weight that the best set of levels classifies correctly."""

def shared_information(
    codes: np.ndarray, sizes: np.ndarray, column: int, xlogx: np.ndarray, entropy: np.ndarray, out: np.ndarray
) -> None:
    """out[i] = I(x_i; x_column), in nats."""

def shared_information_within(
    codes: np.ndarray, sizes: np.ndarray, column: int, classes: np.ndarray, n_classes: int, xlogx: np.ndarray,
    out: np.ndarray,
) -> None:  # fmt: skip
    """out[i] = I(x_i; x_column | y), in nats."""

def sums_by_class_of_rows(
    X: np.ndarray, weights: np.ndarray, classes: np.ndarray, shift: np.ndarray, sums: np.ndarray, squares: np.ndarray
) -> None:
    """X (rows, columns): sums of w (x - shift) by class, and of w (x - shift)²."""

def sums_with_numbers_of_rows(
    X: np.ndarray, weights: np.ndarray, y: np.ndarray, shift: np.ndarray, sums: np.ndarray, squares: np.ndarray,
    products: np.ndarray,
) -> None:  # fmt: skip
    """X (rows, columns): sums of w (x - shift), w (x - shift)² and w (x - shift) y."""

def sums_by_class_of_columns(
    X: np.ndarray, weights: np.ndarray, classes: np.ndarray, shift: np.ndarray, sums: np.ndarray, squares: np.ndarray
) -> None:
    """X (columns, rows): as sums_by_class_of_rows."""

def sums_with_numbers_of_columns(
    X: np.ndarray, weights: np.ndarray, y: np.ndarray, shift: np.ndarray, sums: np.ndarray, squares: np.ndarray,
    products: np.ndarray,
) -> None:  # fmt: skip
    """X (columns, rows): as sums_with_numbers_of_rows."""

class Points:
    """The columns of a table, sorted by how their difference is taken."""

    holed: np.ndarray
    is_category: np.ndarray
    expected: np.ndarray
    between: np.ndarray

    def __init__(
        self, by_row: np.ndarray, by_column: np.ndarray, codes: np.ndarray, holed: np.ndarray, is_category: np.ndarray,
        groups: np.ndarray, expected: np.ndarray, between: np.ndarray, is_squared: bool,
    ) -> None: ...  # fmt: skip

def nearest_rows(points: Points, queries: np.ndarray, codes: np.ndarray, out: np.ndarray) -> None:
    """Nearest other rows of each class: out, int32 (queries, targets, classes, k), holds -1 before."""

def hits_and_misses(
    points: Points, queries: np.ndarray, codes: np.ndarray, nearest: np.ndarray, priors: np.ndarray, weights: np.ndarray
) -> None:
    """ReliefF: adds to weights (targets, columns)."""

def near_and_far(
    points: Points, queries: np.ndarray, y: np.ndarray, nearest: np.ndarray, target_differences: np.ndarray,
    column_differences: np.ndarray, products: np.ndarray,
) -> None:  # fmt: skip
    """RReliefF: sums of differences of the targets, of the columns, and of their products."""

class PairColumns:
    """Columns whose pairs are counted, rows of each group as bits."""

    n_words: int

    def __init__(self, codes: np.ndarray, sizes: np.ndarray) -> None: ...

class PairTargets:
    """Targets of the same class sizes, which pairs of columns are counted against."""

    n_targets: int

    def __init__(self, columns: PairColumns, classes: np.ndarray, n_classes: int, xlogx: np.ndarray) -> None: ...

def count_used_cells(columns: PairColumns, first: int, last: int, used: np.ndarray) -> None:
    """used[i, j]: pairs of values that occur, for first <= i < last and i < j."""

def pair_synergies(
    columns: PairColumns, targets: PairTargets, xlogx: np.ndarray, first: int, last: int, out: np.ndarray
) -> None:
    """out[t, i, j] = I(x_i, x_j; y_t) - I(x_i; y_t) - I(x_j; y_t)."""

def pair_null(
    columns: PairColumns, targets: PairTargets, xlogx: np.ndarray, freedom: np.ndarray, first: int, last: int,
    total: np.ndarray, best: np.ndarray,
) -> None:  # fmt: skip
    """Adds the synergies to total (d, d); best (targets) keeps the largest standardised one."""

# subset search on linear models: A and B are scatters of training and test rows, (folds, d + 1, d + 1)

class GrowingBase:
    """All columns after regression on a base that grows by one column."""

    tests: np.ndarray
    gamma: np.ndarray
    rest: np.ndarray
    gradient: np.ndarray
    test_curvature: np.ndarray
    test_gradient: np.ndarray
    error: np.ndarray

    def __init__(
        self, tests: np.ndarray, gamma: np.ndarray, rest: np.ndarray, gradient: np.ndarray, test_curvature: np.ndarray,
        test_gradient: np.ndarray, error: np.ndarray,
    ) -> None: ...  # fmt: skip

def push_column(column: int, size: int, chosen: np.ndarray, train: np.ndarray, base: GrowingBase) -> None:
    """Add a column to a base of `size` columns; train (folds, d): its column of A."""

def addition_errors(
    columns: np.ndarray, diagonal: np.ndarray, base: GrowingBase, errors: np.ndarray, health: np.ndarray
) -> None:
    """errors[f, i]: squared test error with columns[i] added; health[i]: the least share of it the base leaves."""

class ShrinkingBase:
    """A base of columns that is about to lose one."""

    M: np.ndarray
    diagonal: np.ndarray
    error: np.ndarray

    def __init__(
        self, M: np.ndarray, Q: np.ndarray, w: np.ndarray, g: np.ndarray, error: np.ndarray, diagonal: np.ndarray
    ) -> None: ...

def removal_errors(size: int, base: ShrinkingBase, errors: np.ndarray) -> None:
    """errors[f, i]: squared test error with the i-th column of the base taken out."""

def pop_column(index: int, size: int, base: ShrinkingBase) -> None:
    """Take a column out of a base of `size` columns."""

def set_errors(
    sets: np.ndarray, sizes: np.ndarray, A: np.ndarray, B: np.ndarray, raw: np.ndarray, errors: np.ndarray,
    health: np.ndarray,
) -> None:  # fmt: skip
    """errors[s, f]: squared test error of each set, by Cholesky."""

# transformations and projections

def entropy_cuts(
    values: np.ndarray, codes: np.ndarray, n_classes: int, nlogn: np.ndarray, max_cuts: int, sorted_rows: int = ...
) -> np.ndarray:
    """Cut points by Fayyad and Irani's criterion, the largest gain first."""

def squared_error_cuts(x: np.ndarray, sums: np.ndarray, squares: np.ndarray, max_cuts: int) -> np.ndarray:
    """Cut points of a sorted column by squared error, the largest gain first."""

def subtract_baselines(
    signals: np.ndarray, corrected: np.ndarray, bands: np.ndarray, p: float, tol: float, max_iter: int,
    far_from_zero: float,
) -> tuple[int, int]:  # fmt: skip
    """Asymmetric least squares; rows whose weights did not settle, and systems that the slowest took."""

def fill_expectations(
    data: np.ndarray, precision: np.ndarray, rows: np.ndarray, holes: np.ndarray, starts: np.ndarray,
    weights: np.ndarray, extra: np.ndarray,
) -> None:  # fmt: skip
    """Fill the holes of centred rows by their expectation; add their covariances to extra."""

# exponentials and logarithms, in place

def exp_below_0(x: np.ndarray) -> None:
    """exp(x) of numbers up to 0."""

def log_above_1(x: np.ndarray) -> None:
    """ln(x) of numbers from 1."""

def log1p_below_1(x: np.ndarray) -> None:
    """ln(1 + x) of numbers between 0 and 1."""

def times_log(x: np.ndarray) -> None:
    """x ln x of numbers between 0 and 1; 0 of others."""

# linear models: paths of penalised losses

def gram_paths(
    H: list[np.ndarray], c: list[np.ndarray], yy: np.ndarray, l1: np.ndarray, l2: np.ndarray, ends: np.ndarray,
    sides: np.ndarray, alphas: np.ndarray, tol: float, coef: np.ndarray, gap: np.ndarray, n_threads: int,
) -> None:  # fmt: skip
    """Paths of ½ βᵀHβ - cᵀβ + ½ yy with a penalty: coef (fits, alphas, columns), duality gaps (fits, alphas)."""

class HeldOut:
    """Models of one fold (coefficients other than 0 by position) or their linear predictors of the rows held out."""

    is_model: bool
    n_models: int
    position: np.ndarray
    value: np.ndarray
    intercept: np.ndarray
    predictor: np.ndarray

class PathOverFolds:
    """coef (strengths, (columns + 1) · outputs) of all rows, errors (strengths, folds), largest gaps (fits)."""

    n_strengths: int
    coef: np.ndarray
    errors: np.ndarray
    gaps: np.ndarray
    held_out: list[list[HeldOut]]

def path_over_folds(
    fits: list[Any], alphas: np.ndarray, n_columns: int, weights: np.ndarray, tests: list[np.ndarray],
    shares: list[np.ndarray], goals: np.ndarray, factors: np.ndarray, end: tuple[int, int, float, bool],
    keeps_models: int, n_threads: int,
) -> PathOverFolds:  # fmt: skip
    """The paths of a fit of all rows and of one per fold, until the folds are past their best."""

class Columns:
    """Columns of one fit: (Z - centre) · inverse; Z (columns, rows), or (1, entries) with begin and row."""

    def __init__(
        self, Z: np.ndarray, begin: np.ndarray, row: np.ndarray, centre: np.ndarray, inverse: np.ndarray,
        norms: np.ndarray, n_rows: int,
    ) -> None: ...  # fmt: skip

class SquaredPath:
    """A fit of the squared loss by the Gram matrix of its working set."""

    null_gradient: np.ndarray
    null_loss: float

    def __init__(
        self, columns: Columns, y: np.ndarray, w: np.ndarray, l1: np.ndarray, l2: np.ndarray, sides: np.ndarray,
        has_intercept: bool,
    ) -> None: ...  # fmt: skip
    def solve(
        self, alphas: np.ndarray, goal: float, enough: float, coef: np.ndarray, eta: np.ndarray, gap: np.ndarray
    ) -> None:
        """Fill coef (alphas, columns + 1), linear predictors (alphas, rows) and duality gaps."""

class ProxNewton:
    """A fit of one linear predictor and any loss by proximal Newton steps."""

    beta: np.ndarray
    eta: np.ndarray
    residual: np.ndarray
    null_gradient: np.ndarray
    intercept: float
    mean_loss: float
    floor: float
    thresholds: np.ndarray

    def __init__(
        self, loss: object, parameter: float, columns: Columns, y: np.ndarray, w: np.ndarray, offset: np.ndarray,
        l1: np.ndarray, l2: np.ndarray, ends: np.ndarray, sides: np.ndarray, has_intercept: bool, keeps_hessian: bool,
    ) -> None: ...  # fmt: skip
    def start(self, intercept: float, eta: np.ndarray) -> None:
        """The model without columns, from a first intercept and its linear predictors."""

    def solve(
        self, alphas: np.ndarray, goal: float, enough: float, coef: np.ndarray, eta: np.ndarray, gap: np.ndarray
    ) -> None:
        """As of SquaredPath."""

class MultinomialPath:
    """A fit of several classes on (class, column) pairs."""

    beta: np.ndarray
    eta: np.ndarray
    residual: np.ndarray
    prob: np.ndarray
    null_gradient: np.ndarray
    intercept: np.ndarray
    mean_loss: float

    def __init__(
        self, columns: Columns, y: np.ndarray, w: np.ndarray, l1: np.ndarray, l2: np.ndarray, ends: np.ndarray,
        has_intercept: bool, max_hessian: int, intercept: np.ndarray,
    ) -> None: ...  # fmt: skip
    def solve(
        self, alphas: np.ndarray, goal: float, enough: float, coef: np.ndarray, eta: np.ndarray, gap: np.ndarray
    ) -> None:
        """As of SquaredPath, with as many numbers per column and row as there are classes."""

    def refresh(self, totals: np.ndarray) -> None:
        """Residuals, probabilities and mean loss at the linear predictors; totals: sums of residuals."""

def update_strengths(
    loss: str, width: float, eta: np.ndarray, residual: np.ndarray, curvature: np.ndarray, intercept: np.ndarray,
    y: np.ndarray, w: np.ndarray, has_intercept: bool, tolerance: float, which: np.ndarray,
) -> None:  # fmt: skip
    """Residuals and curvatures of some strengths (lines), the intercepts at their optimum."""

def search_strengths(
    loss: str, width: float, eta: np.ndarray, residual: np.ndarray, curvature: np.ndarray, intercept: np.ndarray,
    y: np.ndarray, w: np.ndarray, which: np.ndarray, move: np.ndarray, mixed: np.ndarray, square: np.ndarray,
    length: np.ndarray,
) -> None:  # fmt: skip
    """Lengths of steps of the linear predictors, halved until the objective falls; the predictors follow."""

def bridge_path(
    H: np.ndarray, c: np.ndarray, factors: np.ndarray, q: float, alphas: np.ndarray, tol: float, coef: np.ndarray
) -> None:  # fmt: skip
    """A path of the squared loss with the penalty alpha sum f |beta|^q, by coordinate descent on its moments."""

LOSSES: tuple[str, ...]

def fit_gram_supports(
    H: list[np.ndarray], c: list[np.ndarray], begin: list[np.ndarray], entries: list[np.ndarray],
    beta: list[np.ndarray], n_threads: int,
) -> None:  # fmt: skip
    """Solve H_SS beta = c_S on every support of every fit."""

def fit_supports(
    loss: str, width: float, Z: np.ndarray, y: np.ndarray, labels: np.ndarray, n_outputs: int, offset: np.ndarray,
    w: list[np.ndarray], ridge: list[np.ndarray], begin: list[np.ndarray], entries: list[np.ndarray],
    beta: list[np.ndarray], tol: float, n_threads: int,
) -> None:  # fmt: skip
    """Unpenalised fits of a loss on every support of every fit, by Newton steps."""

def fit_logistic_sets(
    Z: np.ndarray, y: np.ndarray, weights: np.ndarray, ridge: np.ndarray, columns: np.ndarray, sizes: np.ndarray,
    starts: np.ndarray, betas: np.ndarray, decisions: np.ndarray,
) -> None:  # fmt: skip
    """Logistic regression on many sets of columns (sets, most): betas (sets, folds, most), decisions (…, rows)."""

# linear models: best subsets

def score_cards(
    statements: np.ndarray,
    target: np.ndarray,
    weight: np.ndarray,
    is_logistic: bool,
    max_terms: int,
    max_points: int,
    sides: np.ndarray,
) -> list[tuple[np.ndarray, np.ndarray, float, float, float]]:
    """The best card of 1, 2 … max_terms statements: their numbers, points, intercept and slope of the curve, loss.

    statements : uint8 (statements, rows), 1 where it holds; those beside each other are tried for one another. target :
    0 and 1 for a logistic curve, else numbers. sides : int8, 1 for a statement that may only raise the answer, -1 lower
    it, 0 either; empty where all are free.
    """

def pair_gains(
    coarse: np.ndarray, n_coarse: np.ndarray, values: np.ndarray, weight: np.ndarray, min_leaf: int
) -> np.ndarray:
    """For each column the gain of the best tree of at most four leaves whose first split is along it.

    coarse : uint8 (rows, columns), codes below n_coarse (int32). values : (rows, targets), centred. The gain of a tree
    is the sum over its leaves of the squared sum of w y by the sum of w.
    """

def optimal_trees(
    coarse: np.ndarray, n_coarse: np.ndarray, fine: np.ndarray, n_fine: np.ndarray, last_fine: np.ndarray,
    values: np.ndarray, weight: np.ndarray, depth: int, min_leaf: int, max_solved: int,
) -> tuple[np.ndarray, np.ndarray, bool]:  # fmt: skip
    """The best tree of 1 to 8 leaves and at most `depth` (1 to 3) levels, by branch and bound over coarse cuts.

    fine : uint16 (columns, rows), the codes that splits are refined on. last_fine : int32 (columns, coarse codes), the
    last fine code of each coarse one. Returns splits int32 (8, 7, 2), column (-1 for none) and fine code of the cut at
    each position, the children of position i at 2i + 1 and 2i + 2; gains (8) before refinement; whether it is proved.
    """

class BestSubsets:
    """Branch and bound for the best least-squares subset of every size from low to high."""

    rss: np.ndarray
    bound: np.ndarray

    def __init__(
        self, inverse: np.ndarray, beta: np.ndarray, rss: float, order: np.ndarray, stiffness: np.ndarray, low: int,
        high: int,
    ) -> None: ...  # fmt: skip
    def explore(self, max_nodes: int) -> bool:
        """Visit at most so many nodes; True when all is explored."""

    def columns(self, size: int) -> np.ndarray:
        """Columns of the best set of a size, int64, in no order."""

class TreeTable:
    """A table whose every distinct value has a code, to grow trees on any of its rows."""

    def __init__(
        self, codes: Any, n_values: np.ndarray, category: np.ndarray, order: np.ndarray, first: np.ndarray,
        low: np.ndarray, high: np.ndarray, n_rows: int, max_sorted: int,
    ) -> None:  # fmt: skip
        """codes: a matrix (columns, rows) or a list of columns, unsigned; order: in which columns are tried.

        low, high: smallest and largest value of the codes of all columns of numbers, those of column j from first[j]
        on; one array where every value has a code of its own.
        """

    def grow(self, target: Any, limits: Any, rows: np.ndarray) -> tuple[dict[str, np.ndarray], np.ndarray]:
        """A tree for a TreeTarget: the fields of a Tree, and the leaf of each row."""

    def fit(self, problem: Any, limits: Any, rows: np.ndarray) -> tuple[dict[str, np.ndarray], np.ndarray]:
        """The same for a ClassProblem or a NumberProblem."""

def tree_leaves(tree: Any, X: np.ndarray, n_threads: int) -> np.ndarray:
    """The leaf of every row of a float64 matrix (int64)."""

def pruning_sequence(
    left: np.ndarray, parent: np.ndarray, risk: np.ndarray
) -> tuple[np.ndarray, float, np.ndarray, np.ndarray, np.ndarray]:
    """collapse, scale, alpha, n_leaves, risk: the fields of a Sequence."""

def leaves_of_pruning(pruning: int, parent: np.ndarray, until: np.ndarray) -> np.ndarray:
    """Of each node, the node that answers under one pruning for rows that come as far (int32)."""

def judge_prunings(
    table: TreeTable, problem: Any, limits: Any, X: np.ndarray | None, folds: list[tuple[np.ndarray, np.ndarray]],
    trees: list[Any] | None, alpha: np.ndarray, scale: float, full_weight: float, n_threads: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[tuple[np.ndarray, ...]]]:  # fmt: skip
    """Every subtree of a pruning sequence on rows left out: folds grow their trees where none are given.

    Sums of errors and of their squares (folds, subtrees); squares to the best subtree, for probability scores; and of
    each fold node, parent, until and answer of a HeldOut.
    """

def class_factors(totals: np.ndarray, loss: np.ndarray, priors: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """What a row of each class counts towards probabilities and towards splits."""

def node_risks(problem: Any, value: np.ndarray) -> np.ndarray:
    """What nodes with these weights of classes cost their training rows."""

def node_costs(problem: Any, value: np.ndarray) -> np.ndarray:
    """(classes, nodes) what the answer of each node costs a row of each class that it was not grown on."""

def linear_splits(
    codes: np.ndarray, category: np.ndarray, rows: np.ndarray, X: np.ndarray, residual: np.ndarray,
    weight: np.ndarray, min_rows: float, min_weight: float,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Of each column of bins (uint8) the gain of its best split for lines, and the bins that go left (columns, 256)."""

# additive models

def fit_additive(
    columns: Any, target: Any, held_out: np.ndarray, limits: Any, sizes: list[int], n_threads: int
) -> list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, list[tuple[Any, ...]], np.ndarray, int]]:
    """A whole fit. held_out : float64 (bags, rows), the share of each row that a bag holds out.

    sizes : numbers of columns at most, falling: one model each, on columns that elimination leaves of the one before.

    Returns for each start (sums), heights and their standard deviation over bags (all bins, sums), whether each column
    is used, pair maps, out-of-fold sums (sums, rows), and the cycles. A pair map is (first, second, p_value, map bin of
    each bin of the first and of the second column, heights (first, second, sums), weight).
    """
