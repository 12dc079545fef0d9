"""What was decided about a column of the source, and why."""

from collections.abc import Iterable
from dataclasses import dataclass

from tamis.table.types import Type


@dataclass(frozen=True)
class Decision:
    """The kind a column of the source was given, the reason, whether it is used, and what the user should know.

    Parameters
    ----------
    name : the column in the source (one date there becomes several columns of the table).
    kind : numeric, boolean, categorical, ordinal, date, text, identifier or constant.
    reason : why, in words, from the values.
    used : False when the column was left out of the table.
    note : something to know besides, or nothing.
    type : what to give as this column's type to read another source the same way.
    sentinel : a number far from all others that may stand for "not measured", such as 999; None where there is none.
    """

    name: str
    kind: str
    reason: str
    used: bool = True
    note: str = ""
    type: Type | None = None
    sentinel: float | None = None

    @property
    def sentence(self) -> str:
        """The decision in one sentence.

        >>> Decision("id", "identifier", "every one of 690 values is different", used=False).sentence
        "column 'id' left out: identifier, every one of 690 values is different"
        """
        verb = "is" if self.used else "left out:"
        note = f"; {self.note}" if self.note else ""
        return f"column {self.name!r} {verb} {self.kind}, {self.reason}{note}"


def decision_rows(decisions: Iterable[Decision]) -> list[tuple[str, str, str, str, str]]:
    """The printable table of decisions: column, kind, used (yes or no), reason, note; one row a column of the source.

    >>> decision_rows([Decision("age", "numeric", "all 690 values are numbers")])
    [('age', 'numeric', 'yes', 'all 690 values are numbers', '')]
    """
    return [(d.name, d.kind, "yes" if d.used else "no", d.reason, d.note) for d in decisions]
