"""Commands that make a study and go on with it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tamis.cli.command import app
from tamis.cli.encoding import echo_json
from tamis.cli.errors import as_options, plainly
from tamis.cli.stop import state
from tamis.cli.words import (
    PROCEDURES,
    SCORINGS,
    AddressOption,
    EngineOption,
    FolderArgument,
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
    listed,
    seconds,
    with_scripts,
)
from tamis.wording import span

if TYPE_CHECKING:
    from tamis.results.results import Results


@app.command()
@plainly
def run(
    table: TableArgument,
    target: TargetOption,
    folder: Annotated[Path, typer.Option("--folder", "-f", help="where the study is kept")] = Path("study"),
    seed: Annotated[int, typer.Option(help="fixes every random choice")] = 0,
    types: TypesOption = None,
    query: QueryOption = None,
    missing: MissingOption = None,
    sheet: SheetOption = None,
    header: HeaderOption = None,
    drop: Annotated[str | None, typer.Option(help="columns to leave out, separated by commas")] = None,
    task: Annotated[
        str | None, typer.Option(help="classification, regression, count or ordinal; from the target by default")
    ] = None,
    scoring: Annotated[str | None, typer.Option(help=f"the metric to quote: {SCORINGS}")] = None,
    positive: Annotated[
        str | None,
        typer.Option(help="of two classes the one that is looked for: yes, disease, default; else the rarer one"),
    ] = None,
    prefer: Annotated[
        str,
        typer.Option(help="simplest or balanced: a small readable model; best: black boxes, too"),
    ] = "balanced",
    columns: Annotated[
        int | None,
        typer.Option(help="columns of a readable model at most; by default 12, or 20 of more columns than rows"),
    ] = None,
    rare: Annotated[str, typer.Option(help="classes with fewer rows than folds: keep, merge or drop")] = "keep",
    loss: Annotated[
        str | None, typer.Option(help="costs of mistakes: 'ham>spam=10, spam>ham=1' (truth>answer=cost), or a CSV")
    ] = None,
    lock: Annotated[float, typer.Option(help="the share of rows to lock")] = 0.2,
    folds: Annotated[int | None, typer.Option(help="outer folds; by default as the rows allow")] = None,
    repeats: Annotated[int | None, typer.Option(help="repeats of the folds; by default as the rows allow")] = None,
    groups: Annotated[str | None, typer.Option(help="column whose equal rows stay together")] = None,
    time: Annotated[str | None, typer.Option(help="column that orders the rows in time")] = None,
    exposure: Annotated[
        str | None,
        typer.Option(help="column that says how long or how much each row of counts was observed: rates are predicted"),
    ] = None,
    procedures: Annotated[
        str | None,
        typer.Option(help=f"procedures to compare, by commas; my_script.py:name for your own; of {PROCEDURES}"),
    ] = None,
    transform: Annotated[
        str | None,
        typer.Option(help="what is done to columns first: 'log,standardize', or 'spectrum_*: smooth; age: center'"),
    ] = None,
    black_box: Annotated[
        bool, typer.Option(help="judge black boxes beside the procedures, to know what a readable model costs")
    ] = True,
    subgroups: Annotated[
        str | None,
        typer.Option(help="columns whose levels are judged each by itself; by default all of 2 to 6 values"),
    ] = None,
    monotone: Annotated[
        str | None,
        typer.Option(help="columns with which predictions may only rise or fall, as in age=+,bmi=-"),
    ] = None,
    rows: Annotated[
        int | None,
        typer.Option(help="how many rows of files to draw and study; by default 50,000 of several files, all of one"),
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="threads; -1 is every core")] = -1,
    fresh: Annotated[bool, typer.Option("--fresh", help="start over in a folder that holds another study")] = False,
    budget: Annotated[
        str | None, typer.Option(help="time after which no fold is begun, as in 60s or 5m; the same command goes on")
    ] = None,
    null: Annotated[
        int, typer.Option(help="shuffled targets on which the whole job is done, too, to show what chance scores")
    ] = 0,
    engine: EngineOption = "local",
    address: AddressOption = None,
    master: MasterOption = None,
    as_json: JsonOption = False,
) -> None:
    """The main job: a table in, an honest answer and a report out. The same command again resumes."""
    from tamis.study import Study

    study = Study(
        table,
        target=target,
        folder=folder,
        seed=seed,
        types=types,
        query=query,
        missing=missing,
        sheet=sheet,
        header=header,
        drop=listed(drop) or (),
        task=task,
        scoring=scoring,
        positive=positive,
        prefer=prefer,
        rare=rare,
        loss=loss,
        lock=lock,
        folds=folds,
        repeats=repeats,
        groups=groups,
        time=time,
        exposure=exposure,
        procedures=with_scripts(listed(procedures)),
        transform=transform,
        black_box=black_box,
        rows=rows,
        columns=columns,
        subgroups=listed(subgroups),
        monotone=monotone,
        n_jobs=jobs,
    )
    with engine_of(engine, jobs, address, master):
        end = None if budget is None else seconds(budget)
        _run(study, fresh=fresh, as_json=as_json, budget=end, null=null)


def _run(study: Any, *, fresh: bool, as_json: bool, budget: float | None = None, null: int = 0) -> None:
    from tamis.report import progress_bar, say_answer, say_reading

    if not as_json:
        say_reading(
            study.decisions,
            roles=study.settings.roles,
            spoken=as_options,
            remarks=study.remarks,
            classes=study.problem.labels,
            n_learned=study.problem.table.n_columns,
        )
    with progress_bar(enabled=not as_json) as bar:

        def progress(finished: int, total: int, name: str) -> None:
            state["finished"] = finished
            bar(finished, total, name)

        study.run(fresh=fresh, budget=budget, null=null, progress=progress)
    if not study.results_:
        typer.echo("PARTIAL: the time was up before two folds were finished; the same command goes on.")
    elif as_json:
        echo_json(study.results_, indent=1)
    else:
        say_answer(study.results_, study.folder)


@app.command()
@plainly
def demo(
    folder: Annotated[Path, typer.Option("--folder", "-f", help="where the study is kept")] = Path("demo-study"),
) -> None:
    """The main job on a small real table that comes with Tamis: 569 tumours, 30 measurements, benign or malignant."""
    from importlib.resources import as_file, files

    from tamis.study import Study

    with as_file(files("tamis") / "demo" / "breast_cancer.csv") as path:
        _run(Study(str(path), target="diagnosis", folder=folder, n_jobs=-1), fresh=False, as_json=False)


@app.command()
@plainly
def choose(
    folder: FolderArgument,
    table: Annotated[
        str | None, typer.Argument(metavar="[TABLE]", help="the table again, where the study does not know its place")
    ] = None,
    procedure: Annotated[str | None, typer.Option(help="the procedure to take")] = None,
    columns: Annotated[
        int | None, typer.Option(help="take the best readable model of at most this number of columns")
    ] = None,
    rule: Annotated[bool, typer.Option("--rule", help="take what the rule takes, again")] = False,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="threads; -1 is every core")] = -1,
    as_json: JsonOption = False,
) -> None:
    """Take another model than the rule did, and refit; without an option, the ladder: score against columns."""
    from tamis.errors import ParameterError
    from tamis.report import say_answer
    from tamis.study import load

    study = load(folder)
    if rule and (procedure is not None or columns is not None):
        raise ParameterError("--rule goes back to the rule's choice; leave --procedure and --columns out")
    if not rule and procedure is None and columns is None:
        if as_json:
            echo_json(study.results_["ladder"] or study.results_["frontier"], indent=1)
        else:
            typer.echo(_frontier(study.results_))
        return
    study.n_jobs = jobs
    study.choose(procedure, columns=columns, source=table)
    if as_json:
        echo_json(study.results_, indent=1)
    else:
        say_answer(study.results_, study.folder)


def _ladder(results: "Results") -> str:
    lines = [f"{'columns':>7}  {results.answer.metric:>10}  {'95% interval':<14}  model"]
    for rung in results.ladder:
        score, sure = _score(rung.score), _interval(rung.interval)
        mark = "  chosen" if rung.chosen else "" if rung.better else "  no better than the line above"
        lines.append(f"{rung.columns:>7,}  {score:>10}  {sure:<14}  {rung.words}{mark}")
    return "\n".join(lines)


def _score(score: float | None) -> str:
    return "–" if score is None else f"{score:.4g}"


def _interval(interval: list[float] | None) -> str:
    return "" if interval is None else span(*(f"{end:.4g}" for end in interval))


def _frontier(plain: dict[str, Any]) -> str:
    """The ladder as lines of text, the choice marked; of procedures given by name, score against columns."""
    from tamis.results.results import Results

    results = Results.from_dict(plain)
    if results.ladder:
        return _ladder(results)
    lines = [f"{'procedure':<14} {'columns':>9} {results.answer.metric:>10}  95% interval"]
    for point in results.frontier:
        mark = "  chosen" if point.chosen else ""
        score, sure = _score(point.score), _interval(point.interval)
        lines.append(f"{point.procedure:<14} {point.columns:>9,.4g} {score:>10}  {sure}{mark}")
    for path in results.paths:
        where = "held-out rows, first repeat" if path.rows == "outer" else "inside training folds, half of the rows"
        lines += ["", f"{path.procedure} held to fewer columns ({where})"]
        for held in path.points:
            at_most = f"at most {held.max_columns:,}"
            lines.append(f"{at_most:<14} {held.columns:>9,.4g} {_score(held.score):>10}")
    return "\n".join(lines)
