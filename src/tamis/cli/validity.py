"""Whether a model may be used, and what is published of it: rows needed, validation, checklists, tables, figures."""

from pathlib import Path
from typing import Annotated

import typer

from tamis.cli.command import app
from tamis.cli.encoding import echo_json
from tamis.cli.errors import plainly
from tamis.cli.words import FolderArgument, JsonOption, QueryOption, TableArgument


@app.command()
@plainly
def size(
    folder: Annotated[Path | None, typer.Argument(help="a finished study: what would more rows gain?")] = None,
    predictors: Annotated[int | None, typer.Option(help="candidate parameters of the model")] = None,
    prevalence: Annotated[float | None, typer.Option(help="share of rows with the event; without it, a number")] = None,
    r2: Annotated[float | None, typer.Option(help="expected R² (Cox and Snell's, with --prevalence)")] = None,
    c_statistic: Annotated[float | None, typer.Option(help="expected area under the ROC curve, not --r2")] = None,
    mean: Annotated[float | None, typer.Option(help="of a number: its expected mean")] = None,
    sd: Annotated[float | None, typer.Option(help="of a number: its expected standard deviation")] = None,
    shrinkage: Annotated[float, typer.Option(help="smallest expected shrinkage")] = 0.9,
    as_json: JsonOption = False,
) -> None:
    """Rows that a prediction model needs, before it is developed; or, of a finished study, what more rows would gain.

    Before: criteria of Riley and others, with --predictors. After: the learning curve of the study, continued.
    """
    from dataclasses import asdict

    from tamis.errors import ParameterError
    from tamis.evaluate import sample_size

    if folder is not None:
        _of_study(folder, predictors, as_json)
        return
    if predictors is None:
        raise ParameterError(
            "give --predictors, the candidate parameters of a model, or the folder of a finished study"
        )

    sample = sample_size(
        predictors, r2=r2, prevalence=prevalence, c_statistic=c_statistic, mean=mean, sd=sd, shrinkage=shrinkage
    )
    if as_json:
        echo_json(asdict(sample), indent=1)
    else:
        typer.echo(str(sample))


def _of_study(folder: Path, predictors: int | None, as_json: bool) -> None:
    """What the learning curve of a study says of more rows."""
    from tamis.errors import ParameterError, StudyError
    from tamis.study import load

    if predictors is not None:
        raise ParameterError(f"--predictors is for a study that is not made yet; leave it out, or the folder {folder}")
    forecast = load(folder).results_["findings"]["learning"].get("forecast")
    if forecast is None:
        raise StudyError(f"{str(folder)!r} was made before learning curves were continued; run it with --fresh")
    if as_json:
        echo_json(forecast, indent=1)
    else:
        typer.echo(forecast["words"])


@app.command()
@plainly
def validate(
    folder: FolderArgument,
    table: TableArgument,
    query: QueryOption = None,
    recalibrate: Annotated[
        str | None, typer.Option(help="intercept or slope: also write a model with predictions moved to fit this table")
    ] = None,
    name: Annotated[str | None, typer.Option(help="name of that model, for `tamis predict --model`")] = None,
    as_json: JsonOption = False,
) -> None:
    """Judge a study's model, as it is, on another table whose target is known."""
    from tamis.study import load

    study = load(folder)
    facts = study.validate(table, query=query, recalibrate=recalibrate, name=name)
    if as_json:
        echo_json(facts, indent=1)
        return
    for sentence in facts["words"]:
        typer.echo(sentence)
    if name is not None:
        typer.echo(f"The recalibrated model is kept as {name}: tamis predict {folder} TABLE --model {name}")


@app.command()
@plainly
def checklist(
    folder: FolderArgument,
    of: Annotated[str, typer.Option("--for", help="tripod-ai, reforms or probast")] = "tripod-ai",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="checklist.html or checklist.docx, instead of the screen")
    ] = None,
) -> None:
    """A reporting checklist: items that the study answers are filled in, the others are left open and marked."""
    from tamis.study import load

    text = load(folder).checklist(of, output)
    typer.echo(text if output is None else f"wrote {output}")


@app.command()
@plainly
def tables(
    folder: FolderArgument,
    output: Annotated[Path, typer.Option("--output", "-o", help="the folder to write to")] = Path("tables"),
    to: Annotated[str, typer.Option("--to", help="csv: a file per table; docx: one Word document")] = "csv",
) -> None:
    """Write every table of a study's report as CSV files or as a Word document."""
    from tamis.study import load

    written = load(folder).tables(output, to=to)
    typer.echo(f"wrote {written[0] if len(written) == 1 else f'{len(written)} tables to {output}'}")


@app.command()
@plainly
def figures(
    folder: FolderArgument,
    output: Annotated[Path, typer.Option("--output", "-o", help="the folder to write to")] = Path("figures"),
    to: Annotated[str | None, typer.Option("--to", help="svg, png or svg,png; png needs Pillow")] = None,
) -> None:
    """Write every figure of a study's report as SVG and PNG files, without a browser."""
    from tamis.study import load

    written = load(folder).figures(output, to=to)
    typer.echo(f"wrote {len(written)} files to {output}")
    if to is None and not any(path.suffix == ".png" for path in written):
        typer.echo("PNG files need Pillow, which is not installed; install tamis[image]")
