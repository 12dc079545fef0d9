"""The race inside a training part: where a procedure's place is decided, it is not fitted further there.

Procedures start in a fixed order: those whose inner answers come with their fit, then the others, cheapest first, each
against all before it. A forest has answers of rows out of the bag as soon as it is grown (of more than 100,000, of
those that it looks at); another is fitted anew in one inner fold after another. As soon as the rule of choice could not
take it any more, or takes it in any case, the inner folds that are left are spared. Neither outer scores nor seconds
decide anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from tamis.evaluate.cross_validate import Beside, Fold, Trained
from tamis.metrics.intervals.paired import difference
from tamis.study.choose import choose
from tamis.study.fold import FoldRules, inner_facts, kept_by_size, kept_few
from tamis.study.procedures import Procedure
from tamis.study.procedures.models.sized.records import is_sized

#: A place is decided when a shift by so many standard errors of the paired difference to the best would not change it:
#: by out-of-bag answers of all training rows, and by those of some inner folds (benchmarks/study/race.py).
OUT_OF_BAG, SOME_FOLDS = 2.0, 3.0

#: Rows that a comparison needs.
FEWEST_ROWS = 20

Judgements = dict[str, list[dict[str, Any]]]
Judge = Callable[[dict[str, Any], list[Fold], Any, Sequence[Beside]], Judgements]


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
    rivals: Mapping[int, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)

    def is_out(self, fold: int, inner: Mapping[str, Any], margin: float) -> bool:
        """Whether the rule would not take it though it lost less by the margin."""
        return self._is_taken(fold, inner, margin) is False

    def has_won(self, fold: int, inner: Mapping[str, Any], margin: float) -> bool:
        """Whether the rule would take it though it lost more by the margin."""
        return self._is_taken(fold, inner, -margin) is True

    def _is_taken(self, fold: int, inner: Mapping[str, Any], favour: float) -> bool | None:
        """Whether the rule takes it, its losses moved by so many standard errors; None where rows are too few.

        A unit of which a rival has other rows counts with the rival's mean loss there.
        """
        standing = self.rivals.get(fold, {})
        rows, loss = np.array(inner["rows"], dtype=np.float64), np.array(inner["loss"])
        theirs = {name: np.array(record["rows"], dtype=np.float64) for name, record in standing.items()}
        is_shared = (rows > 0) & np.logical_and.reduce([counts > 0 for counts in theirs.values()])
        if not standing or rows[is_shared].sum() < FEWEST_ROWS:
            return None
        rows, loss = rows[is_shared], loss[is_shared]
        losses_of = {
            name: np.array(standing[name]["loss"])[is_shared] / theirs[name][is_shared] * rows for name in standing
        }
        best = min(losses_of.values(), key=lambda sums: float(sums.sum()))
        losses_of[self.name] = loss - favour * difference(loss, best, rows).error * rows
        order = [name for name in self.names if name in losses_of]
        return order[choose([losses_of[name] for name in order], rows, self.prefer)] == self.name


def kept_in_race(trained: Trained, *, rules: FoldRules, race: Race) -> dict[str, Any]:
    """What is kept of a procedure in a fold, its inner losses as far as the race inside the training part needs them.

    Where the race was decided early, `raced` says how ("out" or "won"), by what, and how many of the inner fits were
    made. The inner losses of a winner are then those out of the bag; one that is out cannot be picked in this part.
    """
    if is_sized(trained.model):
        return kept_by_size(trained, rules=rules)
    facts, raced = _inner(trained, rules, race)
    return facts | ({} if raced is None else {"raced": raced}) | kept_few(trained, rules=rules)


def _inner(trained: Trained, rules: FoldRules, race: Race) -> tuple[dict[str, Any], dict[str, Any] | None]:
    index, total = trained.fold.index, len(trained.pairs)
    for verdict, answers in _out_of_bag(trained):
        facts = inner_facts(trained, rules, answers)
        if (race.is_out if verdict == "out" else race.has_won)(index, facts["inner"], OUT_OF_BAG):
            return facts, {"verdict": verdict, "by": "out of the bag", "fits": 0, "of": total}
    facts = {}
    for done, answers in enumerate(trained.inner_steps(), start=1):
        facts = inner_facts(trained, rules, answers)
        if done < total and race.is_out(index, facts["inner"], SOME_FOLDS):
            return facts, {"verdict": "out", "by": "inner folds", "fits": done, "of": total}
    return facts, None


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
) -> Judgements:
    """What is kept of every procedure in every fold, raced in a fixed order.

    Parameters
    ----------
    judge : (name -> unfitted model, folds, what to keep, others beside) -> what was kept; the loop of `evaluate`.
    order : names of all candidates, simplest first, those of several sizes among them.
    concurrent : what is judged meanwhile, and does not race.
    """
    names = [procedure.name for procedure in procedures]
    judgements: Judgements = {}
    for stage in (all_stages := stages(procedures)):
        rivals = {fold.index: _standing(judgements, i) for i, fold in enumerate(folds)}
        race = Race(stage[0].name, order, prefer, rivals if stage[0].cost else {})
        models = {procedure.name: procedure.make(task) for procedure in stage}
        concurrent_now = concurrent if stage is all_stages[-1] else ()
        judgements |= judge(models, folds, partial(kept_in_race, race=race), concurrent_now)
    return {name: judgements[name] for name in names}


def stages(procedures: Sequence[Procedure]) -> list[list[Procedure]]:
    """Those whose inner answers cost nothing together, then every other by itself, cheapest first."""
    free = [procedure for procedure in procedures if not procedure.cost]
    dear = sorted((procedure for procedure in procedures if procedure.cost), key=lambda procedure: procedure.cost)
    return [free, *([procedure] for procedure in dear)] if free else [[procedure] for procedure in dear]


def _standing(judgements: Judgements, fold: int) -> dict[str, Any]:
    """Inner losses of the procedures that are not out in a fold."""
    standing: dict[str, Any] = {}
    for name, records in judgements.items():
        if "sizes" in records[fold]:
            standing |= {f"{name}[{sized['size']}]": sized["inner"] for sized in records[fold]["sizes"]}
        elif not is_out(records[fold]):
            standing[name] = records[fold]["inner"]
    return standing


def is_out(record: Mapping[str, Any]) -> bool:
    """Whether a procedure could not win any more in the training part of a fold."""
    return bool(record.get("raced", {}).get("verdict") == "out")


def picked_inside(prefer: str, names: Sequence[str], judged: Judgements, fold: int) -> int:
    """The procedure that the training part of a fold alone would have chosen, by the rule, among those not out.

    By the units of which all judged the same rows; where these are less than half, for a forest looked at some rows
    only, by all that each judged some of, with the mean loss of its rows there.
    """
    indices = [index for index, name in enumerate(names) if not is_out(judged[name][fold])]
    inner = [judged[names[index]][fold]["inner"] for index in indices]
    rows = np.array([record["rows"] for record in inner])
    common = (rows == rows[0]).all(axis=0)
    if 2 * rows[0, common].sum() < rows[0].sum():
        common = (rows > 0).all(axis=0)
    losses, quoted = (
        [
            np.array(record[kind])[common] * (rows[0, common] / own_rows)
            for record, own_rows in zip(inner, np.maximum(rows[:, common], 1))
            if kind in record
        ]
        for kind in ("loss", "quoted")
    )
    return indices[choose(losses, rows[0, common], prefer, quoted if len(quoted) == len(losses) else None)]


def raced_facts(records: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """In how many training parts a procedure was out, or had won, before all inner folds were fitted; fits spared."""
    ends = [fold["raced"] for fold in records if "raced" in fold]
    return {
        "out": sum(end["verdict"] == "out" for end in ends),
        "won": sum(end["verdict"] == "won" for end in ends),
        "spared": sum(end["of"] - end["fits"] for end in ends),
    }
