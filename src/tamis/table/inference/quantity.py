"""Numbers: a quantity, the number of a row, or always the same."""

import re
from dataclasses import dataclass

import numpy as np

from tamis.table.inference.parse_numbers import EXACT

_FEW = 10  # so many different whole numbers could be categories
_LONG_RUN = 20  # a run 1, 2, 3, … of so many rows is taken for row numbers
_PROBE = 10_000
_SENTINELS = frozenset(float(digit * n) for digit in "789" for n in range(2, 8))  # 99, 888, 9999, …
_ID_NAME = re.compile(
    r"^(id|ids|index|idx|key|guid|uuid|row ?names?|row[ _.-]?(number|nr|no|id)|record|serial)$"
    r"|[ _.-](id|key|uuid|guid)$|^id[ _.-]",
    re.IGNORECASE,
)
_ID_CAPITAL = re.compile(r"[a-z0-9](ID|Id)$")  # patientID, PatientId


@dataclass(frozen=True)
class Finding:
    """What numbers are, why, and what to know besides."""

    kind: str
    reason: str
    note: str = ""
    sentinel: float | None = None


def judge_numbers(name: str, values: np.ndarray, written: str = "", *, measured: bool = False) -> Finding:
    """Numeric, constant or identifier.

    Identifier: whole numbers, each once, that run 1, 2, 3, … (or from 0, in any order) over 20 rows or more; or each
    once in a column whose name says so (id, patient_id, rownames, …). Few whole numbers are flagged, not changed, and
    so are values that stand for none. Numbers with a unit are `measured`: neither identifiers nor categories.
    """
    missing = np.isnan(values)
    n = len(values) - int(np.count_nonzero(missing))
    if n == 0:
        return Finding("constant", f"none of its {len(values):,} rows has a value")
    present = values if n == len(values) else values[~missing]
    low, high = float(present.min()), float(present.max())
    if low == high and n == len(values) > 1:  # one row cannot tell
        return Finding("constant", f"every one of {n:,} values is {low:.10g}")
    is_integer = bool(np.all(np.abs(present) < EXACT)) and bool(np.all(present == np.rint(present)))
    counted = _counted(n, len(values) - n)
    description = (
        f"{counted} {'is a' if n == 1 else 'are'} {'whole ' if is_integer else ''}number{'' if n == 1 else 's'}"
    )
    description += f" {written}" if written else ""
    sentinel = sentinel_of(present, low, high)
    aside = "" if sentinel is None else sentinel_note(present, sentinel)
    if not is_integer or measured:
        return Finding("numeric", description, aside, sentinel)
    if (why := _identifies(name, present, low, high, len(values))) is not None:
        return Finding("identifier", why)
    note = aside or _few_levels_note(present, low, high)
    return Finding("numeric", f"{description} from {low:.10g} to {high:.10g}", note, sentinel)


def sentinel_of(present: np.ndarray, low: float, high: float) -> float | None:
    """A number such as -999 or 9999 that is farther from all others than these are from each other.

    >>> sentinel_of(np.array([1.0, 2.0, -999.0]), -999.0, 2.0)
    -999.0
    """
    for value in (low, high):
        if abs(value) not in _SENTINELS:
            continue
        regular = present[present != value]
        if len(regular) < 2:
            continue
        low_regular, high_regular = float(regular.min()), float(regular.max())
        if low_regular < high_regular and max(low_regular - value, value - high_regular) > high_regular - low_regular:
            return value
    return None


def sentinel_note(present: np.ndarray, value: float) -> str:
    """What to say of a number that may stand for none.

    >>> sentinel_note(np.array([1.0, 2.0, -999.0]), -999.0)
    '1 value is -999, far from the others (1 to 2); name it in missing=, or leave it empty, if it means "not measured"'
    """
    regular = present[present != value]
    n = len(present) - len(regular)
    subject = "1 value is" if n == 1 else f"{n:,} values are"
    return (
        f"{subject} {value:.10g}, far from the others ({regular.min():.6g} to {regular.max():.6g}); "
        'name it in missing=, or leave it empty, if it means "not measured"'
    )


def numbers_rows(name: str, values: np.ndarray) -> bool:
    """True for whole numbers that count or name the rows, as `judge_numbers` says: identifiers.

    >>> numbers_rows("n", np.arange(30.0)), numbers_rows("n", np.arange(30.0) / 7)
    (True, False)
    """
    if not len(values) or np.isnan(values).any():
        return False
    low, high = float(values.min()), float(values.max())
    named = sounds_like_identifier(name)
    if not named and high - low != len(values) - 1:
        return False
    is_integer = bool(np.all(np.abs(values) < EXACT)) and bool(np.all(values == np.rint(values)))
    return is_integer and low < high and _identifies(name, values, low, high, len(values)) is not None


def sounds_like_identifier(name: str) -> bool:
    """True for names that say the column names the rows.

    >>> sounds_like_identifier("patient_id"), sounds_like_identifier("humidity")
    (True, False)
    """
    return bool(_ID_NAME.search(name.strip()) or _ID_CAPITAL.search(name.strip()))


def _counted(n: int, missing: int) -> str:
    if missing:
        return f"{n:,} value{'' if n == 1 else 's'} (missing in {missing:,})"
    return f"all {n:,} values" if n > 1 else "its only value"


def _identifies(name: str, present: np.ndarray, low: float, high: float, n_rows: int) -> str | None:
    n = len(present)
    if n < n_rows or n < 10:
        return None
    run = high - low == n - 1
    if run and low in (0.0, 1.0) and n >= _LONG_RUN:
        in_order = bool(np.all(np.diff(present) == 1))
        if in_order or _all_different(present, low):
            order = "they run" if in_order else "in another order they run"
            return f"every one of {n:,} values is different and {order} {low:.0f}, {low + 1:.0f}, {low + 2:.0f}, …"
    if sounds_like_identifier(name) and len(np.unique(present)) == n:
        return f"every one of {n:,} whole numbers is different and the name says so"
    return None


def _all_different(present: np.ndarray, low: float) -> bool:
    return int(np.bincount((present - low).astype(np.int64)).max()) == 1


def _few_levels_note(present: np.ndarray, low: float, high: float) -> str:
    if len(np.unique(present[:_PROBE])) > _FEW:
        return ""
    if high - low <= 1_000_000:
        k = int(np.count_nonzero(np.bincount((present - low).astype(np.int64))))
    else:
        k = len(np.unique(present))
    if k > _FEW or k * 2 > len(present):
        return ""
    if k == 2 and (low, high) == (0.0, 1.0):
        return "only 0 and 1: could be yes or no"
    return f"only {k} different whole numbers: could be categories"
