"""The command line: parses words, calls public functions. Nothing heavy is imported until a command runs."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

app = typer.Typer(
    name="tamis",
    help="Sifts a table to the columns that matter, fits models people can read, says honestly how good they are.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

#: Exit codes: 0 done, 1 bad input (one sentence said what), 2 bad usage (typer's own), 3 an audit found a leak, 130
#: stopped by Ctrl-C.
BAD_INPUT, LEAKS, STOPPED = 1, 3, 130

#: Seconds that a stopped command has to leave a report of what is finished.
GRACE = 0.7

#: Parameters that are options of another name, and all that are options.
_CALLED = {"n_jobs": "jobs", "n_permutations": "permutations", "random_state": "seed"}
_NAMES = (
    *(
        "target",
        "folder",
        "seed",
        "types",
        "query",
        "drop",
        "task",
        "scoring",
        "prefer",
        "rare",
        "loss",
        "lock",
        "folds",
    ),
    *(
        "repeats",
        "groups",
        "time",
        "procedures",
        "procedure",
        "columns",
        "transform",
        "by",
        "combine",
        "coverage",
        "to",
        "engine",
        "address",
        "master",
    ),
    *_CALLED,
)
_PARAMETER = re.compile(
    rf"(?<!types: )(?<![\w'\"/=.-])(?P<name>{'|'.join(_NAMES)})=(?:'(?P<word>[\w-]+)'|(?P<other>[^\s;,]*))"
)
_NO_OPTION = re.compile(r",? or give delimiter= if it is not '.{1,2}'")

_state: dict[str, Any] = {"debug": False, "stopped": False, "said": False}
_saying = threading.Lock()

TableArgument = Annotated[
    str,
    typer.Argument(
        metavar="TABLE", help="a file (CSV, Parquet, Excel, …), many ('data/*.parquet', a folder), or a database URL"
    ),
]
TargetOption = Annotated[str, typer.Option("--target", "-t", help="the column to predict")]
FolderArgument = Annotated[Path, typer.Argument(metavar="STUDY", help="the folder of a study")]
TypesOption = Annotated[
    str | None, typer.Option("--types", help="kinds by hand: zip=categorical,age=numeric, or a TOML file")
]
QueryOption = Annotated[str | None, typer.Option("--query", help="the SQL query, when TABLE is a database URL")]
EngineOption = Annotated[
    str, typer.Option("--engine", help="where many files are worked on: local (threads), dask or spark")
]
AddressOption = Annotated[
    str | None, typer.Option("--address", help="of a Dask scheduler, as in tcp://host:8786; else one is started here")
]
MasterOption = Annotated[str | None, typer.Option("--master", help="of Spark, as in spark://host:7077; else local[*]")]
JsonOption = Annotated[bool, typer.Option("--json", help="print machine-readable JSON instead of words")]


def main() -> None:
    """The entry point of the `tamis` command."""
    _watch()
    sys.unraisablehook = _unraisable
    try:
        app()
    except SystemExit as end:
        if end.code != STOPPED:
            raise
        _leave()  # threads are still inside compiled code: an orderly end would wait for them, or abort
    except BaseException:
        if not _state["stopped"]:
            raise
        _leave()


def _unraisable(found: Any) -> None:
    """Ctrl-C in a callback of a library (the compiler's cache has one) cannot be raised there; `_watch` answers it."""
    if not issubclass(found.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(found)


def _watch() -> None:
    """End the process `GRACE` seconds after Ctrl-C, whatever it is doing then.

    The interpreter raises KeyboardInterrupt when the main thread next runs Python code: not while a file is read or a
    kernel runs, and libraries may lose it. The system's signal reaches a thread that does nothing else but wait for it.
    Files are written whole and the journal line by line, so a study can be ended at any moment.
    """
    ends = socket.socketpair()
    ends[1].setblocking(False)
    signal.set_wakeup_fd(ends[1].fileno(), warn_on_full_buffer=False)
    threading.Thread(target=_await_signal, args=ends, daemon=True).start()


def _await_signal(end: socket.socket, other: socket.socket) -> None:
    while end.recv(1)[0] != signal.SIGINT:
        pass
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return  # somebody else answers it
    _state["stopped"] = True
    time.sleep(GRACE)
    _leave()


def _leave() -> None:
    """End the process, after the one sentence that says so."""
    _say_stopped()
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    os._exit(STOPPED)


def _say_stopped() -> None:
    with _saying:
        if not _state["said"]:
            _state["said"] = True
            if sys.stderr.isatty():
                typer.echo("\x1b[?25h", err=True)  # a progress bar hides the cursor
            _say("stopped; what was finished is kept, and the same command goes on from there")


def _version(asked: bool) -> None:
    if asked:
        from tamis import __version__

        typer.echo(f"tamis {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    debug: Annotated[bool, typer.Option("--debug", help="show the whole traceback of an error")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="print the version")
    ] = False,
) -> None:
    _state["debug"] = debug


def _plainly(command: Callable[..., None]) -> Callable[..., None]:
    """Errors in one sentence, without a traceback unless --debug asked for it."""

    @wraps(command)
    def wrapped(*args: Any, **kwargs: Any) -> None:
        _state["said"] = False
        try:
            command(*args, **kwargs)
        except KeyboardInterrupt:
            _say_stopped()
            raise typer.Exit(STOPPED) from None
        except BrokenPipeError:  # the reader (head, less) went away: not an error
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except Exception as error:
            if _state["stopped"]:  # whatever a library made of the interrupt
                _say_stopped()
                raise typer.Exit(STOPPED) from None
            if _state["debug"] or not isinstance(error, (ValueError, TypeError, OSError, ImportError)):
                raise
            _say(f"error: {_as_options(str(error))}")
            raise typer.Exit(BAD_INPUT) from None

    return wrapped


def _as_options(sentence: str) -> str:
    """An error of the library in the words of the command line: options instead of parameters.

    >>> _as_options("n_jobs=0 is no number of threads; give task='classes', or start over with run(fresh=True)")
    '--jobs 0 is no number of threads; give --task classes, or start over with --fresh'
    """
    sentence = sentence.replace("run(fresh=True)", "--fresh").replace("run()", "`tamis run`")
    sentence = _NO_OPTION.sub("", sentence)
    return _PARAMETER.sub(_option, sentence)


def _option(found: re.Match[str]) -> str:
    name, word = found["name"], found["word"] or found["other"]
    return f"--{_CALLED.get(name, name)}" + (f" {word}" if word else "")


def _say(sentence: str) -> None:
    typer.echo(f"tamis: {sentence}", err=True)


@app.command()
@_plainly
def run(
    table: TableArgument,
    target: TargetOption,
    folder: Annotated[Path, typer.Option("--folder", "-f", help="where the study is kept")] = Path("study"),
    seed: Annotated[int, typer.Option(help="fixes every random choice")] = 0,
    types: TypesOption = None,
    query: QueryOption = None,
    drop: Annotated[str | None, typer.Option(help="columns to leave out, separated by commas")] = None,
    task: Annotated[str | None, typer.Option(help="classes or numbers; decided from the target otherwise")] = None,
    scoring: Annotated[str | None, typer.Option(help="the metric to quote")] = None,
    prefer: Annotated[
        str, typer.Option(help="simplest, balanced or best: how much a simpler model may lose")
    ] = "balanced",
    rare: Annotated[str, typer.Option(help="classes with fewer rows than folds: keep, merge or drop")] = "keep",
    loss: Annotated[
        str | None, typer.Option(help="costs of mistakes: 'ham>spam=10, spam>ham=1' (truth>answer=cost), or a CSV")
    ] = None,
    lock: Annotated[float, typer.Option(help="the share of rows to lock")] = 0.2,
    folds: Annotated[int | None, typer.Option(help="outer folds; by default as the rows allow")] = None,
    repeats: Annotated[int | None, typer.Option(help="how often the folds are drawn anew; likewise")] = None,
    groups: Annotated[str | None, typer.Option(help="column whose equal rows stay together")] = None,
    time: Annotated[str | None, typer.Option(help="column that orders the rows in time")] = None,
    procedures: Annotated[
        str | None,
        typer.Option(help="procedures to compare, separated by commas; my_script.py:name for your own"),
    ] = None,
    transform: Annotated[
        str | None,
        typer.Option(help="what is done to columns first: 'log,standardize', or 'spectrum_*: smooth; age: center'"),
    ] = None,
    black_box: Annotated[
        bool, typer.Option(help="judge gradient boosting beside the procedures, to know what a readable model costs")
    ] = True,
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
        drop=_listed(drop) or (),
        task=task,
        scoring=scoring,
        prefer=prefer,
        rare=rare,
        loss=loss,
        lock=lock,
        folds=folds,
        repeats=repeats,
        groups=groups,
        time=time,
        procedures=_with_scripts(_listed(procedures)),
        transform=transform,
        black_box=black_box,
        rows=rows,
        n_jobs=jobs,
    )
    with _engine(engine, jobs, address, master):
        _run(study, fresh=fresh, as_json=as_json, budget=None if budget is None else _seconds(budget), null=null)


def _engine(name: str, jobs: int, address: str | None, master: str | None) -> AbstractContextManager[Any]:
    """The engine for many files: threads of this machine unless another is named."""
    from tamis.engine import use

    return use(name, n_jobs=jobs if name == "local" else None, address=address, master=master)


def _seconds(text: str) -> float:
    """A time such as 60, 60s, 5m or 1.5h in seconds."""
    from tamis.errors import ParameterError

    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(s|m|h)?\s*", text)
    if found is None:
        raise ParameterError(f"--budget {text!r} is no time; give seconds, minutes or hours, as in 60s, 5m or 1.5h")
    return float(found[1]) * {"s": 1, "m": 60, "h": 3600}[found[2] or "s"]


def _with_scripts(names: Any) -> Any:
    """Procedures by name; those of scripts, my_script.py:name, as the pipelines they are."""
    if names is None or not any(":" in name for name in names):
        return names
    from tamis.evaluate.script import from_script

    return {name.rpartition(":")[2]: from_script(name) if ":" in name else name for name in names}


def _run(study: Any, *, fresh: bool, as_json: bool, budget: float | None = None, null: int = 0) -> None:
    from tamis.report import progress_bar, say_answer, say_columns
    from tamis.warm import warm_for_study

    if not as_json:
        say_columns(study.decisions)
    problem = study.problem
    warm_for_study(problem.task, len(problem.labels), not problem.table.is_numeric)
    with progress_bar(enabled=not as_json) as bar:
        study.run(fresh=fresh, budget=budget, null=null, progress=bar)
    if not study.results_:
        typer.echo("PARTIAL: the time was up before two folds were finished; the same command goes on.")
    elif as_json:
        typer.echo(json.dumps(study.results_, indent=1, ensure_ascii=False))
    else:
        say_answer(study.results_, study.folder)


@app.command()
@_plainly
def demo(
    folder: Annotated[Path, typer.Option("--folder", "-f", help="where the study is kept")] = Path("demo-study"),
) -> None:
    """The main job on a small real table that comes with Tamis: 569 tumours, 30 measurements, benign or malignant."""
    from importlib.resources import as_file, files

    from tamis.study import Study

    with as_file(files("tamis") / "demo" / "breast_cancer.csv") as path:
        _run(Study(str(path), target="diagnosis", folder=folder, n_jobs=-1), fresh=False, as_json=False)


@app.command()
@_plainly
def warm(
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="compilers at a time; -1 is one a core")] = -1,
) -> None:
    """Compile all kernels for this machine, once, so that no later command waits for it: for images and CI."""
    from tamis.engine import workers
    from tamis.warm import JOBS, LAST
    from tamis.warm import warm as compile_kernels

    number = len(JOBS) + len(LAST)
    _say(f"compiling kernels for this machine, {number} groups of them; this takes a minute or two")
    for k, name in enumerate(compile_kernels(processes=workers(jobs)), 1):
        _say(f"{k} of {number} done: {name}")


