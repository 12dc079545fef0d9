"""Commands that ask a finished study: locked rows, new rows, its report, its model elsewhere, another study."""

import re
from pathlib import Path
from typing import Annotated, Any

import typer

from tamis.cli.command import app
from tamis.cli.encoding import data_stream, echo_data, echo_json
from tamis.cli.errors import plainly
from tamis.cli.overwrite import OverwriteOption, is_export, is_predictions, is_report, refuse_overwriting
from tamis.cli.stop import say
from tamis.cli.words import (
    AddressOption,
    EngineOption,
    FolderArgument,
    JsonOption,
    MasterOption,
    QueryOption,
    TableArgument,
    engine_of,
    replacing_file,
)
from tamis.wording import span

#: Characters by which a text could command a terminal.
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")

#: Said of an opening before which none is known: nobody knows what was done elsewhere.
FIRST = "first opening known here: no earlier look at these rows is recorded in this folder or in those beside it"


@app.command("open")
@plainly
def open_(
    folder: FolderArgument,
    table: Annotated[
        str | None, typer.Argument(metavar="[TABLE]", help="the table again, where the study does not know its place")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Score the final model on the locked rows; every opening is counted."""
    from tamis.study import load

    opened = load(folder).open(table)
    if as_json:
        echo_json(opened)
        return
    bounds = opened["interval"]
    sure = "no interval" if bounds is None else f"95% interval {span(f'{bounds[0]:.4g}', f'{bounds[1]:.4g}')}"
    score_text = f"{opened['score']:.4g} ({sure})"
    typer.echo(f"{opened['metric']} on {opened['rows']:,} locked rows: {score_text}")
    typer.echo(FIRST if opened["independent"] else _again(opened["openings"]))
    if opened["note"]:
        typer.echo(opened["note"])


def _again(openings: int) -> str:
    return f"opening number {openings}: no longer independent, the locked rows have been looked at before"


@app.command()
@plainly
def predict(
    folder: FolderArgument,
    table: TableArgument,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="write here instead of the screen")] = None,
    query: QueryOption = None,
    identifier: Annotated[str | None, typer.Option("--id", help="a column to keep beside the predictions")] = None,
    coverage: Annotated[float, typer.Option(help="how often an interval of numbers holds a new answer")] = 0.95,
    model: Annotated[str | None, typer.Option(help="a model that `tamis validate --recalibrate` wrote")] = None,
    engine: EngineOption = "local",
    address: AddressOption = None,
    master: MasterOption = None,
    overwrite: OverwriteOption = False,
) -> None:
    """Predict the rows of a new table with a study's model: CSV, to the screen unless -o; rows are counted from 1."""
    from tamis.study import load
    from tamis.table import is_lazy_source

    refuse_overwriting(output, is_predictions, overwrite, table)
    study = load(folder)
    if model is not None:
        study.model_ = study.recalibrated(model)
    if is_lazy_source(table):
        with engine_of(engine, -1, address, master):
            _predict_parts(study, table, output, identifier, coverage)
    else:
        text = study.predictions_csv(table, query=query, id=identifier, coverage=coverage)
        if output is None:
            echo_data(text)
        else:
            with replacing_file(output) as stream:
                stream.write(text)
    if output is not None:
        say(f"wrote {output}")
    for note in (study.note_, *study.remarks_):
        if note:
            say(note)


def _predict_parts(study: Any, table: str, output: Path | None, identifier: str | None, coverage: float) -> None:
    """Predictions of many files, part by part."""
    if output is None:
        with data_stream() as stream:
            study.write_predictions(table, stream, id=identifier, coverage=coverage)
        return
    with replacing_file(output) as stream:
        study.write_predictions(table, stream, id=identifier, coverage=coverage)


@app.command()
@plainly
def threshold(
    folder: FolderArgument,
    value: Annotated[
        float | None, typer.Argument(metavar="[PROBABILITY]", help="between 0 and 1; without it, the study's own")
    ] = None,
) -> None:
    """Predict the class that is meant from another probability on: in predictions, every export and the report."""
    from tamis.study import load

    typer.echo(load(folder).set_threshold(value).model_.decision)


@app.command()
@plainly
def report(
    folder: FolderArgument,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="the HTML file; report.html in the folder")
    ] = None,
    show: Annotated[bool, typer.Option("--open", help="show it in the browser, too")] = False,
    overwrite: OverwriteOption = False,
) -> None:
    """Write a study's report again."""
    from tamis.study import load

    refuse_overwriting(output, is_report, overwrite)

    written = load(folder).report(output)
    typer.echo(str(written))
    if show:
        import webbrowser

        webbrowser.open(written.absolute().as_uri())


@app.command()
@plainly
def cite(folder: FolderArgument) -> None:
    """A methods paragraph for a paper: what a study did and found, and how often its locked rows were opened."""
    from tamis.study import load

    typer.echo(load(folder).cite())


@app.command()
@plainly
def export(
    folder: FolderArgument,
    to: Annotated[str, typer.Option("--to", help="python, sql, html or onnx")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="write here instead of the screen")] = None,
    overwrite: OverwriteOption = False,
) -> None:
    """Write a study's model for a place without Tamis: a Python file, a SQL statement, an HTML page, an ONNX file."""
    from tamis.errors import ParameterError
    from tamis.study import load

    refuse_overwriting(output, is_export, overwrite)
    written = load(folder).export(to, output)
    if isinstance(written, Path):
        say(f"wrote {written}")
        return
    if CONTROL.search(written):
        raise ParameterError(
            "a name or a level holds control characters, which would command the terminal; write to a file, with -o"
        )
    echo_data(written)


@app.command()
@plainly
def compare(
    first: Annotated[Path, typer.Argument(metavar="STUDY1", help="the folder of a study")],
    second: Annotated[Path, typer.Argument(metavar="STUDY2", help="the folder of another")],
    as_json: JsonOption = False,
) -> None:
    """Two studies side by side: scores, models, columns; over the same rows and folds, the paired difference."""
    from tamis.study import compare as compare_studies

    comparison = compare_studies(first, second)
    if as_json:
        echo_json(comparison.to_dict(), indent=1)
    else:
        typer.echo(comparison.to_text())
