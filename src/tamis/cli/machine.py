"""The command that shows the page in the browser."""

from pathlib import Path
from typing import Annotated

import typer

from tamis.cli.command import app
from tamis.cli.errors import plainly
from tamis.cli.stop import say


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
