"""Facts become one HTML file that needs nothing else: no network, no other file, no third-party code of ours."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from tamis.report.facts import facts as facts_of
from tamis.report.table import as_json, packed, tables

#: The most bytes a report may have.
MOST_BYTES = 2_000_000

#: What each chart shows, in words, for those who cannot see it.
CAPTIONS = {
    "procedures": "Nested score of each procedure with its 95% interval, and its score on the training rows; the "
    "dashed line is the baseline.",
    "folds": "The score of every procedure in every fold; the dashed line is the baseline.",
    "stability": "Share of folds in which each column was used; those of the final model are orange.",
    "classes": "Rows learned from, by class (the most frequent, where there are many).",
    "roc": "ROC curve from predictions of rows the model had not seen; the dashed diagonal is guessing.",
    "reliability": "How often the predicted came true, at each predicted probability; the dashed diagonal is perfect.",
    "predicted": "Predicted against actual, for rows the model had not seen; the dashed diagonal is perfect.",
}


def page(results: dict[str, Any], plan: dict[str, Any], openings: Sequence[dict[str, Any]] = ()) -> str:
    """The report of a study as one HTML file of at most 2 MB.

    Parameters
    ----------
    results : as in results.json, finished or partial.
    plan : as in plan.json: the source and the settings.
    openings : lines of the ledger, oldest first.
    """
    from tamis.report.charts import drawn

    facts = facts_of(results, plan, openings)
    charts = {name: _chart(figure) for name, figure in drawn(results).items()}
    scripts = [_bokeh(), _part("script.js")]
    given: dict[str, Any] = {
        "facts": facts,
        "charts": charts,
        "captions": CAPTIONS,
        "style": _part("style.css"),
        "scripts": scripts,
        "policy": _policy(scripts),
    }
    bare = _rendered(given, {})
    return _rendered(given, _long_tables(facts, MOST_BYTES - _bytes(bare)))


def _rendered(given: dict[str, Any], long: dict[str, Any]) -> str:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(str(files("tamis.report") / "template")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html").render(**given, long=long).strip() + "\n"


def _long_tables(facts: dict[str, Any], room: int) -> dict[str, Any]:
    """The packed rows of the tables too long for HTML, by the table's id; short ones come first into the room."""
    found: dict[str, Any] = {}
    for table in sorted((table for table in tables(facts) if table.is_long), key=lambda table: len(table.rows)):
        rows = packed(table, room - 1_000)  # for the sentence that some rows were left out, and the element around
        text = as_json(rows)
        room -= _bytes(text) + 1_000
        found[table.id] = {"json": text, "left": rows["left"]}
    return found


def _chart(figure: Any) -> str:
    from bokeh.embed import json_item

    return as_json(json_item(figure))


@cache
def _bokeh() -> str:
    """BokehJS from the installed package: the core is all these charts need."""
    from bokeh.resources import Resources

    inline = Resources(mode="inline", components=["bokeh"])
    return _closed("\n".join(inline.js_raw))


@cache
def _part(name: str) -> str:
    return (files("tamis.report") / "template" / name).read_text(encoding="utf-8")


def _closed(script: str) -> str:
    """A script that cannot end its own element early."""
    return script.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _policy(scripts: Sequence[str]) -> str:
    """Only these very scripts may run, nothing may be fetched, sent or framed."""
    hashes = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in scripts
    )
    # Bokeh puts its styles into the page while it runs, so styles cannot be bound to a digest.
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
