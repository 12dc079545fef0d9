"""What a study publishes: report, methods paragraph, checklist, tables and figures, all from the same facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tamis.check import one_of
from tamis.results.results import Results
from tamis.study.disk import files


@dataclass(frozen=True)
class Published:
    """The facts that a study publishes.

    Attributes
    ----------
    results, plan : as in results.json and plan.json.
    looks : lines of the ledger about the locked rows.
    folder : of the study.
    is_whole : whether a checksum shows that the results are as they were written.
    """

    results: dict[str, Any]
    plan: dict[str, Any]
    looks: list[dict[str, Any]]
    folder: Path
    is_whole: bool

    def page(self) -> str:
        """The report as HTML."""
        from tamis.report.page import page  # brings Jinja, so only when a report is written

        with files.reading_results(self.folder, self.is_whole):
            return page(self.results, self.plan, self.looks)

    def methods(self) -> str:
        """A methods paragraph."""
        from tamis.report.short_names import with_short_names
        from tamis.study.claims.methods import methods

        with files.reading_results(self.folder, self.is_whole):
            return methods(with_short_names(self.results), self.looks)

    def checklist(self, of: str, path: str | Path | None, looks: list[dict[str, Any]]) -> str:
        """A reporting checklist as text, or the path that was written; `looks` are all lines of the ledger."""
        from tamis.report.checklist import CHECKLISTS, checklist_text, filled, write_checklist
        from tamis.report.checklist.answers import StudyFacts

        one_of("of", of, CHECKLISTS)
        items = filled(of, StudyFacts(Results.from_dict(self.results), self.plan, looks, self.methods()))
        if path is None:
            return checklist_text(of, items)
        return str(write_checklist(of, items, Path(path), self.results["data"]["target"]))

    def tables(self, folder: Path, to: str) -> list[Path]:
        """Every table of the report, written to a folder."""
        from tamis.report.export_tables import export_tables

        return export_tables(self.results, self.plan, self.looks, folder, to)

    def figures(self, folder: Path, to: str | Sequence[str] | None) -> list[Path]:
        """Every figure of the report, written to a folder."""
        from tamis.report.figures import every_figure, export_figures

        with files.reading_results(self.folder, self.is_whole):
            pictures = every_figure(self.results, self.plan, self.looks)
        return export_figures(pictures, folder, to)
