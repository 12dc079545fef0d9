"""A model as one SELECT, each step computed once a row: the sums or the leaf, then probabilities, then the answer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from tamis.errors import StudyError
from tamis.study.export.program import Program
from tamis.table.inference.dates import PARTS
from tamis.table.inference.missing import TOKENS, numbers_among
from tamis.table.notation import Notation
from tamis.table.sql_text import literal, quoted
from tamis.task import predicts_numbers

#: The table that is asked; to be replaced by one's own.
TABLE = "new_rows"

#: Parts of a date that are in its order, so that a date can be compared instead.
YEAR, ELAPSED = PARTS[0], PARTS[3]

#: What is taken off the ends of texts: what Tamis takes off, without characters that command a terminal.
SPACE = (
    " \t\n\r\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)

#: What numbers are written with, besides signs, a point and an exponent.
DIGITS = "0123456789"

#: Columns at most that a first step reads; of more, expressions stand where they are used. SQLite takes 2,000 columns.
MOST_COMPUTED = 300

#: Leaves of a tree at most: databases bound the depth of an expression.
MOST_LEAVES = 500

#: Trees of a sum at most, each a column of the statement: curves and pair maps of an additive model.
MOST_TREES = 30


#: Ends every step but the last. A database that merges a step into the next one copies its expressions to wherever they
#: are named, and K classes name each sum K² times: SQLite 3.40 ran out of memory at 7 classes × 325 columns. SQLite
#: and PostgreSQL merge no step that has a LIMIT and an OFFSET; AS MATERIALIZED is younger, and unknown to others.
COMPUTED_ONCE = f"LIMIT {2**63 - 1} OFFSET 0"

#: Values of which one expression finds the largest; of more, by rounds. It names each of them as often.
COMPARED = 8

#: Summands within a pair of parentheses: databases bound the depth of an expression, SQLite at 1,000.
SUMMANDS = 50


class _Steps:
    """Common table expressions, each of them all columns of the one before and new ones."""

    def __init__(self) -> None:
        self._written: list[str] = []
        self._last = "tamis_input"

    def add(self, **columns: str) -> None:
        """New columns, by name, from expressions in those that are there."""
        listed = ", ".join(f"{expression} AS {name}" for name, expression in columns.items())
        step = f"tamis_step_{len(self._written) + 1}"
        self._written.append(f"{step} AS (SELECT *, {listed} FROM {self._last} {COMPUTED_ONCE})")
        self._last = step

    def add_extreme(self, name: str, values: list[str], sign: str = ">=") -> None:
        """A column of the largest of the values, or with "<=" of the smallest, NULL where one is.

        Of many values those of groups come first, then those of these: K values are named in O(K) places.
        """
        rounds = 0
        while True:
            groups = [values[start : start + COMPARED] for start in range(0, len(values), COMPARED)]
            names = [f"{name}_{rounds}_{index}" for index in range(len(groups))] if len(groups) > 1 else [name]
            self.add(**{step_name: _extreme(group, sign) for step_name, group in zip(names, groups)})
            if len(groups) == 1:
                return
            values, rounds = names, rounds + 1

    def select(self, columns: list[tuple[str, str]]) -> str:
        """The end of the statement: all columns, and these expressions by name."""
        listed = ", ".join(f"{expression} AS {quoted(name)}" for name, expression in columns)
        return ",\n".join(self._written) + f"\nSELECT *, {listed} FROM {self._last};\n"


def sql_of(program: Program) -> str:
    """The statement: columns of the table, those of steps between (tamis_…), "prediction", "p(class)" of every class.

    Columns are compared with what the database holds: words, trimmed, with words, dates with ISO dates; booleans are
    booleans, 0 and 1, or texts such as 'true' and 'no'; numbers may be texts. NULL is a missing value, and so are texts
    such as '' and 'NA', and words in a column of numbers.
    """
    program, reading = _with_expressions(program)
    decision = f"-- {_line(program.decision)}\n" if program.decision else ""
    names = ["tamis_rows", *(["tamis_texts"] if reading else []), "tamis_input"]
    steps = [f"tamis_rows AS (SELECT * FROM {quoted(TABLE)})"]
    for source, step, computed in zip(names, names[1:], reading or [{}]):
        listed = "".join(f", {expression} AS {name}" for name, expression in computed.items())
        steps.append(f"{step} AS (SELECT *{listed} FROM {source}{' ' + COMPUTED_ONCE if computed else ''})")
    head = (
        f"-- {_line(program.target)}: a model of Tamis. Put your own table in the place of {quoted(TABLE)}.\n{decision}"
        "WITH " + ",\n".join(steps) + ",\n"
    )
    is_one_tree = len(program.trees) == 1 and program.link == "shares" and program.power == 1
    is_few_terms = program.link != "shares" and len(program.trees) <= MOST_TREES
    if program.trees and not is_one_tree and not is_few_terms:
        what = "a forest" if program.link == "shares" else "a sum"
        trees = "1 tree" if len(program.trees) == 1 else f"{len(program.trees):,} trees"
        raise StudyError(
            f"{what} of {trees} is no SQL that a database would take; give --to onnx or "
            "--to python, or take a tree with `tamis choose STUDY --procedure tree`"
        )
    return head + (_of_tree(program) if program.link == "shares" else _of_sums(program))


def _with_expressions(program: Program) -> tuple[Program, list[dict[str, str]]]:
    """The program, whose columns have the expression that reads them; the columns of the first two steps, by name.

    Texts that stand for a missing value, as Tamis reads tables, are NULL.
    """
    inputs, texts, values = [], {}, {}
    for index, column in enumerate(program.inputs, 1):
        is_computed = len(program.inputs) <= MOST_COMPUTED
        name = quoted(column["name"])
        trimmed = f"TRIM(CAST({'tamis_rows' if is_computed else 'tamis_input'}.{name} AS TEXT), {literal(SPACE)})"
        expression = _expression(
            column,
            f"{'tamis_texts' if is_computed else 'tamis_input'}.{name}",
            f"tamis_text_{index}" if is_computed else trimmed,
        )
        if expression and is_computed:
            texts[f"tamis_text_{index}"], values[f"tamis_value_{index}"] = trimmed, expression
            expression = f"tamis_input.tamis_value_{index}"
        inputs.append({**column, "expression": expression} if expression else column)
    return replace(program, inputs=tuple(inputs)), [texts, values] if texts else []


def _expression(column: dict[str, Any], name: str, text: str) -> str:
    """A column as Tamis reads it, from its own and its trimmed text; empty for dates, booleans and parts of others."""
    levels = column["levels"] or ()
    if column["kind"] in ("category", "words") and levels and all(isinstance(level, str) for level in levels):
        tokens = [token for token in TOKENS if token not in levels] + column.get("missing", [])
        return f"CASE WHEN {text} IN ({_listed(tokens)}) THEN NULL ELSE {text} END"
    is_numbers = bool(levels) and all(isinstance(level, (int, float)) and level is not True for level in levels)
    if "word" in column or "spellings" in column or not (column["kind"] == "number" or is_numbers):
        return ""
    return _as_number(name, text, column.get("missing", []), max(levels) + 1 if levels else None)


def _as_number(name: str, text: str, missing: list[str], unknown: float | None = None) -> str:
    """A column of numbers that a database may hold as texts; where it holds another text, NULL, or `unknown`.

    Among levels that are numbers a word is a level never seen, not a missing value.

    SQLite takes every text for larger than every number, and casts words to 0. A number that is no text is not read
    from one, which would round it.
    """
    rest = f"REPLACE(REPLACE(LOWER({text}), 'e-', 'e'), 'e+', 'e')"
    for letters in (DIGITS, "e", DIGITS, ".", DIGITS):
        rest = f"RTRIM({rest}, {literal(letters)})"
    tokens = [token for token in (*TOKENS, "+") if not token.strip("+-.")]
    is_no_number = (
        f"{rest} NOT IN ('', '-', '+') OR {text} IN ({_listed(tokens)}) "
        f"OR LOWER({text}) LIKE 'e%' OR LOWER({text}) LIKE '%e'"
    )
    whens = [] if unknown is None else [f"WHEN {text} IN ({_listed([*TOKENS, *missing])}) THEN NULL"]
    whens.append(f"WHEN {is_no_number} THEN {'NULL' if unknown is None else literal(unknown)}")
    if numbers := numbers_among(missing):
        whens.append(f"WHEN CAST({text} AS DOUBLE PRECISION) IN ({_listed(numbers)}) THEN NULL")
    whens.append(f"WHEN CAST({name} AS TEXT) = {text} THEN CAST({name} AS DOUBLE PRECISION)")
    return f"CASE {' '.join(whens)} ELSE CAST({text} AS DOUBLE PRECISION) END"


def _listed(values: Iterable[Any]) -> str:
    return ", ".join(literal(value) for value in values)


def _of_tree(program: Program) -> str:
    steps = _Steps()
    steps.add(tamis_leaf=_leaf(program, program.trees[0]))
    if predicts_numbers(program.task):
        return steps.select([("prediction", _by_leaf(program.trees[0], "tamis_leaf", 0))])
    return _decided(program, steps, [_by_leaf(program.trees[0], "tamis_leaf", k) for k in range(len(program.labels))])


def _leaf(program: Program, tree: list[dict[str, Any]]) -> str:
    """The place of a row's leaf among the nodes of a tree."""
    n_leaves = sum("leaf" in node for node in tree)
    if n_leaves > MOST_LEAVES:
        raise StudyError(
            f"the tree has {n_leaves:,} leaves, and databases take expressions of about {MOST_LEAVES}; give "
            "--to onnx or --to python, or take a smaller model with `tamis choose`"
        )
    text = [""] * len(tree)
    for index in range(len(tree) - 1, -1, -1):  # children come after their parents
        node = tree[index]
        if "leaf" in node:
            text[index] = str(index)
            continue
        left = node["left"]
        conditions = ", ".join(
            [*(_test(program, test) for test in _distinct_tests(program, node)), str(1 - node["default"])]
        )
        text[index] = f"CASE WHEN COALESCE({conditions}) = 1 THEN {text[left]} ELSE {text[left + 1]} END"
        text[left] = text[left + 1] = ""
    return text[0]