@app.command("app")
@_plainly
def app_(
    port: Annotated[int | None, typer.Option(help="of 127.0.0.1; 8642, or a free one, unless given")] = None,
    folder: Annotated[
        Path | None, typer.Option("--folder", "-f", help="where uploads and studies are kept; yours alone")
    ] = None,
    browser: Annotated[bool, typer.Option(help="open the page in the browser")] = True,
) -> None:
    """A page in your browser for all of this: drop a table, correct its columns, run, read, predict."""
    from tamis.app import serve

    serve(port, folder, browser=browser, say=_say)


@app.command("open")
@_plainly
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
        typer.echo(json.dumps(opened, ensure_ascii=False))
        return
    bounds = opened["interval"]
    sure = "no interval" if bounds is None else f"95% interval {bounds[0]:.4g}–{bounds[1]:.4g}"
    found = f"{opened['score']:.4g} ({sure})"
    typer.echo(f"{opened['metric']} on {opened['rows']:,} locked rows: {found}")
    typer.echo("first opening: the score is independent" if opened["independent"] else _again(opened["openings"]))
    if opened["note"]:
        typer.echo(opened["note"])


@app.command()
@_plainly
def choose(
    folder: FolderArgument,
    table: Annotated[
        str | None, typer.Argument(metavar="[TABLE]", help="the table again, where the study does not know its place")
    ] = None,
    procedure: Annotated[str | None, typer.Option(help="the procedure to take")] = None,
    columns: Annotated[int | None, typer.Option(help="take the best that is held to so many columns")] = None,
    rule: Annotated[bool, typer.Option("--rule", help="take what the rule takes, again")] = False,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="threads; -1 is every core")] = -1,
    as_json: JsonOption = False,
) -> None:
    """Take another procedure than the rule did, and refit; without an option, score against number of columns."""
    from tamis.errors import ParameterError
    from tamis.report import say_answer
    from tamis.study import load

    study = load(folder)
    if rule and (procedure is not None or columns is not None):
        raise ParameterError("--rule goes back to the rule's choice; leave --procedure and --columns out")
    if not rule and procedure is None and columns is None:
        typer.echo(json.dumps(study.results_["frontier"], indent=1) if as_json else _frontier(study.results_))
        return
    study.n_jobs = jobs
    study.choose(procedure, columns=columns, source=table)
    if as_json:
        typer.echo(json.dumps(study.results_, indent=1, ensure_ascii=False))
    else:
        say_answer(study.results_, study.folder)


