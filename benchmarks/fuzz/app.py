"""Requests to the app: those of its page with paths, headers and bodies changed, and bytes that are no request."""

from __future__ import annotations

import asyncio
import json
import logging
import shutil
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from fuzz import tables
from fuzz.endings import RAW, Finding
from fuzz.files import damaged
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets

from tamis.app.folder import AppFolder
from tamis.app.serve import MOST_ASKED, application

#: Processor seconds of a case.
LIMIT = 60

#: Seconds by the clock until an answer is missing: many on a busy machine, where the first one waits for imports.
WAITED = 400

VALUES: list[Any] = [
    None,
    "",
    "y",
    "a",
    "no such column",
    -1,
    0,
    2,
    3.5,
    1e300,
    True,
    [],
    {},
    ["a"],
    {"a": "b"},
    "\0",
    "x" * 9000,
]
TYPES = [
    {"kind": "categorical"},
    {"kind": "numeric"},
    {"kind": "ordinal", "order": ["u", "v"]},
    {"kind": "date"},
    {"kind": 7},
    "x",
    None,
]


class Fuzzer:
    """A server in a thread, a table and a finished study in it; one request a case."""

    def __init__(self, folder: Path) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        logging.getLogger("tornado").setLevel(logging.CRITICAL)
        self.own = AppFolder(folder / "app")
        sockets = bind_sockets(0, "127.0.0.1")
        self.port = sockets[0].getsockname()[1]
        loop = asyncio.new_event_loop()

        async def serve() -> None:
            site = application(self.own, self.port, ThreadPoolExecutor(3), 4_000_000)
            HTTPServer(site, max_body_size=MOST_ASKED).add_sockets(sockets)
            await asyncio.Event().wait()

        threading.Thread(target=lambda: loop.run_until_complete(serve()), daemon=True).start()
        self.outside = folder / "outside.txt"
        self.outside.write_text("mine")
        rng = np.random.default_rng(0)
        a = rng.normal(size=120).round(3)
        frame = pd.DataFrame({"a": a, "b": rng.integers(0, 9, 120), "c": rng.choice(["u", "v", "w"], 120)})
        frame["y"] = np.where(a > 0, "yes", "no")
        self.csv = frame.to_csv(index=False).encode()
        self.table = self._upload("t.csv", self.csv)
        self.study = self._finished()

    def _finished(self) -> str:
        """A study that the app ran."""
        change = {"target": "y", "folds": 2, "repeats": 1}
        self._post(f"/api/table/{self.table}/choices", {"revision": self._revision(), "change": change})
        study = str(self._post(f"/api/table/{self.table}/study", {"revision": self._revision()})["study"])
        place = self.own.path / "studies" / study
        end = time.monotonic() + 2 * WAITED
        while time.monotonic() < end:
            if (place / "results.json").exists() and (place / "report.html").exists():
                return study
            time.sleep(0.2)
        raise Finding("the app's own study does not end")

    def _post(self, path: str, asked: dict[str, Any]) -> Any:
        return json.loads(self._ask("POST", path, json.dumps(asked).encode(), "application/json")[1])

    def _upload(self, name: str, content: bytes) -> str:
        status, answer = self._ask("POST", f"/api/upload?name={name}", content, "application/octet-stream")
        found = json.loads(answer)
        if status != 200:
            raise Finding(f"the app refuses a plain table: {found}")
        return str(found["table"])

    def _ask(self, method: str, path: str, body: bytes, kind: str, **headers: str) -> tuple[int, bytes]:
        sent = {
            "Host": f"127.0.0.1:{self.port}",
            "Origin": f"http://127.0.0.1:{self.port}",
            "Cookie": f"tamis-{self.port}={self.own.session()}",
            "X-Tamis-App": "1",
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            "Connection": "close",
            **headers,
        }
        head = "".join(f"{name}: {value}\r\n" for name, value in sent.items() if value != "-")
        return self._send(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode("utf-8", "surrogatepass") + body, whole=True)

    def _send(self, request: bytes, whole: bool) -> tuple[int, bytes]:
        """Status and body of an answer; 0 where the connection was closed without one."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=WAITED) as connection:
            try:
                connection.sendall(request)
                if not whole:  # the server would wait for the rest
                    connection.shutdown(socket.SHUT_WR)
            except OSError:
                pass
            answer = b""
            try:
                while piece := connection.recv(1 << 16):
                    answer += piece
                    if b"text/event-stream" in answer[:2000]:
                        break
            except ConnectionResetError:
                pass
            except TimeoutError:
                raise Finding(f"no answer within {WAITED} s to {request[:300]!r}") from None
        head, _, body = answer.partition(b"\r\n\r\n")
        return (int(head.split()[1]) if head.startswith(b"HTTP/") else 0), body

    def case(self, rng: np.random.Generator) -> str:
        """One request; then the server must still answer."""
        method, path, body, kind, headers = self._request(rng)
        if rng.random() < 0.1:
            request = (
                f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n\r\n".encode("utf-8", "replace") + body
            )
            status, answer = self._send(damaged(rng, request), whole=False)
        else:
            status, answer = self._ask(method, path, body, kind, **headers)
        words = answer[:20_000].decode("utf-8", "replace")
        if status >= 500 or "error of its own" in words:
            raise Finding(f"{status} to {method} {path} {body[:300]!r} {headers}: {words[:300]}")
        if status >= 400 and (RAW.search(words) or str(self.own.path) in words):
            raise Finding(f"{status} to {method} {path} {body[:300]!r}: {words[:300]}")
        if self._ask("GET", "/", b"", "text/plain")[0] != 200:
            raise Finding(f"the first page is gone after {method} {path}")
        if self.outside.read_text() != "mine":
            raise Finding("a file outside of the app's folder was changed")
        if not (self.own.path / "tables" / self.table).exists():
            self.table = self._upload("t.csv", self.csv)
        for place in (self.own.path / "tables").iterdir():  # many uploads would fill the disk
            if place.name != self.table:
                shutil.rmtree(place, ignore_errors=True)
        return f"{method} {path.partition('?')[0].replace(self.table, 'ID').replace(self.study, 'ID')[:40]}: {status}"

    def _request(self, rng: np.random.Generator) -> tuple[str, str, bytes, str, dict[str, str]]:
        table, study = f"/api/table/{self.table}", f"/api/study/{self.study}"
        pages = ["/", "/compare", f"/table/{self.table}", f"{table}/columns", f"{table}/check", f"/study/{self.study}"]
        pages += [
            f"/study/{self.study}/{name}" for name in ("answer", "report", "predict", "predictions.csv", "events")
        ]
        if rng.random() < 0.3:
            path = pages[int(rng.integers(len(pages)))]
            if rng.random() < 0.7:
                word = str(rng.choice(["from", "find", "first", "second", "a", "name", "sort", "id"]))
                values = ["-1", "99999999", "%00", "%ff", "%", "..", "1e5", "é", "%f0%9f%99%82", self.study]
                path += f"?{word}={rng.choice(values)}"
            headers = (
                {}
                if rng.random() < 0.7
                else {
                    str(rng.choice(["Accept", "Range", "If-None-Match", "Cookie", "Accept-Language"])): str(
                        rng.choice(["text/html", "bytes=0-", '"', "\xff", "a=b; c", ";;=", "x" * 5000])
                    )
                }
            )
            return (
                str(rng.choice(["GET", "GET", "HEAD", "POST", "OPTIONS", "BREW"])),
                path,
                b"",
                "application/json",
                headers,
            )
        if rng.random() < 0.35:
            name = str(
                rng.choice(
                    [
                        "t.csv",
                        "t.parquet",
                        "t.xlsx",
                        "t.tsv",
                        "a.json",
                        "..%2fx.csv",
                        "%00.csv",
                        "%ff.csv",
                        "",
                        "é.csv",
                        "t.csv%0d%0aX:1",
                    ]
                )
            )
            path = (
                f"/api/upload?name={name}"
                if rng.random() < 0.6
                else f"{study}/predict?name={name}&id={rng.choice(['a', 'c', 'none', '%00', ''])}"
            )
            return "POST", path, self._table(rng), "application/octet-stream", {}
        place, asked = [
            (f"{table}/choices", {"revision": self._revision(), "change": self._change(rng)}),
            (f"{table}/fit", {"column": _value(rng), "type": TYPES[int(rng.integers(len(TYPES)))]}),
            (f"{table}/sheet", {"sheet": _value(rng)}),
            (f"{table}/study", {"revision": _value(rng)}),
            (
                f"{study}/row",
                {"values": {str(name): str(_value(rng)) for name in rng.choice(["a", "b", "c", "y", "\0"], 3)}},
            ),
            (f"{study}/row", {"values": _value(rng)}),
            (f"{study}/question", {}),
            (f"{study}/open", {"code": _value(rng)}),
            (f"{study}/stop", {}),
        ][int(rng.integers(9))]
        body = json.dumps(asked).encode()
        if rng.random() < 0.2:
            body = damaged(rng, body)
        return "POST", place, body, "application/json" if rng.random() < 0.95 else "text/plain", {}

    def _revision(self) -> Any:
        found = json.loads(self._ask("GET", f"/api/table/{self.table}/columns", b"", "application/json")[1])
        return found.get("revision")

    def _change(self, rng: np.random.Generator) -> Any:
        entry = str(
            rng.choice(
                [
                    "target",
                    "groups",
                    "time",
                    "prefer",
                    "task",
                    "folds",
                    "repeats",
                    "seed",
                    "scoring",
                    "costs",
                    "types",
                    "drop",
                    "blank",
                    "x",
                ]
            )
        )
        value = _value(rng)
        if entry == "types" and rng.random() < 0.8:
            value = {str(rng.choice(["a", "b", "c", "y"])): TYPES[int(rng.integers(len(TYPES)))]}
        elif entry in ("drop", "blank") and rng.random() < 0.8:
            value = {str(rng.choice(["a", "b", "c", "y"])): bool(rng.random() < 0.5)}
        elif entry in ("target", "groups", "time") and rng.random() < 0.6:
            value = str(rng.choice(["a", "b", "c", "y"]))
        return {entry: value}

    def _table(self, rng: np.random.Generator) -> bytes:
        if rng.random() < 0.4:
            return damaged(rng, self.csv)
        made = tables.frame(rng)
        try:
            return made.to_csv(index=False).encode("utf-8", "replace") if rng.random() < 0.6 else made.to_parquet()
        except Exception:  # Arrow refuses the table
            return b"a,b\n1,2\n"


def _value(rng: np.random.Generator) -> Any:
    return VALUES[int(rng.integers(len(VALUES)))]
