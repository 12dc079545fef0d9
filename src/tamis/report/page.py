"""Facts become one HTML file that needs nothing else: no network, no other file, no third-party code of ours."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from tamis.report.facts import facts as facts_of
from tamis.report.short_names import with_short_names
from tamis.report.table import ReportTable, as_json, bar_share, compressed, packed, tables
from tamis.results.results import results_of

#: The most bytes a report may have.
MOST_BYTES = 2_000_000

#: The most bytes that the rows of a table may have before they are compressed: a browser must unpack them at once.
LARGEST = 8_000_000

#: The scripts of a page, in the order they run.
SCRIPTS = ("charts.js", "tables.js", "path.js", "threshold.js", "try.js", "contents.js", "save.js")


def page(results: dict[str, Any], plan: dict[str, Any], openings: Sequence[dict[str, Any]] = ()) -> str:
    """The report of a study as one HTML file of at most 2 MB.

    Parameters
    ----------
    results : as in results.json, finished or partial.
    plan : as in plan.json: the source and the settings.
    openings : lines of the ledger, oldest first.
    """
    from tamis.report.charts.drawn import at_the_end, captions, drawn

    plain, plan, openings = with_short_names((results, plan, list(openings)))
    record = results_of(plain)
    facts = facts_of(record, plan, openings)
    charts = drawn(record)
    scripts = [_bokeh(), "\n".join(_file_text(f"script/{name}") for name in SCRIPTS)]
    context: dict[str, Any] = {
        "facts": facts,
        "charts": charts,
        "drawings": _drawings(charts) if charts else "",
        "captions": captions(),
        "ends": at_the_end(charts),
        "style": _file_text("style.css"),
        "scripts": scripts,
        "policy": _policy(scripts),
        "json": as_json,
        "share": bar_share,
    }
    bare = _rendered(context, {})
    long = _long_tables(facts, MOST_BYTES - _bytes(bare))
    return _rendered(context, long) if long else bare


def _rendered(context: dict[str, Any], long: dict[str, Any]) -> str:
    text: str = _environment().get_template("page.html").render(**context, long=long).strip() + "\n"
    return text


def drawing_macros() -> Any:
    """The macros that draw parts of the page, to be called by themselves."""
    return _environment().get_template("picture.html").make_module({"json": as_json, "share": bar_share})


@cache
def _environment() -> Any:
    """The templates, each compiled once: that takes longer than filling them."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(str(files("tamis.report") / "template")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _long_tables(facts: dict[str, Any], room: int) -> dict[str, Any]:
    """The packed rows of the tables too long for HTML, by the table's id; short ones come first into the room."""
    packed_tables: dict[str, Any] = {}
    for table in sorted((table for table in tables(facts) if table.is_long), key=lambda table: len(table.rows)):
        room -= 1_000  # for the sentence that some rows were left out, and the element around
        rows, text = _fitting(table, room)
        room -= len(text)
        packed_tables[table.id] = {"packed": text, "left": rows["left"]}
    return packed_tables


def _fitting(table: ReportTable, room: int) -> tuple[dict[str, Any], str]:
    """As many rows of a table as fit into the room once they are compressed, and their text."""
    max_bytes = LARGEST
    while True:
        rows = packed(table, max_bytes)
        text = compressed(as_json(rows))
        if len(text) <= room or not rows["rows"]:
            return rows, text
        max_bytes = int(max_bytes * max(0.2, 0.95 * room / len(text))) if room > 0 else 0


def _drawings(charts: dict[str, Any]) -> str:
    """All charts as one Bokeh document, with the place of each in the page: a third cheaper than one by one."""
    from bokeh.document import Document

    document = Document()
    with document.models.freeze():  # models are looked for once, not after every chart
        for figure in charts.values():
            document.add_root(figure)
    target_ids = {figure.id: f"chart-{name}" for name, figure in charts.items()}
    return as_json({"document": document.to_json(deferred=False), "places": target_ids})


@cache
def _bokeh() -> str:
    """BokehJS from the installed package: the core is all these charts need."""
    from bokeh.resources import Resources

    inline = Resources(mode="inline", components=["bokeh"])
    return _closed("\n".join(inline.js_raw))


@cache
def _file_text(name: str) -> str:
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
