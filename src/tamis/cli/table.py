"""Commands that look at a table without a study."""

import json
from pathlib import Path
from typing import Annotated

import typer

from tamis.cli.command import app
from tamis.cli.encoding import echo_json
from tamis.cli.errors import as_options, plainly
from tamis.cli.overwrite import OverwriteOption, is_ranking, refuse_overwriting
from tamis.cli.stop import say
from tamis.cli.words import (
    CRITERIA,
    AddressOption,
    EngineOption,
    HeaderOption,
    JsonOption,
    MasterOption,
    MissingOption,
    QueryOption,
    SheetOption,
    TableArgument,
    TargetOption,
    TypesOption,
    engine_of,
    naming_file,
)

#: Exit code of an audit that found a leak.
LEAKS = 3

#: Columns left out that `tamis rank` speaks of, each in a sentence.
MOST_SAID = 5


@app.command()
@plainly
def columns(
    table: TableArgument,
    types: TypesOption = None,
    query: QueryOption = None,
    missing: MissingOption = None,
    sheet: SheetOption = None,
    header: HeaderOption = None,
    target: str | None = None,
) -> None:
    """How every column of a table is read, and why; with a target, by the rows that a study would not lock."""
    from tamis.report import say_columns
    from tamis.study import read_columns

    reading = read_columns(table, types=types, query=query, target=target, missing=missing, sheet=sheet, header=header)
    say_columns(reading.decisions, spoken=as_options, remarks=reading.remarks)


@app.command()
@plainly
def rank(
    table: TableArgument,
    target: TargetOption,
    by: Annotated[str, typer.Option(help=f"criteria, separated by commas: {CRITERIA}")] = "mutual_information",
    permutations: Annotated[int, typer.Option(help="permuted targets for p-values")] = 0,
    combine: Annotated[str, typer.Option(help="how several criteria become one order")] = "borda",
    top: Annotated[int | None, typer.Option(help="show only the best")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="write CSV, or JSON by its ending")] = None,
    seed: Annotated[int, typer.Option(help="fixes every random choice")] = 0,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="threads; -1 is every core")] = -1,
    types: TypesOption = None,
    query: QueryOption = None,
    missing: MissingOption = None,
    sheet: SheetOption = None,
    header: HeaderOption = None,
    engine: EngineOption = "local",
    address: AddressOption = None,
    master: MasterOption = None,
    overwrite: OverwriteOption = False,
    as_json: JsonOption = False,
) -> None:
    """Rank the columns by how much each says about the target, best first."""
    from tamis.score import rank as rank_columns

    refuse_overwriting(output, is_ranking, overwrite, table)
    with engine_of(engine, jobs, address, master):
        ranking = rank_columns(
            table,
            target,
            by=by,
            n_permutations=permutations,
            combine=combine,
            random_state=seed,
            n_jobs=jobs,
            types=types,
            query=query,
            missing=missing,
            sheet=sheet,
            header=header,
        )
    if output is not None:
        with naming_file(output):
            (ranking.to_json if output.suffix == ".json" else ranking.to_csv)(output)
    if ranking.note:
        say(ranking.note)
    for decision in ranking.left_out[:MOST_SAID]:
        say(decision.sentence)
    if len(ranking.left_out) > MOST_SAID:
        say(f"{len(ranking.left_out) - MOST_SAID:,} more columns left out; `tamis columns` lists them")
    if as_json:
        echo_json(json.loads(ranking.to_json()), indent=1)
    else:
        typer.echo(ranking.to_text(top=top))


@app.command()
@plainly
def audit(
    procedure: Annotated[str, typer.Argument(metavar="SCRIPT:NAME", help="my_script.py:procedure, (X, y) -> answers")],
    table: TableArgument,
    target: TargetOption,
    permutations: Annotated[int, typer.Option(help="shuffled targets at most")] = 100,
    scoring: Annotated[str | None, typer.Option(help="the metric of the predictions, or of the score")] = None,
    seed: Annotated[int, typer.Option(help="fixes the shuffles")] = 0,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="threads; -1 is every core")] = -1,
    types: TypesOption = None,
    query: QueryOption = None,
    missing: MissingOption = None,
    sheet: SheetOption = None,
    header: HeaderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Does a procedure leak? It is run on shuffled targets, where an honest one scores like chance."""
    from tamis.evaluate import audit_table

    audit_result = audit_table(
        procedure,
        table,
        target,
        n_permutations=permutations,
        scoring=scoring,
        seed=seed,
        n_jobs=jobs,
        types=types,
        query=query,
        missing=missing,
        sheet=sheet,
        header=header,
    )
    typer.echo(json.dumps(audit_result.to_dict()) if as_json else repr(audit_result))
    if audit_result.leaks:
        raise typer.Exit(LEAKS)
