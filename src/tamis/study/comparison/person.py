"""A person's choice: another procedure than the rule takes, or one held to few columns, judged in the same folds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tamis.check import count, one_of
from tamis.errors import DamagedError, ParameterError
from tamis.results.fold import FoldRecord
from tamis.saved import mapping, read_integer, text
from tamis.study.procedures import Procedure
from tamis.study.procedures.models.few_columns import can_be_held, held_to

#: What a person's choice and decision threshold are called in the journal; the last one counts.
CHOICE, THRESHOLD = "choice of a person", "threshold of a person"


@dataclass(frozen=True)
class Wish:
    """What a person asked for.

    Attributes
    ----------
    procedure : by name; None leaves it to the outer losses of those that are held to `columns`.
    columns : at most so many; None as many as the procedure takes.
    """

    procedure: str | None = None
    columns: int | None = None

    @classmethod
    def of(cls, procedure: str | None, columns: int | None, names: Sequence[str], n_columns: int) -> Wish:
        """Checked against the procedures of the study and the columns of its table."""
        if procedure is not None:
            one_of("procedure", procedure, names)
        if columns is not None:
            count("columns", columns, high=n_columns, of="columns of the table")
            if procedure == "baseline":
                raise ParameterError(f"columns={columns} does not go with the baseline, which looks at none")
        return cls(procedure, columns)

    def to_dict(self) -> dict[str, Any]:
        """Plain values that `from_dict` takes back."""
        return {"procedure": self.procedure, "columns": self.columns}

    @classmethod
    def from_dict(cls, facts: Any) -> Wish | None:
        """The wish that `to_dict` described; None where there is none."""
        if facts is None:
            return None
        stored = mapping("a choice", facts)
        name, columns = stored.get("procedure"), stored.get("columns")
        wish = cls(
            None if name is None else text("procedure", name),
            None if columns is None else read_integer("columns", columns),
        )
        if wish == cls():
            raise DamagedError("its choice says neither a procedure nor a number of columns")
        return wish


def restricted(procedure: Procedure, k: int) -> Procedure:
    """The procedure held to k columns.

    >>> restricted(Procedure("lasso", "a linear model", lambda task: None), 5).name
    'lasso[5]'
    """

    def make(task: str) -> Any:
        return held_to(procedure.make(task), k, procedure.name)

    words = f"{procedure.words}; held to the {k} columns that contribute most to it on the training rows"
    return Procedure(f"{procedure.name}[{k}]", words, make, procedure.readable)


def held_candidates(
    wish: Wish, procedures: Sequence[Procedure], judged: Mapping[str, list[FoldRecord]], task: str
) -> list[tuple[Procedure, bool]]:
    """The procedures that a wish leaves to choose from, and of each whether its folds have been judged already.

    Held to k columns, a procedure that used no more in any fold is what it was there, and only its last fit is held.
    Where none is named, those that cannot be held are left out.
    """
    named = [p for p in procedures if p.name == wish.procedure or (wish.procedure is None and p.name != "baseline")]
    if wish.columns is None:
        return [(procedure, True) for procedure in named]
    k = wish.columns
    if wish.procedure is None:
        named = [procedure for procedure in named if can_be_held(procedure.make(task))]
        if not named:
            raise ParameterError(
                f"columns={k} goes with no procedure of this study: contributions are not available for these "
                "pipelines; give procedure= alone"
            )
    is_within = [all(fold.n_columns <= k for fold in judged[procedure.name]) for procedure in named]
    return [(restricted(procedure, k), is_small) for procedure, is_small in zip(named, is_within)]


def rung_of(
    wish: Wish,
    procedures: Sequence[Procedure],
    sizes: Sequence[int],
    judged: Mapping[str, list[FoldRecord]],
    loss: Callable[[list[FoldRecord]], float],
) -> str | None:
    """The readable model of at most `wish.columns` columns with the least outer loss, as `name[size]`.

    None where the wish names no procedure of several sizes, or the study has none.
    """
    sized = [procedure for procedure in procedures if procedure.by_size and wish.procedure in (None, procedure.name)]
    if not sized or (wish.procedure is None and wish.columns is None):
        return None
    largest = max((size for size in sizes if wish.columns is None or size <= wish.columns), default=sizes[0])
    names = [f"{procedure.name}[{size}]" for size in sizes if size <= largest for procedure in sized]
    if wish.columns is not None and wish.procedure is None:
        names = names[-len(sized) :]
    return min(names, key=lambda name: (loss(judged[name]), names.index(name)))


def of_least_loss(
    candidates: Sequence[tuple[Procedure, list[FoldRecord]]], loss: Callable[[list[FoldRecord]], float]
) -> int:
    """The place of the procedure with the smallest outer loss; the simpler of equals."""
    losses = [loss(records) for _, records in candidates]
    return min(range(len(losses)), key=lambda index: (losses[index], index))
