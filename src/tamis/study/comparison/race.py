"""The race inside a training part: where a procedure's place is decided, it is not fitted further there.

Procedures start in a fixed order: those whose inner answers come with their fit, then the others, cheapest first, each
against all before it. A forest has answers of rows out of the bag as soon as it is grown (of more than 100,000, of
those that it looks at); another is fitted in one inner fold after another. As soon as the rule of choice could not take
it any more, or takes it in any case, the inner folds that are left are spared. Neither outer scores nor seconds
decide anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from tamis.evaluate.cross_validate import Beside, Fold, Trained
from tamis.metrics.intervals.paired import difference
from tamis.results.fold import FoldRecord, Judgements, RaceEnd, SizedRecord, UnitLosses
from tamis.study.choose import choose_by_rung
from tamis.study.fold import FoldRules, full_record, inner_record, sized_record
from tamis.study.procedures import Procedure
from tamis.study.procedures.models.sized.records import is_sized

#: A place is decided when a shift by so many standard errors of the paired difference to the best would not change it:
#: by out-of-bag answers of all training rows, and by those of some inner folds (benchmarks/study/race.py).
OUT_OF_BAG, SOME_FOLDS = 2.0, 3.0

#: Losses and score of out-of-fold predictions of the training rows.
Inner = tuple[UnitLosses, float | None]

#: Rows that a comparison needs.
FEWEST_ROWS = 20

#: Procedure -> its records, those of models of several sizes together.
Raced = dict[str, list[FoldRecord | SizedRecord]]
Judge = Callable[[dict[str, Any], list[Fold], Any, Sequence[Beside]], Raced]


@dataclass(frozen=True, eq=False)
class Race:
    """One procedure against those that were judged before it, in every training part.

    Attributes
    ----------
    name : the procedure.
    names : all procedures, simplest first.
    prefer : the rule of choice.
    rivals : place of a fold -> name -> inner losses by unit, of those judged before it and not out.
    """

    name: str
    names: Sequence[str]
    prefer: str
    rivals: Mapping[int, Mapping[str, UnitLosses]] = field(default_factory=dict)

    def is_out(self, fold: int, inner: UnitLosses, margin: float) -> bool:
        """Whether the rule would not take it though it lost less by the margin."""
        return self._is_taken(fold, inner, margin) is False

    def has_won(self, fold: int, inner: UnitLosses, margin: float) -> bool:
        """Whether the rule would take it though it lost more by the margin."""
        return self._is_taken(fold, inner, -margin) is True

    def _is_taken(self, fold: int, inner: UnitLosses, favour: float) -> bool | None:
        """Whether the rule takes it, its losses moved by so many standard errors; None where rows are too few.

        A unit of which a rival has other rows counts with the rival's mean loss there.
        """
        standing = self.rivals.get(fold, {})
        rows, loss = np.array(inner.rows, dtype=np.float64), np.array(inner.loss)
        theirs = {name: np.array(losses.rows, dtype=np.float64) for name, losses in standing.items()}
        is_shared = (rows > 0) & np.logical_and.reduce([counts > 0 for counts in theirs.values()])
        if not standing or rows[is_shared].sum() < FEWEST_ROWS:
            return None
        rows, loss = rows[is_shared], loss[is_shared]
        losses_of = {
            name: np.array(standing[name].loss)[is_shared] / theirs[name][is_shared] * rows for name in standing
        }
        best = min(losses_of.values(), key=lambda sums: float(sums.sum()))
        losses_of[self.name] = loss - favour * difference(loss, best, rows).error * rows
        order = [name for name in self.names if name in losses_of]
        return order[choose_by_rung(order, [losses_of[name] for name in order], rows, self.prefer)] == self.name


def race_record(trained: Trained, *, rules: FoldRules, race: Race) -> FoldRecord | SizedRecord:
    """What is kept of a procedure in a fold, its inner losses as far as the race inside the training part needs them.

    Where the race was decided early, `race` says how ("out" or "won"), by what, and how many of the inner fits were
    made. The inner losses of a winner are then those out of the bag; one that is out cannot be picked in this part.
    """
    if is_sized(trained.model):
        return sized_record(trained, rules=rules)
    (losses, score), end = _inner(trained, rules, race)
    record = full_record(trained, rules=rules)
    return replace(record, inner_losses=losses, inner_score=score, race=end)


def _inner(trained: Trained, rules: FoldRules, race: Race) -> tuple[Inner, RaceEnd | None]:
    index, total = trained.fold.index, len(trained.pairs)
    for verdict, answers in _out_of_bag(trained):
        inner = inner_record(trained, rules, answers)
        if (race.is_out if verdict == "out" else race.has_won)(index, inner[0], OUT_OF_BAG):
            return inner, RaceEnd(verdict, "out of the bag", 0, total)
    for done, answers in enumerate(trained.inner_steps(), start=1):
        inner = inner_record(trained, rules, answers)
        if done < total and race.is_out(index, inner[0], SOME_FOLDS):
            return inner, RaceEnd("out", "inner folds", done, total)
    return inner, None


def _out_of_bag(trained: Trained) -> Iterator[tuple[str, np.ndarray]]:
    """Out-of-bag answers of the training rows, and what they may decide.

    Those of the forest that answers flatter, for the same rows had a say in its columns: where even they are too bad,
    it is out. Those of the forest of all columns are honest, unless rows come in groups or in time order.
    """
    model, problem = trained.model, trained.problem
    for verdict, name in (("out", "oob_predictions_"), ("won", "oob_predictions_of_all_")):
        predictions = getattr(model, name, None)
        dependent = problem.groups is not None or problem.time is not None
        if predictions is not None and not (verdict == "won" and dependent):
            yield verdict, trained.aligned(np.asarray(predictions, dtype=np.float64))


def raced(
    judge: Judge,
    procedures: Sequence[Procedure],
    task: str,
    folds: list[Fold],
    prefer: str,
    order: Sequence[str],
    concurrent: Sequence[Beside] = (),
) -> Raced:
    """What is kept of every procedure in every fold, raced in a fixed order.

    Parameters
    ----------
    judge : (name -> unfitted model, folds, what to keep, others beside) -> what was kept; the loop of `evaluate`.
    order : names of all candidates, simplest first, those of several sizes among them.
    concurrent : what is judged meanwhile, and does not race.
    """
    names = [procedure.name for procedure in procedures]
    judgements: Raced = {}
    for stage in (all_stages := stages(procedures)):
        rivals = {fold.index: _standing(judgements, i) for i, fold in enumerate(folds)}
        race = Race(stage[0].name, order, prefer, rivals if stage[0].cost else {})
        models = {procedure.name: procedure.make(task) for procedure in stage}
        concurrent_now = concurrent if stage is all_stages[-1] else ()
        judgements |= judge(models, folds, partial(race_record, race=race), concurrent_now)
    return {name: judgements[name] for name in names}


def stages(procedures: Sequence[Procedure]) -> list[list[Procedure]]:
    """Those whose inner answers cost nothing together, then every other by itself, cheapest first."""
    free = [procedure for procedure in procedures if not procedure.cost]
    dear = sorted((procedure for procedure in procedures if procedure.cost), key=lambda procedure: procedure.cost)
    return [free, *([procedure] for procedure in dear)] if free else [[procedure] for procedure in dear]


def _standing(judgements: Raced, fold: int) -> dict[str, UnitLosses]:
    """Inner losses of the procedures that are not out in a fold."""
    standing: dict[str, UnitLosses] = {}
    for name, records in judgements.items():
        record = records[fold]
        if isinstance(record, SizedRecord):
            standing |= {f"{name}[{sized.size}]": losses_inside(sized) for sized in record.sizes}
        elif not record.is_out:
            standing[name] = losses_inside(record)
    return standing


def losses_inside(record: FoldRecord) -> UnitLosses:
    """Losses of the training rows by folds inside; every procedure that is compared has them."""
    assert record.inner_losses is not None
    return record.inner_losses


def picked_inside(prefer: str, names: Sequence[str], judged: Judgements, fold: int) -> int:
    """The procedure that the training part of a fold alone would have chosen, by the rule, among those not out.

    By the units of which all judged the same rows; where these are less than half, for a forest looked at some rows
    only, by all that each judged some of, with the mean loss of its rows there.
    """
    indices = [index for index, name in enumerate(names) if not judged[name][fold].is_out]
    inner = [losses_inside(judged[names[index]][fold]) for index in indices]
    rows = np.array([losses.rows for losses in inner])
    common = (rows == rows[0]).all(axis=0)
    if 2 * rows[0, common].sum() < rows[0].sum():
        common = (rows > 0).all(axis=0)
    losses, quoted = (
        [
            np.array(sums)[common] * (rows[0, common] / own_rows)
            for sums, own_rows in zip(sums_of, np.maximum(rows[:, common], 1))
            if sums is not None
        ]
        for sums_of in ([own.loss for own in inner], [own.quoted for own in inner])
    )
    metric_sums = quoted if len(quoted) == len(losses) else None
    return indices[choose_by_rung([names[i] for i in indices], losses, rows[0, common], prefer, metric_sums)]


def race_facts(records: Sequence[FoldRecord]) -> dict[str, int]:
    """In how many training parts a procedure was out, or had won, before all inner folds were fitted; fits saved."""
    ends = [record.race for record in records if record.race is not None]
    return {
        "eliminated": sum(end.verdict == "out" for end in ends),
        "won": sum(end.verdict == "won" for end in ends),
        "fits_saved": sum(end.of - end.fits for end in ends),
    }
