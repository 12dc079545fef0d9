"""The fields of one row: the columns that the model uses, with what each held in training."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tamis.report import show
from tamis.study.disk.files import read_results
from tamis.study.model import Model
from tamis.task import predicts_numbers

#: Fields of a form; a model of more columns is for tables.
MOST_FIELDS = 60

#: Levels that a list offers.
MOST_LEVELS = 200


def form_of(study: Path) -> dict[str, Any]:
    """The fields of a model, largest contribution first; why there are none where a form would not help."""
    model = Model.read(study)
    used = read_results(study, "finish the study first")[0]["answer"]["selected"]
    names = list(dict.fromkeys(origin_of(model, name) for name in used))
    facts: dict[str, Any] = {
        "target": show.short(model.predicted, 60),
        "is_number": predicts_numbers(model.task),
        "fields": [],
        "why": "",
    }
    if not names:
        facts["why"] = "The model looks at no column, so that every row gets the same answer."
    elif len(names) > MOST_FIELDS:
        facts["why"] = f"The model uses {len(names):,} columns, too many to type in; drop a table instead."
    else:
        facts["fields"] = [_field(model, name, number) for number, name in enumerate(names)]
    return facts


def origin_of(model: Model, name: str) -> str:
    """The column of the source that a column of the model is made from: its own, but for the parts of a date."""
    if name in model.types:
        return name
    return next((source for source in model.types if name.startswith(f"{source} (")), name)


def _field(model: Model, name: str, number: int) -> dict[str, Any]:
    type = model.types.get(name, {"kind": "numeric"})
    facts = {column["name"]: column for column in model.columns}.get(name, {"levels": None, "kind": type["kind"]})
    training_column = (
        {column.name: column for column in model.training.columns}.get(name) if model.training is not None else None
    )
    levels = facts["levels"] if facts["levels"] is not None else type.get("levels")
    if levels is None and type["kind"] == "boolean":
        levels = ["false", "true"]
    hint = ""
    if training_column is not None and training_column.low is not None and not levels:
        hint = f"{training_column.words[0]} to {training_column.words[1]} in training"
    elif type["kind"] == "date":
        hint = "a date, such as 2024-03-31"
    if type.get("unit"):
        hint += f" ({type['unit']})"
    listed_levels = [] if levels is None or len(levels) > MOST_LEVELS else [str(level) for level in levels]
    return {"id": f"field-{number}", "name": name, "shown": show.short(name, 60), "levels": listed_levels, "hint": hint}
