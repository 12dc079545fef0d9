"""A model as one offline HTML page: a form for a row, its answer, and what each value does to it."""

from __future__ import annotations

import base64
import hashlib
import json
from importlib.resources import files
from typing import Any

import tamis
from tamis.study.export.program import Program
from tamis.study.prediction.training import Seen, Training
from tamis.task import predicts_numbers

#: Words of the model that the page shows at most.
MOST_WORDS = 20_000


def page_of(program: Program, words: str, training: Training | None = None) -> str:
    """The page; names are escaped, and nothing but its own script may run. Fields show the range of training rows."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(str(files("tamis.study.export"))),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    script, style = _file_text("calculator.js"), _file_text("calculator.css")
    names = [column.get("source", column["name"]) for column in program.inputs]
    seen_columns = {column.name: column for column in training.columns} if training is not None else {}
    fields = [
        {**column, "field": names.index(name), "name": name, **_range(seen_columns.get(column["name"]), column["kind"])}
        for column, name in zip(program.inputs, names)
    ]
    context: dict[str, Any] = {
        "target": program.target,
        "inputs": [column for index, column in enumerate(fields) if column["field"] == index],
        "decision": program.decision,
        "expected": program.expected,
        "is_number": predicts_numbers(program.task),
        "words": words if len(words) <= MOST_WORDS else words[:MOST_WORDS] + "\n…",
        "version": tamis.__version__,
        "model": _json({**program.to_dict(), "inputs": fields}),
        "script": script,
        "style": style,
        "policy": f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(style)}; base-uri 'none'; "
        "form-action 'none'",
    }
    written = environment.get_template("calculator.html").render(**context).strip() + "\n"
    return written.encode("utf-8", "replace").decode("utf-8")


def _range(seen_column: Seen | None, kind: str) -> dict[str, Any]:
    """The smallest and the largest value of a column of numbers in training, and how people write them."""
    if seen_column is None or seen_column.low is None or kind != "number":
        return {"low": None, "high": None, "range": ""}
    return {"low": seen_column.low, "high": seen_column.high, "range": " to ".join(seen_column.words)}


def _file_text(name: str) -> str:
    return (files("tamis.study.export") / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _json(value: object) -> str:
    """JSON that cannot end its element, whatever the names are."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
