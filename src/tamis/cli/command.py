"""The `tamis` command: what holds for all of its commands."""

import sys
from typing import Annotated

import typer

from tamis.cli.encoding import tolerant_streams
from tamis.cli.errors import display
from tamis.cli.stop import STOPPED, leave, state, unraisable, watch

app = typer.Typer(
    name="tamis",
    help="Sifts a table to the columns that matter, fits models people can read, says honestly how good they are.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def main() -> None:
    """The entry point of the `tamis` command."""
    tolerant_streams()
    watch()
    sys.unraisablehook = unraisable
    try:
        app()
    except SystemExit as end:
        if end.code != STOPPED:
            raise
        leave()
    except BaseException:
        if not state["stopped"]:
            raise
        leave()


def _version(is_asked: bool) -> None:
    if is_asked:
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
    display["debug"] = debug