def _by_leaf(tree: list[dict[str, Any]], column: str, k: int) -> str:
    """The k-th number of the leaf whose place a column holds."""
    leaves = [(index, node["leaf"][k]) for index, node in enumerate(tree) if "leaf" in node]
    whens = " ".join(f"WHEN {index} THEN {literal(number)}" for index, number in leaves)
    return f"CASE {column} {whens} END"


def _of_sums(program: Program) -> str:
    names = [f"tamis_eta_{k + 1}" for k in range(len(program.intercept))]
    steps = _Steps()
    if program.trees:
        steps.add(**{f"tamis_leaf_{t + 1}": _leaf(program, tree) for t, tree in enumerate(program.trees)})
    steps.add(**{name: _sum(program, k) for k, name in enumerate(names)})
    first = names[0]
    if program.link == "identity":
        return steps.select([("prediction", first)])
    if program.link == "exp":
        return steps.select([("prediction", f"EXP(CASE WHEN {first} > 700 THEN 700 ELSE {first} END)")])
    if program.link == "logistic":
        steps.add(tamis_odds=_odds(first))
        near, far = "1.0 / (1.0 + tamis_odds)", "tamis_odds / (1.0 + tamis_odds)"
        expressions = [f"CASE WHEN {first} > 0 THEN {high} ELSE {low} END" for high, low in ((far, near), (near, far))]
    elif program.link == "cumulative":
        steps.add(**{f"tamis_odds_{k + 1}": _odds(name) for k, name in enumerate(names)})
        below = {f"tamis_below_{k + 1}": _share_below(name, k) for k, name in enumerate(names)}
        steps.add(**below)
        high, low = [*below, "1.0"], ["0.0", *below]
        expressions = [f"{first_share} - {second_share}" for first_share, second_share in zip(high, low)]
    elif len(names) == 1:
        expressions = [f"CASE WHEN {first} > 0 THEN {high} ELSE {1.0 - high} END" for high in (0.0, 1.0)]
    elif program.link == "one_hot":
        steps.add_extreme("tamis_top", names)
        steps.add(tamis_class=_first([f"{name} >= tamis_top" for name in names], range(len(names))))
        expressions = [f"CASE WHEN tamis_class = {k} THEN 1.0 ELSE 0.0 END" for k in range(len(names))]
    else:
        steps.add_extreme("tamis_top", names)
        powers = [f"EXP(CASE WHEN {a} - tamis_top < -700 THEN -700 ELSE {a} - tamis_top END)" for a in names]
        steps.add(**{f"tamis_power_{k + 1}": power for k, power in enumerate(powers)})
        steps.add(tamis_total=_added([f"tamis_power_{k + 1}" for k in range(len(names))]))
        expressions = [f"tamis_power_{k + 1} / tamis_total" for k in range(len(names))]
    shares = ["0.0"] * len(program.labels)
    for index, share in zip(program.classes, expressions):
        shares[index] = share
    return _decided(program, steps, shares)


