"""A model as one SELECT that any database takes: the sums or the leaf first, then probabilities, then the answer."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.errors import StudyError
from tamis.study.export.program import Program
from tamis.table.inference.dates import PARTS
from tamis.table.notation import Notation
from tamis.tree.export.sql import literal, quoted

#: The table that is asked; to be replaced by one's own.
TABLE = "new_rows"

#: Parts of a date that are in its order, so that a date can be compared instead.
YEAR, ELAPSED = PARTS[0], PARTS[3]

#: Leaves of a tree at most: databases bound the depth of an expression.
MOST_LEAVES = 500


def sql_of(program: Program) -> str:
    """The statement: all columns of the table, then "prediction", then "p(class)" of every class.

    Columns are compared with what the database holds: words with words, dates with ISO dates, booleans with TRUE and
    FALSE. NULL is a missing value.
    """
    head = (
        f"-- {_line(program.target)}: a model of Tamis. Put your own table in the place of {quoted(TABLE)}.\n"
        f"WITH tamis_input AS (SELECT * FROM {quoted(TABLE)}),\n"
    )
    if len(program.trees) > 1:
        what = "a forest" if program.link == "shares" else "a sum"
        raise StudyError(
            f"{what} of {len(program.trees):,} trees is no SQL that a database would take; give --to onnx or "
            "--to python, or take a tree with `tamis choose STUDY --procedure tree`"
        )
    return head + (_of_tree(program) if program.link == "shares" else _of_sums(program))


def _of_tree(program: Program) -> str:
    tree = program.trees[0]
    leaves = [place for place, node in enumerate(tree) if "leaf" in node]
    if len(leaves) > MOST_LEAVES:
        raise StudyError(
            f"the tree has {len(leaves):,} leaves, and databases take expressions of about {MOST_LEAVES}; give "
            "--to onnx or --to python, or take a smaller model with `tamis choose`"
        )
    text = [""] * len(tree)
    for place in range(len(tree) - 1, -1, -1):  # children come after their parents
        node = tree[place]
        if "leaf" in node:
            text[place] = str(place)
            continue
        left = node["left"]
        parts = ", ".join([*(_test(program, test) for test in _asked(program, node)), str(1 - node["default"])])
        text[place] = f"CASE WHEN COALESCE({parts}) = 1 THEN {text[left]} ELSE {text[left + 1]} END"
        text[left] = text[left + 1] = ""
    steps = [f"tamis_leaf AS (SELECT *, {text[0]} AS tamis_leaf FROM tamis_input)"]

    def by_leaf(k: int) -> str:
        whens = " ".join(f"WHEN {place} THEN {literal(tree[place]['leaf'][k])}" for place in leaves)
        return f"CASE tamis_leaf {whens} END"

    if program.task == "numbers":
        return _joined(steps, f"SELECT *, {by_leaf(0)} AS {quoted('prediction')} FROM tamis_leaf")
    shares = [by_leaf(k) for k in range(len(program.labels))]
    return _decided(program, steps, shares, "tamis_leaf")


def _of_sums(program: Program) -> str:
    names = [f"tamis_eta_{k + 1}" for k in range(len(program.intercept))]
    sums = ", ".join(f"{_sum(program, k)} AS {name}" for k, name in enumerate(names))
    steps = [f"tamis_eta AS (SELECT *, {sums} FROM tamis_input)"]
    first = names[0]
    if program.link == "identity":
        return _joined(steps, f"SELECT *, {first} AS {quoted('prediction')} FROM tamis_eta")
    if program.link == "exp":
        held = f"EXP(CASE WHEN {first} > 700 THEN 700 ELSE {first} END)"
        return _joined(steps, f"SELECT *, {held} AS {quoted('prediction')} FROM tamis_eta")
    shares = ["0.0"] * len(program.labels)
    if program.link == "one_hot":
        found = [f"CASE WHEN {first} > 0 THEN 0.0 ELSE 1.0 END", f"CASE WHEN {first} > 0 THEN 1.0 ELSE 0.0 END"]
        if len(names) > 1:
            found = [
                f"CASE WHEN {' AND '.join(_beats(a, b, k < m) for m, b in enumerate(names) if m != k)} "
                "THEN 1.0 ELSE 0.0 END"
                for k, a in enumerate(names)
            ]
    elif program.link == "logistic":
        small = f"EXP(-ABS(CASE WHEN ABS({first}) > 700 THEN 700 ELSE {first} END))"
        steps.append(f"tamis_odds AS (SELECT *, {small} AS tamis_odds FROM tamis_eta)")
        near, far = "1.0 / (1.0 + tamis_odds)", "tamis_odds / (1.0 + tamis_odds)"
        found = [
            f"CASE WHEN {first} > 0 THEN {far} ELSE {near} END",
            f"CASE WHEN {first} > 0 THEN {near} ELSE {far} END",
        ]
    else:
        top = "CASE " + " ".join(f"WHEN {' AND '.join(f'{a} >= {b}' for b in names if b != a)} THEN {a}" for a in names)
        steps.append(f"tamis_top AS (SELECT *, {top} END AS tamis_top FROM tamis_eta)")
        powers = [f"EXP(CASE WHEN {a} - tamis_top < -700 THEN -700 ELSE {a} - tamis_top END)" for a in names]
        steps.append(
            "tamis_powers AS (SELECT *, "
            + ", ".join(f"{power} AS tamis_power_{k + 1}" for k, power in enumerate(powers))
            + " FROM tamis_top)"
        )
        total = " + ".join(f"tamis_power_{k + 1}" for k in range(len(names)))
        found = [f"tamis_power_{k + 1} / ({total})" for k in range(len(names))]
    for place, share in zip(program.classes, found):
        shares[place] = share
    source = {"logistic": "tamis_odds", "softmax": "tamis_powers"}.get(program.link, "tamis_eta")
    return _decided(program, steps, shares, source)


def _decided(program: Program, steps: list[str], shares: list[str], source: str) -> str:
    """Probabilities, and the label of the largest, or of the least expected cost."""
    names = [f"p({label})" for label in program.labels]
    listed = ", ".join(f"{share} AS {quoted(name)}" for share, name in zip(shares, names))
    steps.append(f"tamis_shares AS (SELECT *, {listed} FROM {source})")
    columns = [quoted(name) for name in names]
    if program.costs is None:
        worth, source, sign = columns, "tamis_shares", ">="
    else:
        costs = [
            " + ".join(f"{literal(program.costs[t][a])} * {column}" for t, column in enumerate(columns))
            for a in range(len(columns))
        ]
        worth = [f"tamis_cost_{a + 1}" for a in range(len(columns))]
        listed = ", ".join(f"{cost} AS {name}" for cost, name in zip(costs, worth))
        steps.append(f"tamis_costs AS (SELECT *, {listed} FROM tamis_shares)")
        source, slack = "tamis_costs", 1e-12 * max(1.0, float(np.max(program.costs)))
        sign = f"- {literal(slack)} <="
    whens = []
    for k, own in enumerate(worth):
        others = " AND ".join(f"{own} {sign} {other}" for m, other in enumerate(worth) if m != k)
        whens.append(f"WHEN {others} THEN {literal(program.labels[k])}")
    return _joined(steps, f"SELECT *, CASE {' '.join(whens)} END AS {quoted('prediction')} FROM {source}")


def _joined(steps: list[str], last: str) -> str:
    return ",\n".join(steps) + "\n" + last + ";\n"


def _sum(program: Program, k: int) -> str:
    parts = [literal(program.intercept[k])]
    for term in program.terms:
        column = program.inputs[term["column"]]
        if "coef" in term:
            value = _number(column)
            held = value if term["fill"] is None else f"COALESCE({value}, {literal(term['fill'])})"
            parts.append(f"({literal(term['coef'][k])}) * {held}")
            continue
        name = _column(column)
        whens = [
            f"WHEN {name} = {literal(column['levels'][int(code)])} THEN {literal(numbers[k])}"
            for code, numbers in term["levels"].items()
        ]
        missing = "NULL" if term["missing"] is None else literal(term["missing"][k])
        parts.append(f"CASE WHEN {name} IS NULL THEN {missing} {' '.join(whens)} ELSE 0.0 END")
    return " + ".join(parts)


def _column(column: dict[str, Any]) -> str:
    """With the name of its table: SQLite takes an unknown name between quotes for a text."""
    return f"tamis_input.{quoted(column.get('source', column['name']))}"


def _number(column: dict[str, Any]) -> str:
    """A column as the number the model reads."""
    name = _column(column)
    if column["kind"] in ("date", "part"):
        raise StudyError(
            f"the model computes with {column['name']!r}, a number made of a date, which databases write in different "
            "ways; give --to python, or leave the date out of the study"
        )
    if column["kind"] != "words":
        return name
    return f"CASE {' '.join(f'WHEN {name} = {literal(w)} THEN {k}.0' for k, w in enumerate(column['levels']))} END"


def _asked(program: Program, node: dict[str, Any]) -> list[list[Any]]:
    """The tests of a split, without those on further parts of a date: where the first has no answer, nor have they."""
    found, seen = [], set()
    for test in node["tests"]:
        source = None if test[0] == "sum" else program.inputs[test[1]].get("source")
        if source is None or source not in seen:
            found.append(test)
        seen.add(source)
    return found


def _test(program: Program, test: list[Any]) -> str:
    """1 where a row goes left, 0 where it goes right, NULL where the test has no answer."""
    if test[0] == "sum":
        total = " + ".join(f"({literal(factor)}) * {_number(program.inputs[j])}" for j, factor in test[1])
        return f"CASE WHEN {total} <= {literal(test[2])} THEN 1 WHEN {total} > {literal(test[2])} THEN 0 END"
    column = program.inputs[test[1]]
    name = _column(column)
    if test[0] == "there":
        return f"CASE WHEN {name} IS NOT NULL THEN 1 END"
    if test[0] == "in":
        return _among(column, test[2], test[3])
    (value, limit), (below, above) = _number_or_date(column, test[2]), (0, 1) if test[3] else (1, 0)
    return f"CASE WHEN {value} <= {limit} THEN {below} WHEN {value} > {limit} THEN {above} END"


def _number_or_date(column: dict[str, Any], threshold: float) -> tuple[str, str]:
    if column["kind"] == "date" or column.get("part") == ELAPSED:
        return _column(column), literal(Notation("date", unit="second").moment(threshold))
    if column.get("part") == YEAR:  # up to the last moment of a year
        return _column(column), literal(f"{int(np.floor(threshold)):04d}-12-31 23:59:59.999999")
    return _number(column), literal(threshold)


def _among(column: dict[str, Any], left: list[int], right: list[int]) -> str:
    """By level; a missing value, and a level never seen, is the code -1 where that has a side."""
    name, whens, rest = _column(column), [], ""
    for codes, answer in ((left, 1), (right, 0)):
        words = ", ".join(literal(column["levels"][code]) for code in codes if 0 <= code < len(column["levels"]))
        if words:
            whens.append(f"WHEN {name} IN ({words}) THEN {answer}")
        if -1 in codes:
            known = ", ".join(literal(level) for level in column["levels"])
            rest = f" WHEN {name} IS NULL OR {name} NOT IN ({known}) THEN {answer}"
    return f"CASE {' '.join(whens)}{rest} END" if whens or rest else "NULL"


def _beats(own: str, other: str, first: bool) -> str:
    return f"{own} >= {other}" if first else f"{own} > {other}"


def _line(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text)
