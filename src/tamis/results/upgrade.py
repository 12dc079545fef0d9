"""results.json of an earlier layout, read under the names of this one."""

from __future__ import annotations

from typing import Any

from tamis.results.results import SCHEMA

#: The layout whose names are known.
FORMER_SCHEMA = 2

#: Where a name was another in the former layout: path of its holder ("*" for each item of a list), old name -> name.
RENAMED: dict[str, dict[str, str]] = {
    "answer": {"shrunken": "corrected_score", "sure": "supported"},
    "answer.black_box": {"beside": "quoted_score"},
    "answer.price": {"beside": "quoted_score"},
    "comparison": {
        "promised": "inner_score",
        "judged": "diagnostics",
        "shared_luck": "metric_correlation",
        "unlearned": "n_unlearned",
    },
    "comparison.procedures.*": {"train": "train_score", "nested": "score", "raced": "race"},
    "comparison.procedures.*.race": {"out": "eliminated", "spared": "fits_saved"},
    "comparison.diagnostics.errors": {"reaches": "radii"},
    "comparison.diagnostics.errors.radii.*": {"share": "fraction", "within": "radius"},
    "comparison.black_box": {"beside": "quoted_score"},
    "paths.*.points.*": {"most": "max_columns"},
    "stability.*": {"share": "fraction"},
    "findings": {"sure": "support"},
    "findings.support.*": {"sure": "supported"},
    "findings.stability": {"fewest": "min_columns", "most": "max_columns"},
    "so_far.*": {"nested": "score"},
    "lock": {"share": "fraction"},
}


def upgraded(facts: dict[str, Any]) -> dict[str, Any]:
    """The facts of results.json in this layout; those of a layout that is not known stay as they are.

    >>> upgraded({"schema": 2, "comparison": {"promised": 0.9}})
    {'schema': 3, 'comparison': {'inner_score': 0.9}}
    """
    if facts.get("schema") != FORMER_SCHEMA:
        return facts
    for path, names in RENAMED.items():
        facts = _renamed(facts, path.split("."), names)
    return facts | {"schema": SCHEMA}


def _renamed(facts: Any, path: list[str], names: dict[str, str]) -> Any:
    if not path:
        return {names.get(name, name): value for name, value in facts.items()} if isinstance(facts, dict) else facts
    if path[0] == "*":
        return [_renamed(item, path[1:], names) for item in facts] if isinstance(facts, list) else facts
    if not isinstance(facts, dict) or path[0] not in facts:
        return facts
    return facts | {path[0]: _renamed(facts[path[0]], path[1:], names)}
