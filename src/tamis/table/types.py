"""What the user says a column is: `zip=categorical,size=ordinal(small<medium<large)`, a dict or a TOML file."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tamis import check
from tamis.errors import ParameterError, TableError, cause
from tamis.table.column import KINDS

_BRACKETED = re.compile(r"^(ordinal|boolean)\s*\((.*)\)$")
_LEVELLED = re.compile(r"^(?P<name>.+?)\s*=\s*(?P<kind>(?:ordinal|boolean)\s*[(:].*)$")


@dataclass(frozen=True)
class Type:
    """A kind with what belongs to it.

    Parameters
    ----------
    kind : one of `KINDS`.
    levels : the levels of an ordinal, lowest first; of a boolean, what 0 and 1 stand for.
    keep : texts that usually mean missing and are levels here (`NA` in a column of countries).
    day_first : for dates like 03/04/2021, whether the day or the month comes first.
    decimal : for numbers written with commas, the decimal sign.
    unit : for numbers, what is written beside each: %, a currency, "time of day" or "time span".
    hour : for dates, whether they have times of day, and so an hour; None to look.
    missing : values that are missing in this column, besides the usual texts (999 for "not measured").
    """

    kind: str
    levels: tuple[str, ...] | None = None
    keep: tuple[str, ...] = ()
    day_first: bool | None = None
    decimal: str | None = None
    unit: str | None = None
    hour: bool | None = None
    missing: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The type in plain words for JSON, as `types_of` takes it back.

        >>> Type("ordinal", ("low", "high")).as_dict()
        {'kind': 'ordinal', 'levels': ['low', 'high']}
        """
        out: dict[str, Any] = {"kind": self.kind}
        if self.levels is not None:
            out["levels"] = list(self.levels)
        if self.keep:
            out["keep"] = list(self.keep)
        if self.day_first is not None:
            out["day_first"] = self.day_first
        if self.decimal is not None:
            out["decimal"] = self.decimal
        if self.unit is not None:
            out["unit"] = self.unit
        if self.hour is not None:
            out["hour"] = self.hour
        if self.missing:
            out["missing"] = list(self.missing)
        return out


def types_of(types: Any) -> dict[str, Type]:
    """Types by column name, from a text, a path ending in .toml, a mapping, or nothing.

    >>> types_of("zip=categorical,size=ordinal:small<large")["size"].levels
    ('small', 'large')
    >>> types_of("zip=categorical,size=ordinal(small<large)")["size"].levels
    ('small', 'large')
    """
    if types is None:
        return {}
    if isinstance(types, Path) or (isinstance(types, str) and types.strip().endswith(".toml") and "=" not in types):
        types = _from_toml(Path(types))
    elif isinstance(types, str):
        types = _from_text(types)
    if not isinstance(types, Mapping):
        raise ParameterError(f"types={types!r} must be a text like 'age=numeric', a mapping or a TOML file")
    return {str(name): _type(str(name), value) for name, value in types.items()}


def _from_text(text: str) -> dict[str, str]:
    kinds: dict[str, str] = {}
    for entry in (piece.strip() for piece in _pieces(text)):
        if not entry:
            continue
        levelled = _LEVELLED.match(entry)
        name, equals, kind = (levelled["name"], "=", levelled["kind"]) if levelled else entry.rpartition("=")
        if not equals or not name.strip():
            raise ParameterError(f"types: {entry!r} does not read as name=kind; write for example age=numeric")
        kinds[name.strip()] = kind.strip()
    return kinds


def _pieces(text: str) -> list[str]:
    """The text cut at its commas, but for those within brackets.

    >>> _pieces("a=numeric,b=ordinal(1,5<2,5)")
    ['a=numeric', 'b=ordinal(1,5<2,5)']
    """
    pieces, depth = [""], 0
    for letter in text:
        depth = max(0, depth + (letter == "(") - (letter == ")"))
        if letter == "," and not depth:
            pieces.append("")
        else:
            pieces[-1] += letter
    return text.split(",") if depth else pieces


def _from_toml(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            content = tomllib.load(file)
    except OSError as error:
        raise TableError(f"the file of types {str(path)!r} cannot be read: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise TableError(f"the file of types {str(path)!r} is not valid TOML: {cause(error)}") from error
    inner = content.get("types")
    return inner if isinstance(inner, dict) and "kind" not in inner else content


def _type(name: str, value: object) -> Type:
    if isinstance(value, Type):
        value = value.as_dict()
    if isinstance(value, str):
        bracketed = _BRACKETED.match(value.strip())
        kind, listed = (bracketed[1], bracketed[2]) if bracketed else value.partition(":")[::2]
        value = {"kind": kind.strip()}
        if listed:
            value["levels"] = [level.strip() for level in listed.split("<")]
    if not isinstance(value, Mapping) or "kind" not in value:
        raise ParameterError(f"types: {name}={value!r} must be a kind ({', '.join(KINDS)}) or a table with kind = …")
    unknown = sorted(set(value) - {"kind", "levels", "keep", "day_first", "decimal", "unit", "hour", "missing"})
    if unknown:
        raise ParameterError(
            f"types: {name} has an unknown entry {unknown[0]!r}; "
            "give kind, levels, keep, day_first, decimal, unit, hour or missing"
        )
    kind = check.one_of(f"types: {name}", value["kind"], KINDS)
    levels = _texts(name, "levels", value.get("levels"))
    if kind == "ordinal" and (levels is None or len(levels) < 2):
        raise ParameterError(f"types: {name}=ordinal needs its levels, lowest first: {name}=ordinal:low<middle<high")
    if kind == "boolean" and levels is not None and len(levels) != 2:
        raise ParameterError(f"types: {name}=boolean takes two levels (no<yes), but {len(levels)} are given")
    if levels is not None and len(set(levels)) < len(levels):
        twice = next(level for level in levels if levels.count(level) > 1)
        raise ParameterError(f"types: {name} has the level {twice!r} more than once; give every level once")
    decimal = value.get("decimal")
    if decimal is not None:
        check.one_of(f"types: decimal of {name}", decimal, (".", ","))
    unit = value.get("unit")
    if unit is not None and not isinstance(unit, str):
        raise ParameterError(f"types: unit of {name} is {unit!r}; give a text such as % or $")
    for entry in ("day_first", "hour"):
        if value.get(entry) not in (None, True, False):
            raise ParameterError(f"types: {entry} of {name} is {value[entry]!r}; give true or false")
    keep = _texts(name, "keep", value.get("keep")) or ()
    missing = _texts(name, "missing", value.get("missing")) or ()
    return Type(kind, levels, keep, value.get("day_first"), decimal, unit, value.get("hour"), missing)


def _texts(name: str, entry: str, levels: Any) -> tuple[str, ...] | None:
    if levels is None:
        return None
    if isinstance(levels, str) or not isinstance(levels, Sequence):
        raise ParameterError(f"types: {name} has {entry}={levels!r}; give a list of texts")
    return tuple(str(level) for level in levels)
