"""Predict: a new table with intervals and flags, to download; or one row by hand, with the model's reasons."""

from __future__ import annotations

import secrets
import shutil
from http import HTTPStatus
from pathlib import Path
from typing import Any

from tamis.app.pages.base import Page
from tamis.app.pages.start import study_name
from tamis.app.pages.upload import Upload
from tamis.app.runs.progress import is_finished
from tamis.saved import write_whole

#: What was predicted last.
PREDICTIONS = "predictions.csv"


class Predict(Page):
    """The page of a model that answers."""

    async def get(self, name: str) -> None:
        """A place to drop a table, and a form."""
        study, about = self.study(name)
        if not is_finished(study):
            self.redirect(f"/study/{name}")
            return
        form = await self.work(_form, study)
        self.show("predict.html", study={"id": name, "name": study_name(study), **about}, form=form)


class NewRows(Upload):
    """A table to predict is dropped; it is removed as soon as it is predicted."""

    def make_place(self) -> Path:
        study, _ = self.study(self.path_args[0])
        folder = study / f"new-{secrets.token_hex(8)}"
        folder.mkdir(mode=0o700)
        return folder

    def drop_place(self) -> None:
        shutil.rmtree(self.upload_folder, ignore_errors=True)

    async def post(self, name: str) -> None:
        """Predictions of every row: the first for the page, all for the download."""
        from tamis.app.predict.new_rows import predict_file

        file = self.received()
        self.receiver = None
        sheet = self.get_query_argument("sheet", None)
        id = self.get_query_argument("id", None) or None
        try:
            text, facts = await self.work(predict_file, self.upload_folder.parent, file, self.name, sheet, id)
            write_whole(self.upload_folder.parent / PREDICTIONS, text)
        finally:
            self.drop_place()
        self.answer(facts)


class Validate(NewRows):
    """A table whose target is known is dropped; it is removed as soon as the model is judged on it."""

    async def post(self, name: str) -> None:
        """Sentences on discrimination, calibration and drift; the ledger keeps that the model was judged."""
        from tamis.app.predict.new_rows import validate_file

        file = self.received()
        self.receiver = None
        sheet = self.get_query_argument("sheet", None)
        try:
            facts = await self.work(validate_file, self.upload_folder.parent, file, self.name, sheet)
        finally:
            self.drop_place()
        self.answer(facts)


class Download(Page):
    """The predictions of the last table."""

    def get(self, name: str) -> None:
        """CSV whose cells no spreadsheet takes for formulas."""
        study, _ = self.study(name)
        if not (study / PREDICTIONS).is_file():
            self.refuse(HTTPStatus.NOT_FOUND, "nothing was predicted yet")
        self.set_header("Content-Type", "text/csv; charset=UTF-8")
        self.set_header("Content-Disposition", f'attachment; filename="{PREDICTIONS}"')
        self.write((study / PREDICTIONS).read_bytes())


class OneRow(Page):
    """A row is typed in."""

    async def post(self, name: str) -> None:
        """Its answer, and what each value does to it."""
        study, _ = self.study(name)
        values = self.body().get("values")
        if not isinstance(values, dict) or not all(isinstance(value, str) for value in values.values()):
            self.refuse(HTTPStatus.BAD_REQUEST, "the values of a row must be texts by column")
        self.answer(await self.work(_row, study, values))


def _form(study: Path) -> dict[str, Any]:
    from tamis.app.predict.form import form_of

    return form_of(study)


def _row(study: Path, values: dict[str, str]) -> dict[str, Any]:
    from tamis.app.predict.reasons import answer_with_reasons

    return answer_with_reasons(study, values)