def _frontier(results: dict[str, Any]) -> str:
    """The frontier as lines of text, the choice marked."""
    lines = [f"{'procedure':<14} {'columns':>9} {results['answer']['metric']:>10}  95% interval"]
    for point in results["frontier"]:
        score = "–" if point["score"] is None else f"{point['score']:.4g}"
        sure = "" if point["interval"] is None else "{:.4g}–{:.4g}".format(*point["interval"])
        mark = "  chosen" if point["chosen"] else ""
        lines.append(f"{point['procedure']:<14} {point['columns']:>9,.4g} {score:>10}  {sure}{mark}")
    for path in results.get("paths") or ():
        where = "rows not seen, first repeat" if path["rows"] == "outer" else "inside training parts, half of the rows"
        lines += ["", f"{path['procedure']} held to fewer columns ({where})"]
        for point in path["points"]:
            score = "–" if point["score"] is None else f"{point['score']:.4g}"
            lines.append(f"{'at most ' + format(point['most'], ','):<14} {point['columns']:>9,.4g} {score:>10}")
    return "\n".join(lines)


def _naming(path: Path) -> AbstractContextManager[None]:
    from tamis.saved import naming

    return naming(path)


def _again(openings: int) -> str:
    return f"opening number {openings}: no longer independent, the locked rows have been looked at before"