def _odds(name: str) -> str:
    """exp(-|value|)."""
    return f"EXP(-ABS(CASE WHEN ABS({name}) > 700 THEN 700 ELSE {name} END))"


def _share_below(name: str, k: int) -> str:
    """The logistic function of a sum, from its odds."""
    odds = f"tamis_odds_{k + 1}"
    return f"CASE WHEN {name} > 0 THEN 1.0 / (1.0 + {odds}) ELSE {odds} / (1.0 + {odds}) END"


def _decided(program: Program, steps: _Steps, shares: list[str]) -> str:
    """Probabilities, and the label of the largest, or of the least expected cost."""
    share_names = [f"tamis_p_{k + 1}" for k in range(len(shares))]  # a table may have a column "p(class)"
    steps.add(**dict(zip(share_names, shares)))
    if program.costs is None:
        steps.add_extreme("tamis_largest", share_names)
        tests = [f"{name} >= tamis_largest" for name in share_names]
    else:
        costs = np.asarray(program.costs)
        slack = literal(1e-12 * float(np.abs(costs).max()))
        worth = [f"tamis_cost_{k + 1}" for k in range(len(share_names))]
        products = [[f"{literal(cost)} * {name}" for cost, name in zip(column, share_names)] for column in costs.T]
        steps.add(**{name: _added(terms) for name, terms in zip(worth, products)})
        steps.add_extreme("tamis_least", worth, "<=")
        tests = [f"{name} - {slack} <= tamis_least" for name in worth]
    named = [(f"p({label})", name) for label, name in zip(program.labels, share_names)]
    return steps.select([("prediction", _first(tests, program.labels)), *named])


