"""The server: 127.0.0.1 alone, one for each folder, gone with the terminal while studies go on."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import socket
import threading
import webbrowser
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from tornado.httpserver import HTTPServer
from tornado.web import Application

from tamis.app.columns.reading import Readings
from tamis.app.folder import AppFolder
from tamis.app.pages.routes import Nothing, routes
from tamis.app.tables.receive import MOST_BYTES
from tamis.errors import ParameterError
from tamis.saved import write_whole

#: Tried first; the next free one is taken where another program has it.
PORT = 8642

#: Held by the server of a folder; beside it, where that server is.
HOLD_FILE, SERVER_FILE = "server.lock", "server.json"

#: Seconds after the first page in which nothing else is begun.
REST = 1.5

#: Bytes of a request that is no upload.
MOST_ASKED = 1024 * 1024

Say = Callable[[str], None]


def serve(
    port: int | None = None,
    folder: str | os.PathLike[str] | None = None,
    *,
    browser: bool = True,
    most_bytes: int = MOST_BYTES,
    say: Say = print,
) -> None:
    """Serve the page until Ctrl-C; a second call for the same folder shows the first one's page.

    Parameters
    ----------
    port : of 127.0.0.1; None takes 8642, or a free one.
    folder : where uploads and studies are kept.
    browser : open the page; else only say how.
    most_bytes : of an upload.
    say : what is done with the sentences for the terminal.
    """
    app_folder = AppFolder(folder)
    with (app_folder.path / HOLD_FILE).open("ab") as hold:
        if not _is_held(hold):
            _show_running(app_folder, browser, say)
            return
        with suppress(KeyboardInterrupt):
            asyncio.run(_serve(app_folder, port, browser, most_bytes, say))
            return
        say("the page is closed; studies that run go on, and `tamis app` finds them again")


async def _serve(app_folder: AppFolder, port: int | None, browser: bool, max_bytes: int, say: Say) -> None:
    logging.getLogger("tornado.access").setLevel(logging.CRITICAL)
    sockets = _sockets(port)
    number = sockets[0].getsockname()[1]
    app_folder.forget_invitations()
    app_folder.sweep()
    pool = ThreadPoolExecutor(8, thread_name_prefix="tamis")
    server = HTTPServer(application(app_folder, number, pool, max_bytes), max_body_size=MOST_ASKED)
    server.add_sockets(sockets)
    write_whole(app_folder.path / SERVER_FILE, json.dumps({"port": number, "pid": os.getpid()}) + "\n")
    _invite(app_folder, number, browser, say)
    try:
        await asyncio.sleep(REST)
        pool.submit(_import_ahead)
        await asyncio.Event().wait()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def application(app_folder: AppFolder, port: int, pool: ThreadPoolExecutor, max_bytes: int = MOST_BYTES) -> Application:
    """Every address, and what the handlers share."""
    return Application(
        routes(),  # type: ignore[arg-type]
        default_handler_class=Nothing,
        app_folder=app_folder,
        app_port=port,
        app_hosts=(f"127.0.0.1:{port}", f"localhost:{port}"),
        app_session=app_folder.session(),
        app_pool=pool,
        app_readings=Readings(),
        app_most_bytes=max_bytes,
        app_codes={},
        app_lock=threading.Lock(),
    )


def _import_ahead() -> None:
    """What the next page needs: seconds that nobody has to wait for then."""
    import tamis.study.running
    import tamis.table.glance  # noqa: F401


def _sockets(port: int | None) -> list[socket.socket]:
    if port is not None:
        try:
            return [_bound(port)]
        except (OSError, OverflowError) as error:
            raise ParameterError(f"--port {port} cannot be used ({error}); give another, or none") from error
    try:
        return [_bound(PORT)]
    except OSError:
        return [_bound(0)]


def _bound(port: int) -> socket.socket:
    """A socket of this machine alone."""
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if os.name != "nt":
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.setblocking(False)
        bound.bind(("127.0.0.1", port))
        bound.listen(128)
    except BaseException:
        bound.close()
        raise
    return bound


def _invite(app_folder: AppFolder, port: int, browser: bool, say: Say) -> None:
    address = f"http://127.0.0.1:{port}"
    file = app_folder.invite(address)
    if browser:
        threading.Thread(target=webbrowser.open, args=(file.as_uri(),), daemon=True).start()
        say(f"the page is at {address}, open in your browser; if it is not, open {file}")
    else:
        say(f"the page is at {address}; open this one-time link in a browser on this machine: {file}")
    say(f"nothing leaves this machine; tables and studies are in {app_folder.path}; Ctrl-C closes the page")


def _show_running(app_folder: AppFolder, browser: bool, say: Say) -> None:
    """The server of this folder runs already: invite the browser there."""
    try:
        port = int(json.loads((app_folder.path / SERVER_FILE).read_text(encoding="utf-8"))["port"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ParameterError(
            f"another `tamis app` is starting with the folder {str(app_folder.path)!r}; wait for it, or give --folder"
        ) from error
    say("`tamis app` is running already")
    _invite(app_folder, port, browser, say)


def _is_held(file: Any) -> bool:
    """Hold the folder; the system frees it even after kill -9."""
    try:
        import fcntl
    except ImportError:  # not on Windows, where a second server takes another port
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