@app.command()
@_plainly
def predict(
    folder: FolderArgument,
    table: TableArgument,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="write here instead of the screen")] = None,
    query: QueryOption = None,
    identifier: Annotated[str | None, typer.Option("--id", help="a column to keep beside the predictions")] = None,
    coverage: Annotated[float, typer.Option(help="how often an interval of numbers holds a new answer")] = 0.95,
    engine: EngineOption = "local",
    address: AddressOption = None,
    master: MasterOption = None,
) -> None:
    """Predict the rows of a new table with a study's model: CSV, to the screen unless -o; rows are counted from 1."""
    from tamis.study import load
    from tamis.table import is_lazy_source

    study = load(folder)
    if is_lazy_source(table):
        with _engine(engine, -1, address, master):
            _predict_parts(study, table, output, identifier, coverage)
    else:
        text = study.predictions_csv(table, query=query, id=identifier, coverage=coverage)
        if output is None:
            typer.echo(text, nl=False)
        else:
            with _naming(output):
                output.write_text(text, encoding="utf-8")
    if output is not None:
        _say(f"wrote {output}")
    for said in (study.note_, *study.remarks_):
        if said:
            _say(said)


def _predict_parts(study: Any, table: str, output: Path | None, identifier: str | None, coverage: float) -> None:
    """Predictions of many files, part by part."""
    if output is None:
        study.write_predictions(table, sys.stdout, id=identifier, coverage=coverage)
        return
    with _naming(output), output.open("w", encoding="utf-8", newline="") as stream:
        study.write_predictions(table, stream, id=identifier, coverage=coverage)