def _extreme(values: list[str], sign: str) -> str:
    """The value that compares so with all others."""
    if len(values) == 1:
        return values[0]
    conditions = [" AND ".join(f"{a} {sign} {b}" for b in values if b != a) for a in values]
    return f"CASE {' '.join(f'WHEN {test} THEN {a}' for a, test in zip(values, conditions))} END"


def _first(tests: list[str], answers: Iterable[Any]) -> str:
    """The answer of the first test that holds."""
    return f"CASE {' '.join(f'WHEN {test} THEN {literal(answer)}' for test, answer in zip(tests, answers))} END"


def _added(summands: list[str]) -> str:
    """A sum, of many parts in parentheses."""
    while len(summands) > SUMMANDS:
        summands = [f"({' + '.join(summands[at : at + SUMMANDS])})" for at in range(0, len(summands), SUMMANDS)]
    return " + ".join(summands)


def _sum(program: Program, k: int) -> str:
    summands = [literal(program.intercept[k])]
    summands += [_by_leaf(tree, f"tamis_leaf_{t + 1}", k) for t, tree in enumerate(program.trees)]
    for term in program.terms:
        column = program.inputs[term["column"]]
        if "coef" in term:
            value = _number(column)
            filled = value if term["fill"] is None else f"COALESCE({value}, {literal(term['fill'])})"
            summands.append(f"({literal(term['coef'][k])}) * {filled}")
            continue
        name = _column(column)
        whens = [
            f"WHEN {name} = {literal(column['levels'][int(code)])} THEN {literal(numbers[k])}"
            for code, numbers in term["levels"].items()
        ]
        missing = "NULL" if term["missing"] is None else literal(term["missing"][k])
        summands.append(f"CASE WHEN {name} IS NULL THEN {missing} {' '.join(whens)} ELSE 0.0 END")
    return _added(summands)


