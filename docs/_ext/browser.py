"""One headless Chromium for all pictures of a process, spoken to through its debugging pipe."""

from __future__ import annotations

import atexit
import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--hide-scrollbars",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--no-first-run",
    "--remote-debugging-pipe",
)
PATIENCE = 120  # seconds
#: Size of the window in which a picture is taken.
WIDTH, HEIGHT = 1400, 1500
#: Draws an item alone on the page; done when nothing is left to draw, and two frames are shown.
DRAW = """
(async (item) => {{
  window.shown?.clear();
  Bokeh.documents.length = 0;
  document.body.innerHTML = "";
  const place = document.body.appendChild(document.createElement("div"));
  place.id = "place";
  window.shown = await Bokeh.embed.embed_item(item, "place");
  const pause = () => new Promise((done) => requestAnimationFrame(done));
  while (!Bokeh.documents.every((each) => each.is_idle)) await pause();
  await pause();
  await pause();
}})({item})
"""


class Browser:
    """A blank page that knows BokehJS; it ends with this process, or when its pipe is closed."""

    def __init__(self, binary: str) -> None:
        low, self._ask = os.pipe()
        self._answer, high = os.pipe()
        # The browser reads from descriptor 3 and writes to 4; the shell puts them there, from above 19.
        here, there = (fcntl.fcntl(end, fcntl.F_DUPFD, 20) for end in (low, high))
        line = f'exec "$0" "$@" 3<&{here} 4>&{there} {here}<&- {there}>&-'
        self._profile = tempfile.mkdtemp(dir=os.environ.get("TAMIS_DOCS_PROFILES"))
        command = ["bash", "-c", line, binary, *FLAGS, f"--user-data-dir={self._profile}", "about:blank"]
        quiet = subprocess.DEVNULL
        self._process = subprocess.Popen(command, pass_fds=(here, there), stdin=quiet, stdout=quiet, stderr=quiet)
        for end in (low, high, here, there):
            os.close(end)
        self._rest, self._number, self._session = b"", 0, ""
        target = self._send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self._send("Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT, deviceScaleFactor=1, mobile=False)
        self._run(_bokeh().read_text(encoding="utf-8"))
        atexit.register(self.close)

    def picture(self, item: dict[str, Any]) -> bytes:
        """A PNG of the window in which one item of `bokeh.embed.json_item` is drawn."""
        self._run(DRAW.format(item=json.dumps(item)))
        return base64.b64decode(self._send("Page.captureScreenshot")["data"])

    def close(self) -> None:
        """End this very process and remove its profile."""
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self._profile, ignore_errors=True)

    def _run(self, script: str) -> None:
        done = self._send("Runtime.evaluate", expression=script, awaitPromise=True, silent=True)
        if "exceptionDetails" in done:
            raise RuntimeError(f"the browser could not draw: {json.dumps(done['exceptionDetails'])[:2000]}")

    def _send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Give a command and wait for its answer; what else the browser tells is passed over."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        _write(self._ask, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + PATIENCE
        while (left := deadline - time.monotonic()) > 0:
            if not select.select([self._answer], [], [], left)[0]:
                break
            self._rest += (more := os.read(self._answer, 1 << 20))
            if not more:
                raise RuntimeError("the browser has ended")
            *whole, self._rest = self._rest.split(b"\0")
            for found in map(json.loads, whole):
                if found.get("id") == self._number:
                    if "error" in found:
                        raise RuntimeError(f"{method}: {found['error']}")
                    return dict(found["result"])
        raise TimeoutError(f"the browser did not answer {method} within {PATIENCE} seconds")


def _write(pipe: int, message: bytes) -> None:
    while message:
        message = message[os.write(pipe, message) :]


def _bokeh() -> Path:
    """BokehJS of the installed package."""
    import bokeh

    return Path(bokeh.__file__).parent / "server" / "static" / "js" / "bokeh.min.js"


def found() -> str | None:
    """Where Chromium is installed, if it is."""
    return next((binary for name in NAMES if (binary := shutil.which(name))), None)


@cache
def browser() -> Browser | None:
    """The browser of this process; None where none is installed."""
    binary = found()
    return None if binary is None else Browser(binary)
