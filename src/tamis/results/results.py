"""The facts of a finished study, as results.json holds them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tamis.results.answer import Answer
from tamis.results.record import Record

#: The layout of results.json.
SCHEMA = 2


@dataclass
class Results(Record):
    """results.json, in the order it is written; docs/reference/results.md says what each key holds."""

    omitted = ("drawn", "null", "reading", "sentinels", "joined")

    tamis: str
    schema: int
    partial: bool
    answer: Answer
    data: dict[str, Any]
    settings: dict[str, Any]
    columns: list[dict[str, Any]]
    leaks: list[dict[str, Any]]
    ladder: dict[str, Any] | None
    comparison: dict[str, Any]
    frontier: list[dict[str, Any]]
    paths: list[dict[str, Any]]
    stability: list[dict[str, Any]]
    findings: dict[str, Any] | None
    validity: dict[str, Any] | None
    plan: dict[str, Any]
    folds: list[dict[str, Any]]
    model: str
    lock: dict[str, Any]
    predictions: dict[str, Any] | None
    drawn: dict[str, Any] | None = None
    null: dict[str, Any] | None = None
    reading: list[str] | None = None
    sentinels: list[Any] | None = None
    joined: list[Any] | None = None
