"""Commands for this machine: kernels compiled beforehand, and the page in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tamis.cli.command import app
from tamis.cli.sentence import plainly
from tamis.cli.stop import say


@app.command()
@plainly
def warm(
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="compilers at a time; -1 is one a core")] = -1,
) -> None:
    """Compile all kernels for this machine, once, so that no later command waits for it: for images and CI."""
    from tamis.engine import workers
    from tamis.warm import JOBS, LAST
    from tamis.warm import warm as compile_kernels

    number = len(JOBS) + len(LAST)
    say(f"compiling kernels for this machine, {number} groups of them; this takes a minute or two")
    for k, name in enumerate(compile_kernels(processes=workers(jobs)), 1):
        say(f"{k} of {number} done: {name}")


@app.command("app")
@plainly
def app_(
    port: Annotated[int | None, typer.Option(help="of 127.0.0.1; 8642, or a free one, unless given")] = None,
    folder: Annotated[
        Path | None, typer.Option("--folder", "-f", help="where uploads and studies are kept; yours alone")
    ] = None,
    browser: Annotated[bool, typer.Option(help="open the page in the browser")] = True,
) -> None:
    """A page in your browser for all of this: drop a table, correct its columns, run, read, predict."""
    from tamis.app import serve

    serve(port, folder, browser=browser, say=say)
