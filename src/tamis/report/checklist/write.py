"""A filled checklist as text, as one offline HTML page, or as a Word document."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from tamis.errors import ParameterError
from tamis.report.checklist.answers import FilledItem
from tamis.report.checklist.items import CHECKLISTS
from tamis.report.export_tables import new_document, printable
from tamis.saved import naming, write_whole

#: What stands where only a person can answer.
OPEN = "To be answered by the authors"

_STYLE = """body { font: 15px/1.5 system-ui, sans-serif; max-width: 68rem; margin: 2rem auto; padding: 0 1rem;
color: #1d2530; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top; padding: .45rem .6rem;
border-bottom: 1px solid #dfe3e8; overflow-wrap: anywhere; } td.open { background: #fff4dd; color: #7a4a00; }
td:first-child { white-space: nowrap; } caption { text-align: left; padding-bottom: .6rem; color: #55606e; }"""


def checklist_text(name: str, items: Sequence[FilledItem]) -> str:
    """The checklist for a screen."""
    lines = [_title(name, items)]
    for entry in items:
        reference = f" (report: {entry.section})" if entry.section else ""
        lines += [
            f"{entry.item.number:>4}  {entry.item.subject}",
            f"      {entry.answer or OPEN}{reference}",
        ]
    return "\n".join(lines)


def write_checklist(name: str, items: Sequence[FilledItem], path: Path, target: str) -> Path:
    """Write the checklist; the ending of the path says how: .html, .docx or .txt."""
    kind = path.suffix.lower()
    if kind == ".docx":
        _write_word(name, items, path, target)
    elif kind in (".html", ".htm"):
        write_whole(path, _html(name, items, target))
    elif kind in (".txt", ".md"):
        write_whole(path, checklist_text(name, items) + "\n")
    else:
        raise ParameterError(f"output {str(path)!r}: give a path that ends in .html, .docx or .txt")
    return path


def _title(name: str, items: Sequence[FilledItem]) -> str:
    n_open = sum(entry.is_open for entry in items)
    checklist = CHECKLISTS[name]
    return f"{checklist.title} ({checklist.source}): {len(items) - n_open} of {len(items)} items filled, {n_open} open"


def _html(name: str, items: Sequence[FilledItem], target: str) -> str:
    rows = "\n".join(
        f"<tr><td>{escape(entry.item.number)}</td><td>{escape(entry.item.subject)}</td>"
        f"<td{' class=open' if entry.is_open else ''}>{escape(entry.answer or OPEN)}</td>"
        f"<td>{escape(entry.section)}</td></tr>"
        for entry in items
    )
    title = escape(f"{CHECKLISTS[name].title} · {target}")
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<style>{_STYLE}</style></head>\n<body><h1>{title}</h1>\n"
        f"<table><caption>{escape(_title(name, items))}</caption>"
        "<thead><tr><th>item</th><th>subject</th><th>answer</th><th>section of the report</th></tr></thead>\n"
        f"<tbody>\n{rows}\n</tbody></table></body></html>\n"
    )


def _write_word(name: str, items: Sequence[FilledItem], path: Path, target: str) -> None:
    document = new_document()
    document.add_heading(printable(f"{CHECKLISTS[name].title} · {target}"), level=1)
    document.add_paragraph(_title(name, items))
    table = document.add_table(rows=1, cols=4, style="Table Grid")
    for cell, text in zip(table.rows[0].cells, ("item", "subject", "answer", "section of the report")):
        cell.text = text
    for entry in items:
        texts = (entry.item.number, entry.item.subject, entry.answer or OPEN, entry.section)
        for cell, text in zip(table.add_row().cells, texts):
            cell.text = printable(text)
    with naming(path):
        document.save(str(path))
