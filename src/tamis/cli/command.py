"""The `tamis` command: what holds for all of its commands."""

from __future__ import annotations

import atexit
import gc
import sys
from typing import Annotated

import typer

from tamis.cli import lean_import
from tamis.cli.encoding import tolerant_streams
from tamis.cli.sentence import shown
from tamis.cli.stop import STOPPED, at_once, ended, leave, state, unraisable, watch

app = typer.Typer(
    name="tamis",
    help="Sifts a table to the columns that matter, fits models people can read, says honestly how good they are.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

#: When Python looks for garbage in cycles: the usual 700 new objects, of which imports keep nearly all, made a start a
#: seventh longer.
RARELY = (50_000, 20, 50)


_is_main = False


def is_main() -> bool:
    """Whether this process is the command, and no program that calls one of its functions."""
    return _is_main


def main() -> None:
    """The entry point of the `tamis` command."""
    global _is_main
    _is_main = True
    tolerant_streams()
    watch()
    gc.set_threshold(*RARELY)
    lean_import.install()
    sys.unraisablehook = unraisable
    atexit.register(at_once)  # the first to be registered is the last to be called
    try:
        app()
        ended["code"] = 0
    except SystemExit as end:
        if end.code != STOPPED:
            ended["code"] = end.code if isinstance(end.code, int) else int(end.code is not None)
            raise
        leave()  # threads are still inside compiled code: an orderly end would wait for them, or abort
    except BaseException:
        if not state["stopped"]:
            raise
        leave()


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
    shown["debug"] = debug