def _column(column: dict[str, Any]) -> str:
    """As Tamis reads it. With the name of its table: SQLite takes an unknown name between quotes for a text."""
    return str(column.get("expression", f"tamis_input.{quoted(column.get('source', column['name']))}"))


def _number(column: dict[str, Any]) -> str:
    """A column as the number the model reads."""
    name = _column(column)
    if column["kind"] in ("date", "part"):
        raise StudyError(
            f"the model computes with {column['name']!r}, a number made of a date, which databases write in different "
            "ways; give --to python, or leave the date out of the study"
        )
    if "word" in column:
        raise StudyError(
            f"the model computes with {column['name']!r}, which is made of a text; give --to python, or leave the text "
            "out of the study"
        )
    if column["kind"] != "words":
        return name
    if "spellings" in column:
        return f"CASE {' '.join(_spelled(column, index) + f' THEN {index}.0' for index in range(2))} END"
    name = _column(column)
    return f"CASE {' '.join(f'WHEN {name} = {literal(w)} THEN {k}.0' for k, w in enumerate(column['levels']))} END"


def _spelled(column: dict[str, Any], index: int) -> str:
    """WHEN a boolean is its first or second level: databases hold booleans, numbers or texts."""
    texts = ", ".join(literal(text) for text in column["spellings"][index])
    return f"WHEN LOWER(TRIM(CAST({_column(column)} AS TEXT), {literal(SPACE)})) IN ({texts})"


def _distinct_tests(program: Program, node: dict[str, Any]) -> list[list[Any]]:
    """The tests of a split, without those on further parts of a date: where the first has no answer, nor have they."""
    tests, sources = [], set()
    for test in node["tests"]:
        source = None if test[0] == "sum" else program.inputs[test[1]].get("source")
        if source is None or source not in sources:
            tests.append(test)
        sources.add(source)
    return tests


def _test(program: Program, test: list[Any]) -> str:
    """1 where a row goes left, 0 where it goes right, NULL where the test has no answer."""
    if test[0] == "sum":
        total = " + ".join(f"({literal(factor)}) * {_number(program.inputs[j])}" for j, factor in test[1])
        return f"CASE WHEN {total} <= {literal(test[2])} THEN 1 WHEN {total} > {literal(test[2])} THEN 0 END"
    column = program.inputs[test[1]]
    if test[0] == "there":
        return f"CASE WHEN {_column(column)} IS NOT NULL THEN 1 END"
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
    name, whens, default = _column(column), [], ""
    for codes, answer in ((left, 1), (right, 0)):
        words = ", ".join(literal(column["levels"][code]) for code in codes if 0 <= code < len(column["levels"]))
        if words:
            whens.append(f"WHEN {name} IN ({words}) THEN {answer}")
        if -1 in codes:
            all_levels = ", ".join(literal(level) for level in column["levels"])
            default = f" WHEN {name} IS NULL OR {name} NOT IN ({all_levels}) THEN {answer}"
    return f"CASE {' '.join(whens)}{default} END" if whens or default else "NULL"


def _line(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text)
