"""A server of the app in a thread, a client that may be hostile, and small tables."""

from __future__ import annotations

import asyncio
import csv
import http.client
import importlib.util
import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets

from tamis.app.folder import AppFolder
from tamis.app.guard import HEADER, HEADER_VALUE
from tamis.app.serve import MOST_ASKED, application

_driver = importlib.util.spec_from_file_location(
    "chromium_of_reports", Path(__file__).parents[1] / "report" / "browser" / "conftest.py"
)
assert _driver is not None
assert _driver.loader is not None
driver = importlib.util.module_from_spec(_driver)
_driver.loader.exec_module(driver)
chromium = driver.chromium

#: The most bytes of an upload to the server of the tests.
MOST = 4_000_000

#: What a client makes of a connection that the server cut, without reading on.
CUT_OFF = b'{"error": "cut off"}'


class Client:
    """Asks a server; as the app's own page does, unless told otherwise."""

    def __init__(self, port: int, session: str) -> None:
        self.port, self.session = port, session

    def own(self) -> dict[str, str]:
        """The headers of the app's own page."""
        origin = f"http://127.0.0.1:{self.port}"
        return {"Cookie": f"tamis-{self.port}={self.session}", "Origin": origin, HEADER: HEADER_VALUE}

    def ask(
        self, method: str, path: str, body: Any = None, headers: dict[str, str | None] | None = None
    ) -> tuple[int, Any, bytes]:
        """Status, headers and body; a header of None is left out, any other replaces the page's own."""
        sent: dict[str, str | None] = {**self.own()}
        if isinstance(body, dict):
            body = json.dumps(body).encode()
            sent["Content-Type"] = "application/json"
        elif isinstance(body, bytes):
            sent["Content-Type"] = "application/octet-stream"
        sent |= headers or {}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.putrequest(method, path, skip_host="Host" in sent, skip_accept_encoding=True)
            for name, value in sent.items():
                if value is not None:
                    connection.putheader(name, value)
            if body is not None and "Transfer-Encoding" not in sent and "Content-Length" not in sent:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders()
            if body is not None:
                with suppress(BrokenPipeError, ConnectionResetError):  # of what it does not want to read
                    connection.send(body)
            try:
                answer = connection.getresponse()
            except (ConnectionError, http.client.BadStatusLine):
                return 413, http.client.HTTPMessage(), CUT_OFF
            try:
                return answer.status, answer.headers, answer.read()
            except ConnectionResetError:
                return answer.status, answer.headers, CUT_OFF
        finally:
            connection.close()

    def json(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        """What the app's own page is answered."""
        status, _, text = self.ask(method, path, body)
        found: dict[str, Any] = json.loads(text)
        assert status == 200, found
        return found

    def upload(self, file: Path, name: str | None = None) -> str:
        """The id of a table that was dropped."""
        shown = (name or file.name).replace(" ", "%20")
        found: str = self.json("POST", f"/api/upload?name={shown}", file.read_bytes())["table"]
        return found

    def choose(self, table: str, **change: Any) -> dict[str, Any]:
        """Make choices about a table."""
        revision = self.json("GET", f"/api/table/{table}/columns")["revision"]
        found = self.json("POST", f"/api/table/{table}/choices", {"revision": revision, "change": change})
        assert not found["stale"]
        return found

    def run(self, table: str, seconds: float = 120) -> str:
        """Run a study of a table to its end."""
        revision = self.json("GET", f"/api/table/{table}/columns")["revision"]
        study: str = self.json("POST", f"/api/table/{table}/study", {"revision": revision})["study"]
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            text = self.ask("GET", f"/study/{study}/events")[2].decode()
            last = json.loads(text.strip().split("\n\n")[-1].removeprefix("data: "))
            if last["state"] != "running":
                assert last["state"] == "finished", last
                return study
        raise TimeoutError(study)


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A server in a thread, its folder and a client."""
    folder = AppFolder(tmp_path_factory.mktemp("app") / "own folder")
    sockets = bind_sockets(0, "127.0.0.1")
    port, pool = sockets[0].getsockname()[1], ThreadPoolExecutor(3)
    loop = asyncio.new_event_loop()

    end = asyncio.Event()

    async def serve() -> None:
        server = HTTPServer(application(folder, port, pool, MOST), max_body_size=MOST_ASKED)
        server.add_sockets(sockets)
        await end.wait()
        server.stop()
        await server.close_all_connections()

    def work() -> None:
        loop.run_until_complete(serve())
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    yield SimpleNamespace(folder=folder, port=port, client=Client(port, folder.session()))
    loop.call_soon_threadsafe(end.set)
    thread.join(10)
    pool.shutdown()


def write_table(path: Path, n: int = 120, hostile: bool = False) -> Path:
    """Patients: two measurements and a ward tell who fell ill; ids, an age with a word in it, a column of noise."""
    rng = np.random.default_rng(3)
    dose, sugar, noise = rng.normal(5, 2, n).round(2), rng.normal(90, 15, n).round(1), rng.normal(size=n).round(3)
    ward = rng.integers(1, 4, n)
    ill = dose + 0.05 * sugar + 2 * (ward == 2) + rng.normal(0, 0.7, n) > 10
    age = [str(value) for value in rng.integers(20, 90, n)]
    age[4], age[70] = "unknown", "about 60"
    head = ["patient", "dose", "sugar", "ward", "age", "noise", "ill"]
    if hostile:
        head[1] = "<img src=x onerror=alert(1)>"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(head)
        for i in range(n):
            identifier = f"=cmd|'/c calc'!A{i}" if hostile else f"P{i:04d}"
            label = ("</script><b>yes" if ill[i] else "no") if hostile else ("yes" if ill[i] else "no")
            writer.writerow([identifier, dose[i], sugar[i] if i % 9 else "", ward[i], age[i], noise[i], label])
    return path


@pytest.fixture(scope="session")
def patients(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_table(tmp_path_factory.mktemp("tables") / "patients.csv")


@pytest.fixture(scope="session")
def finished(app: Any, patients: Path) -> Any:
    """A study that was run through the app."""
    table = app.client.upload(patients)
    types = {"ward": {"kind": "categorical"}, "age": {"kind": "numeric"}}
    app.client.choose(table, target="ill", types=types, blank={"age": True}, folds=2, repeats=1)
    study = app.client.run(table)
    return SimpleNamespace(table=table, study=study, place=app.folder.path / "studies" / study)
