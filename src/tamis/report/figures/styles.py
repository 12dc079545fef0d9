"""The styles of the report's drawings, read from its style sheet: rules of names and classes, and their variables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files

#: A selector that is read: elements and classes, one within the other. Others speak of states and screens.
_PLAIN = re.compile(r"(:root|[\w.*-]+( [\w.-]+)*)$")
_VARIABLE = re.compile(r"var\((--[\w-]+)(?:,\s*((?:[^()]|\([^()]*\))*))?\)")

#: Properties that children take from their parents.
INHERITED = frozenset(("fill", "stroke", "font-size", "font-weight", "text-anchor", "fill-opacity", "stroke-width"))

Element = tuple[str, frozenset[str]]
Rule = tuple[tuple[int, int], tuple[Element, ...], dict[str, str]]


@cache
def rules() -> tuple[Rule, ...]:
    """Selectors and declarations of the style sheet as it is on light paper, the weakest first."""
    text = (files("tamis.report") / "template" / "style.css").read_text(encoding="utf-8")
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    listed: list[Rule] = []
    for number, (selectors, body) in enumerate(_blocks(text)):
        declared = dict(_declarations(body))
        for selector in selectors.split(","):
            if _PLAIN.match(selector.strip()):
                parts = tuple(_part(part) for part in selector.split())
                weight = sum(10 * len(classes) + (name not in ("", "*")) for name, classes in parts)
                listed.append(((weight, number), parts, declared))
    return tuple(sorted(listed, key=lambda rule: rule[0]))


def style_of(chain: Sequence[Element], inherited: dict[str, str]) -> dict[str, str]:
    """The declarations that hold for the last of a chain of elements, with what it takes from its parent."""
    style = {name: value for name, value in inherited.items() if name in INHERITED or name.startswith("--")}
    for _, parts, declared in rules():
        if _fits(parts, chain):
            style.update(declared)
    return {name: resolved(value, style) for name, value in style.items()}


def resolved(value: str, style: dict[str, str]) -> str:
    """A value with its variables filled in.

    >>> resolved("rgb(var(--blue))", {"--blue": "1, 2, 3"}), resolved("var(--no, var(--c))", {"--c": "#ffffff"})
    ('rgb(1, 2, 3)', '#ffffff')
    """
    while "var(" in value:
        value = _VARIABLE.sub(lambda found: style.get(found[1], found[2] or ""), value)
    return value


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """Selectors and bodies of the rules that stand in no @media block."""
    at = 0
    while (opening := text.find("{", at)) >= 0:
        head, depth, end = text[at:opening].strip(), 1, opening + 1
        while depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        if not head.startswith("@"):
            yield head, text[opening + 1 : end - 1]
        at = end


def _declarations(body: str) -> Iterator[tuple[str, str]]:
    for line in body.split(";"):
        name, colon, value = line.partition(":")
        if colon and name.strip() != "font":
            yield name.strip(), value.strip()
        elif colon:
            size = re.search(r"([\d.]+)px", value)
            yield "font-weight", "600" if value.strip().startswith("600") else "400"
            if size:
                yield "font-size", size[1]


def _part(part: str) -> Element:
    name, *classes = part.split(".")
    return name, frozenset(classes)


def _fits(parts: Sequence[Element], chain: Sequence[Element]) -> bool:
    """Whether a selector names the last element of a chain, its other parts elements around it."""
    if parts[0][0] == ":root":
        return len(chain) == 1
    if not _is(parts[-1], chain[-1]):
        return False
    rest = list(parts[:-1])
    for element in reversed(chain[:-1]):
        if rest and _is(rest[-1], element):
            rest.pop()
    return not rest


def _is(part: Element, element: Element) -> bool:
    return part[0] in ("", "*", element[0]) and part[1] <= element[1]