@app.command()
@_plainly
def report(
    folder: FolderArgument,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="the HTML file; report.html in the folder")
    ] = None,
    show: Annotated[bool, typer.Option("--open", help="show it in the browser, too")] = False,
) -> None:
    """Write a study's report anew."""
    from tamis.study import load

    written = load(folder).report(output)
    typer.echo(str(written))
    if show:
        import webbrowser

        webbrowser.open(written.absolute().as_uri())


@app.command()
@_plainly
def cite(folder: FolderArgument) -> None:
    """A methods paragraph for a paper: what a study did and found, and how often its locked rows were opened."""
    from tamis.study import load

    typer.echo(load(folder).cite())


@app.command()
@_plainly
def export(
    folder: FolderArgument,
    to: Annotated[str, typer.Option("--to", help="python, sql, html or onnx")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="write here instead of the screen")] = None,
) -> None:
    """Write a study's model for a place without Tamis: a Python file, a SQL statement, an HTML page, an ONNX file."""
    from tamis.study import load

    written = load(folder).export(to, output)
    if isinstance(written, Path):
        _say(f"wrote {written}")
    else:
        typer.echo(written, nl=False)


@app.command()
@_plainly
def compare(
    first: Annotated[Path, typer.Argument(metavar="STUDY1", help="the folder of a study")],
    second: Annotated[Path, typer.Argument(metavar="STUDY2", help="the folder of another")],
    as_json: JsonOption = False,
) -> None:
    """Two studies side by side: scores, models, columns; over the same rows and folds, the paired difference."""
    from tamis.study import compare as compare_studies

    found = compare_studies(first, second)
    typer.echo(json.dumps(found.to_dict(), indent=1, ensure_ascii=False) if as_json else found.to_text())


@app.command()
@_plainly
def columns(
    table: TableArgument, types: TypesOption = None, query: QueryOption = None, target: str | None = None
) -> None:
    """How every column of a table is read, and why; with a target, by the rows that a study would not lock."""
    from tamis.report import say_columns
    from tamis.study import decisions

    say_columns(decisions(table, types=types, query=query, target=target))


@app.command()
@_plainly
def rank(
    table: TableArgument,
    target: TargetOption,
    by: Annotated[str, typer.Option(help="criteria, separated by commas")] = "mutual_information",
    permutations: Annotated[int, typer.Option(help="permuted targets for p-values")] = 0,
    combine: Annotated[str, typer.Option(help="how several criteria become one order")] = "borda",
    top: Annotated[int | None, typer.Option(help="show only the best")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="write CSV, or JSON by its ending")] = None,
    seed: Annotated[int, typer.Option(help="fixes every random choice")] = 0,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="threads; -1 is every core")] = -1,
    types: TypesOption = None,
    query: QueryOption = None,
    engine: EngineOption = "local",
    address: AddressOption = None,
    master: MasterOption = None,
    as_json: JsonOption = False,
) -> None:
    """Rank the columns by how much each says about the target, best first."""
    from tamis.score import rank as rank_columns

    with _engine(engine, jobs, address, master):
        found = rank_columns(
            table,
            target,
            by=by,
            n_permutations=permutations,
            combine=combine,
            random_state=seed,
            n_jobs=jobs,
            types=types,
            query=query,
        )
    if output is not None:
        with _naming(output):
            (found.to_json if output.suffix == ".json" else found.to_csv)(output)
    if found.note:
        _say(found.note)
    typer.echo(found.to_json() if as_json else found.to_text(top=top))


@app.command()
@_plainly
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
    as_json: JsonOption = False,
) -> None:
    """Does a way of working leak? It is run on shuffled targets, where an honest one lands at chance."""
    from tamis.evaluate import audit_table

    found = audit_table(
        procedure,
        table,
        target,
        n_permutations=permutations,
        scoring=scoring,
        seed=seed,
        n_jobs=jobs,
        types=types,
        query=query,
    )
    typer.echo(json.dumps(found.to_dict()) if as_json else repr(found))
    if found.leaks:
        raise typer.Exit(LEAKS)


def _listed(text: str | None) -> tuple[str, ...] | None:
    """Names separated by commas."""
    return None if text is None else tuple(part.strip() for part in text.split(",") if part.strip())
