"""Seconds from the command to the first page, and from a dropped CSV of 50 MB to its columns; bytes of every page.

    python benchmarks/app/first_page.py [--megabytes 50] [--repeats 3]

By the clock, and processor seconds of the server, for the machine may be shared. The browser is left out: what is timed
is the last byte of the page, or of the columns that it shows, at the other end of the connection.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np

SOURCE = Path(__file__).parents[2] / "src"


class Server:
    """`tamis app`, and a client with its cookie."""

    def __init__(self, folder: Path) -> None:
        there = {**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONUNBUFFERED": "1"}
        command = [sys.executable, "-m", "tamis", "app", "--no-browser", "--folder", str(folder)]
        self.began = time.perf_counter()
        self.process = subprocess.Popen(command, env=there, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        said = self.process.stderr.readline()
        found = re.search(r"127\.0\.0\.1:(\d+); open (.+\.html) in a browser", said)
        assert found, said
        self.port, token = int(found[1]), Path(found[2]).stem
        self.headers = {"Origin": f"http://127.0.0.1:{self.port}", "X-Tamis-App": "1"}
        cookie = self.ask("GET", f"/enter?token={token}")[1]["Set-Cookie"]
        self.headers["Cookie"] = cookie.partition(";")[0]

    def ask(self, method: str, path: str, body: bytes | None = None) -> tuple[int, http.client.HTTPMessage, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        kind = {} if body is None else {"Content-Type": "application/octet-stream"}
        connection.request(method, path, body, {**self.headers, **kind})
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        assert answer.status == 200, text[:300]
        return answer.status, answer.headers, text

    def processor(self) -> float:
        """Seconds of the processor so far."""
        ticks = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        self.process.terminate()
        self.process.wait()


def table(path: Path, megabytes: float) -> tuple[int, int]:
    """A CSV of numbers, words, dates and whole numbers."""
    rng = np.random.default_rng(0)
    size, rows = int(megabytes * 1e6), 0
    with path.open("w") as file:
        file.write(",".join([*(f"x{j}" for j in range(12)), "age", "ward", "when", "outcome"]) + "\n")
        while file.tell() < size:
            numbers, age = rng.normal(size=(10_000, 12)), rng.integers(18, 95, 10_000)
            ward, day = rng.integers(0, 20, 10_000), rng.integers(1, 29, 10_000)
            for i in range(10_000):
                values = ",".join(f"{value:.4f}" for value in numbers[i])
                file.write(
                    f"{values},{age[i]},ward {ward[i]},2024-03-{day[i]:02d},{'yes' if numbers[i, 0] > 0 else 'no'}\n"
                )
            rows += 10_000
    return rows, 16


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--megabytes", type=float, default=50)
    parser.add_argument("--repeats", type=int, default=3)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        rows, columns = table(place / "large.csv", asked.megabytes)
        content = (place / "large.csv").read_bytes()
        first, spent, waited, used, later = [], [], [], [], []
        for k in range(asked.repeats):
            server = Server(place / f"app {k}")
            _, _, start = server.ask("GET", "/")
            first.append(time.perf_counter() - server.began)
            spent.append(server.processor())
            time.sleep(8)  # as long as a person takes to find the file; imports go on meanwhile
            for kept in (waited, later):
                busy, began = server.processor(), time.perf_counter()
                found = json.loads(server.ask("POST", "/api/upload?name=large.csv", content)[2])
                page = server.ask("GET", f"/table/{found['table']}")[2]
                shown = server.ask("GET", f"/api/table/{found['table']}/columns")[2]
                kept.append(time.perf_counter() - began)
                used.append(server.processor() - busy)
            server.close()
        static = sum(file.stat().st_size for file in (SOURCE / "tamis" / "app" / "static").iterdir())
        times = ", ".join(f"{s:.2f}" for s in first)
        print(f"first page: {median(first):.2f} s by the clock ({times}); processor {median(spent):.2f}")
        print(f"{len(content) / 1e6:.0f} MB CSV, {rows:,} rows × {columns} columns, to its columns:")
        times = ", ".join(f"{s:.2f}" for s in waited)
        print(f"  {median(waited):.2f} s ({times}); a second one {median(later):.2f}; processor {median(used):.2f}")
        print(
            f"bytes: script and style {static:,}, start {len(start):,}, columns {len(page):,} + {len(shown):,} of data"
        )


if __name__ == "__main__":
    main()
