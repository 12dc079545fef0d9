"""What an exported Python file computes with: plain Python, no other package. The file holds this text."""

# begin
import datetime
import math
import re
from typing import Any

#: Texts that stand for a missing value, unless they are levels; the second group only where numbers are expected.
MISSING = (
    *("", "NA", "N/A", "n/a", "na", "N.A.", "n.a.", "NaN", "nan", "NAN", "-nan", "-NaN", "NaT", "null", "NULL", "Null"),
    *("<NA>", "#N/A", "#NA", "?", ".", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!", "-", "--", "---"),
)
MISSING_NUMBERS = ("None", "none", "NONE", "nil")


def is_missing(column: dict[str, Any], text: str) -> bool:
    """Whether a text stands for a missing value in a column."""
    if text in [str(level) for level in column["levels"] or ()]:
        return False
    return text in MISSING or (column["kind"] != "category" and text in MISSING_NUMBERS)


def is_stand_in(column: dict[str, Any], given: Any) -> bool:
    """Whether a value was named as missing in its column, as a text or as a number (999)."""
    for token in column.get("missing", ()):
        try:
            if token == str(given).strip() or float(token.replace(",", ".")) == float(given):
                return True
        except ValueError:
            continue
    return False


def value_of(column: dict[str, Any], row: dict[str, Any]) -> Any:
    """The number or code of a cell; None where it is missing, or a category that was never seen."""
    name = column.get("source", column["name"])
    if name not in row and column["needed"]:
        raise KeyError(f"the row lacks {name!r}, which the model uses; give it, None where it is missing")
    given = row.get(name)
    if "word" in column:
        return word_of(column["word"], "" if given is None or given != given else str(given).strip())
    if isinstance(given, str):
        given = given.strip()
        if is_missing(column, given):
            return None
    if given is None or given != given or is_stand_in(column, given):
        return None
    if column["kind"] == "category":
        return {str(level): code for code, level in enumerate(column["levels"])}.get(str(given), -1)
    for place, texts in enumerate(column.get("spellings", ())):
        if str(given).lower() in texts:
            return float(place)
    if column["kind"] == "words":
        places = {str(level): float(place) for place, level in enumerate(column["levels"])}
        if str(given) in places:
            return places[str(given)]
    if column["kind"] == "part" or (column["kind"] == "date" and not isinstance(given, (int, float))):
        return part_of(column.get("part"), datetime.datetime.fromisoformat(str(given)))
    try:
        return float(given)
    except ValueError:
        raise ValueError(f"{name!r} is {given!r}; give a number, or None where it is missing") from None


def word_of(word: Any, text: str) -> float:
    """Whether a text holds a word; without a word, how many words it has. A missing text has none."""
    text = "" if text in MISSING else text
    if word is None:
        return float(len(text.split()))
    return float(word in re.findall(r"\b\w\w+\b", text.lower()))


def part_of(part: Any, moment: datetime.datetime) -> float:
    """A part of a date, in UTC where it has a zone; without a part, the days since 1970."""
    if moment.tzinfo is not None:
        moment = moment.astimezone(datetime.timezone(datetime.timedelta(0))).replace(tzinfo=None)
    if part == "hour":
        return float(moment.hour)
    if part == "year":
        return float(moment.year)
    if part == "month":
        return float(moment.month)
    if part == "weekday":
        return float(moment.isoweekday())
    return (moment - datetime.datetime(1970, 1, 1)) / datetime.timedelta(days=1)


def sums_of(model: dict[str, Any], cells: list[Any]) -> list[float]:
    """The sums: intercept + the terms of all columns + the leaves of all trees."""
    found = list(model["intercept"])
    for term in model["terms"]:
        value = cells[term["column"]]
        if "coef" in term:
            value = term["fill"] if value is None else value
            parts = None if value is None else [factor * value for factor in term["coef"]]
        else:
            parts = term["missing"] if value is None else term["levels"].get(str(value), [0.0] * len(found))
        if parts is None:
            raise ValueError(f"{model['inputs'][term['column']]['name']!r} is missing; the model needs a value")
        found = [a + b for a, b in zip(found, parts)]
    for tree in model["trees"]:
        found = [a + b for a, b in zip(found, leaf_of(tree, cells))]
    return found


def side_of(node: dict[str, Any], cells: list[Any]) -> int:
    """0 for left, 1 for right: by the first test that answers, else the default."""
    for test in node["tests"]:
        kind = test[0]
        if kind == "sum":
            values = [cells[column] for column, _ in test[1]]
            if None not in values:
                return int(sum(factor * value for (_, factor), value in zip(test[1], values)) > test[2])
            continue
        value = cells[test[1]]
        if kind == "in":
            code = -1 if value is None else value
            if code in test[2] or code in test[3]:
                return int(code in test[3])
        elif value is not None:
            return 0 if kind == "there" else int(value > test[2]) ^ test[3]
    return int(node["default"])


def leaf_of(tree: list[dict[str, Any]], cells: list[Any]) -> list[float]:
    """The numbers of the leaf where a row ends."""
    node = tree[0]
    while "leaf" not in node:
        node = tree[node["left"] + side_of(node, cells)]
    return list(node["leaf"])


def tempered(shares: list[float], power: float) -> list[float]:
    """Shares to a power, divided by their sum."""
    raised = [(share / max(shares)) ** power for share in shares]
    return [share / sum(raised) for share in raised]


def logistic(value: float) -> float:
    """1 / (1 + exp(-value))."""
    small = math.exp(-abs(value))
    return 1 / (1 + small) if value > 0 else small / (1 + small)


def answers_of(model: dict[str, Any], row: dict[str, Any]) -> list[float]:
    """The predicted number, or the probability of every class."""
    cells = [value_of(column, row) for column in model["inputs"]]
    if model["link"] == "shares":
        leaves = [leaf_of(tree, cells) for tree in model["trees"]]
        means = [sum(values) / len(leaves) for values in zip(*leaves)]
        return means if model["power"] == 1 else tempered(means, model["power"])
    sums = sums_of(model, cells)
    if model["link"] == "identity":
        return sums
    if model["link"] == "exp":
        return [math.exp(min(sums[0], 700.0))]
    if model["link"] == "one_hot":
        best = int(sums[0] > 0) if len(sums) == 1 else sums.index(max(sums))
        shares = [float(place == best) for place in range(len(model["classes"]))]
    elif model["link"] == "cumulative":
        below = [*map(logistic, sums), 1.0]
        shares = [high - low for low, high in zip([0.0, *below], below)]
    elif model["link"] == "logistic":
        odds = math.exp(-abs(sums[0]))
        large, small = 1 / (1 + odds), odds / (1 + odds)
        shares = [small, large] if sums[0] > 0 else [large, small]
    else:
        powers = [math.exp(value - max(sums)) for value in sums]
        shares = [power / sum(powers) for power in powers]
    found = [0.0] * len(model["labels"])
    for place, share in zip(model["classes"], shares):
        found[place] = share
    return found


def decide(model: dict[str, Any], shares: list[float]) -> Any:
    """The label of the largest probability, or of the least expected cost; the first of several."""
    labels, costs = model["labels"], model["costs"]
    if costs is None:
        return labels[shares.index(max(shares))]
    expected = [sum(share * line[k] for share, line in zip(shares, costs)) for k in range(len(labels))]
    limit = min(expected) + 1e-12 * max(abs(cost) for line in costs for cost in line)
    return next(label for label, cost in zip(labels, expected) if cost <= limit)


# end
