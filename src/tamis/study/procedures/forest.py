"""The forest of a study, and the forest on all columns that readable models are compared with."""

from typing import Any

from tamis.forest import ForestClassifier, ForestRegressor
from tamis.search import MirrorSelector
from tamis.study.procedures import CALIBRATED, Procedure, Reference
from tamis.study.procedures.models.trees import forest_criterion, split_criterion
from tamis.task import predicts_numbers

#: Rows to learn from below which a forest draws its thresholds at random, and below which it may, where that does
#: better out of the bag.
RANDOM_ROWS, RANDOM_OR_BEST_ROWS = 300, 1_500


def sifted_forest(task: str, n_rows: int | None = None) -> Any:
    """The forest of a study, and what it sifts columns by; its kind follows from the rows of the study, not of a fold.

    Else the folds could judge one kind of forest, and the last fit, of more rows, be of another.
    """
    # Half of the columns tried at a split, and not a third: over 9 tables of numbers a mean R² of 0.817, not 0.804.
    # Calibrated: over 56 tables, split twice, the Brier score of new rows is 0.213 and not 0.225, and lower on 35
    # (benchmarks/forest/calibration.py). To tune leaves and columns by calibrated shares brought nothing more (over 58
    # tables, four splits, -0.0005 ± 0.0005).
    forest: Any = ForestClassifier(200, calibration="temperature", **forest_criterion(task))
    if predicts_numbers(task):
        forest = ForestRegressor(200, max_features=0.5, criterion=split_criterion(task))
    # Over 32 tables of at most 400 and 900 rows, split twice, the mean loss of forests with the best thresholds is
    # 0.2496 and 0.1862, with random ones 0.2475 and 0.1882, with those that do better out of the bag 0.2469 and 0.1852
    # (benchmarks/forest/thresholds.py). Comparing them costs 1.4 to 1.7 times a forest of the best ones, so it is not
    # done for more rows; of 5,600 rows random ones were worse on all four tables tried. Few rows compare badly: over
    # four tables of 116 to 206 rows, split twelve times, the loss is 0.221 with random ones, 0.224 with the better (no
    # more than one standard error apart on any), and comparing takes longer.
    kinds: Any = ("best", "random")
    if n_rows is None or n_rows >= RANDOM_OR_BEST_ROWS:
        kinds = "best"
    elif n_rows < RANDOM_ROWS:
        kinds = "random"
    return MirrorSelector(forest, thresholds=kinds, halvings="auto")


def full_forest(task: str, n_rows: int | None = None) -> Any:
    """A forest on all columns."""
    if predicts_numbers(task):
        return ForestRegressor(200, max_features=0.5, criterion=split_criterion(task), random_state=None)
    return ForestClassifier(200, calibration="temperature", random_state=None, **forest_criterion(task))


PROCEDURE = Procedure(
    "forest",
    "a random forest (200 trees); columns no better than noise are removed, and of more than 20 the rest are thinned "
    "out as long as 99% of the gain is kept" + CALIBRATED,
    sifted_forest,
    order=180,
    compared="best",
    cost=1,
    sized=True,
    article="a",
    reference=Reference(
        "a random forest of 200 trees on all columns", "a random forest", full_forest, takes_monotone=True
    ),
)
