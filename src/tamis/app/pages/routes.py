"""Every address of the app; what is not listed here is not there."""

from __future__ import annotations

from typing import Any

from tamis.app.folder import ID
from tamis.app.guard import Guarded
from tamis.app.pages import answer, columns, compare, enter, predict, run, start, static


class Nothing(Guarded):
    """Whatever else is asked for."""

    def get(self) -> None:
        """Nothing."""
        self.refuse(404, "there is nothing at this address")

    post = put = delete = patch = get


def routes() -> list[tuple[str, Any]]:
    """Address -> handler; ids of tables and studies are hexadecimal digits, so that no path can be smuggled in."""
    table, study = rf"/api/table/({ID})", rf"/api/study/({ID})"
    return [
        (r"/", start.Start),
        (r"/enter", enter.Enter),
        (r"/static/([a-z.]+)", static.Static),
        (r"/api/upload", start.NewTable),
        (r"/api/demo", start.Demo),
        (table, start.DeleteTable),
        (rf"{table}/sheet", start.Sheet),
        (rf"{table}/columns", columns.ColumnRows),
        (rf"{table}/choices", columns.Choices),
        (rf"{table}/fit", columns.Fit),
        (rf"{table}/header", columns.Header),
        (rf"{table}/check", columns.Check),
        (rf"{table}/study", columns.NewStudy),
        (rf"/table/({ID})", columns.Columns),
        (rf"/study/({ID})", run.RunPage),
        (rf"/study/({ID})/events", run.Events),
        (rf"/study/({ID})/answer", answer.Answer),
        (rf"/study/({ID})/report", answer.Report),
        (rf"/study/({ID})/predict", predict.Predict),
        (rf"/study/({ID})/predictions.csv", predict.Download),
        (study, start.DeleteStudy),
        (rf"{study}/run", run.Begin),
        (rf"{study}/stop", run.Stop),
        (rf"{study}/question", answer.Question),
        (rf"{study}/open", answer.Open),
        (rf"{study}/predict", predict.NewRows),
        (rf"{study}/validate", predict.Validate),
        (rf"{study}/row", predict.OneRow),
        (r"/compare", compare.Compare),
        (r".*", Nothing),
    ]
