"""A real headless Chromium, spoken to through its debugging pipe: nothing but the standard library is needed."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
)
PATIENCE = 60  # seconds


class Chromium:
    """A browser process; `send` gives the answer to a command, events seen on the way are kept."""

    def __init__(self, binary: str, profile: Path) -> None:
        low, self.ask = os.pipe()
        self.answer, high = os.pipe()
        # The browser reads commands from descriptor 3 and writes to 4; the shell puts them there, from above 9.
        here, there = (fcntl.fcntl(end, fcntl.F_DUPFD, 20) for end in (low, high))
        line = f'exec "$0" "$@" 3<&{here} 4>&{there} {here}<&- {there}>&-'
        command = ["bash", "-c", line, binary, *FLAGS, f"--user-data-dir={profile}", "about:blank"]
        quiet = subprocess.DEVNULL
        self.process = subprocess.Popen(command, pass_fds=(here, there), stdin=quiet, stdout=quiet, stderr=quiet)
        for end in (low, high, here, there):
            os.close(end)
        os.set_blocking(self.answer, False)
        self.rest, self.number, self.events = b"", 0, []  # type: ignore[var-annotated]

    def send(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        """Give a command and wait for its answer."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        os.write(self.ask, json.dumps({**message, **({"sessionId": session} if session else {})}).encode() + b"\0")
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            for found in self.read():
                if found.get("id") == self.number:
                    assert "error" not in found, f"{method}: {found['error']}"
                    return dict(found["result"])
                self.events.append(found)
            time.sleep(0.005)
        raise TimeoutError(method)

    def read(self) -> list[dict[str, Any]]:
        """The messages that have come in whole."""
        try:
            while more := os.read(self.answer, 1 << 20):
                self.rest += more
        except BlockingIOError:
            pass
        *whole, self.rest = self.rest.split(b"\0")
        return [json.loads(message) for message in whole]

    def close(self) -> None:
        """End this very process."""
        try:
            self.send("Browser.close")
            self.process.wait(10)
        except (OSError, TimeoutError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.ask)
        os.close(self.answer)


class Page:
    """A page in the browser: what it said on the console, what it asked the network for, what a script finds in it."""

    def __init__(self, browser: Chromium, url: str, width: int = 1280, dark: bool = False) -> None:
        self.browser, self.url = browser, url
        self.target = browser.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.send("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Audits"):
            self.send(f"{domain}.enable")
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.send("Emulation.setEmulatedMedia", features=scheme)
        self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600
        )
        self.send("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        self.send("Page.navigate", url=url)
        self.until("document.readyState === 'complete' && location.href !== 'about:blank'")

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self.browser.send(method, self.session, **parameters)

    def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        found = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def until(self, script: str) -> None:
        """Wait until an expression holds; a page that is left while it is asked is asked again."""
        deadline = time.monotonic() + PATIENCE
        while not self._holds(script):
            assert time.monotonic() < deadline, f"never true: {script}"
            time.sleep(0.05)

    def _holds(self, script: str) -> bool:
        try:
            return bool(self.run(script))
        except AssertionError as error:
            if "navigated or closed" in str(error) or "context was destroyed" in str(error):
                return False
            raise

    def drawn(self) -> list[int]:
        """Wait until every chart is drawn; how many points of each canvas carry ink."""
        self.until(
            "document.querySelectorAll('[data-chart]').length === inked().length && inked().every((n) => n > 50)"
        )
        return list(self.run("inked()"))

    def events(self, method: str) -> list[dict[str, Any]]:
        self.run("0")
        mine = [event for event in self.browser.events if event.get("sessionId") == self.session]
        return [event["params"] for event in mine if event["method"] == method]

    def complaints(self) -> list[str]:
        """Errors and warnings of the console, exceptions, and whatever the policy or the browser objected to."""
        said = [
            json.dumps(e["args"])
            for e in self.events("Runtime.consoleAPICalled")
            if e["type"] in ("error", "warning", "assert")
        ]
        thrown = [json.dumps(e["exceptionDetails"]) for e in self.events("Runtime.exceptionThrown")]
        logged = [json.dumps(e["entry"]) for e in self.events("Log.entryAdded")]
        issues = [json.dumps(e["issue"]) for e in self.events("Audits.issueAdded")]
        return said + thrown + logged + issues + list(self.run("window.violations"))

    def requests(self) -> list[str]:
        """Addresses asked for, besides the page itself and what is written inside it."""
        asked = [event["request"]["url"] for event in self.events("Network.requestWillBeSent")]
        return [url for url in asked if url != self.url and not url.startswith(("data:", "blob:"))]

    def dialogs(self) -> list[dict[str, Any]]:
        """Alerts that opened: a script of a name was run."""
        return self.events("Page.javascriptDialogOpening")

    def press(self, key: str, code: int) -> None:
        for kind in ("keyDown", "keyUp"):
            text = {"text": "\r"} if key == "Enter" and kind == "keyDown" else {}
            self.send("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **text)

    def point(self, x: float, y: float) -> None:
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def picture(self, path: Path, whole: bool = True) -> None:
        """Write a PNG of the page."""
        shot = self.send("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(shot["data"]))

    def close(self) -> None:
        self.browser.send("Target.closeTarget", targetId=self.target)


#: Runs before the page's own scripts: remembers every violation of its policy; counts the ink of the charts, which
#: Bokeh draws on canvases inside shadow roots.
WATCH = """
window.violations = [];
function everywhere(root, selector) {
  const found = [...root.querySelectorAll(selector)];
  for (const { shadowRoot } of root.querySelectorAll("*")) {
    if (shadowRoot) found.push(...everywhere(shadowRoot, selector));
  }
  return found;
}
function ink(canvas) {
  const { width, height } = canvas;
  if (!width || !height) return 0;
  const copy = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0);
  const data = copy.getImageData(0, 0, width, height).data;
  let n = 0;
  for (let i = 3; i < data.length; i += 4) if (data[i]) n++;
  return n;
}
function inked() {
  const figures = everywhere(document, "[data-chart] .bk-Figure");
  return figures.map((figure) => Math.max(0, ...everywhere(figure.shadowRoot, "canvas").map(ink)));
}
document.addEventListener("securitypolicyviolation", (e) => {
  window.violations.push(e.violatedDirective + " " + e.blockedURI);
});
"""


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    binary = next((found for name in NAMES if (found := shutil.which(name))), None)
    if binary is None and os.environ.get("CI"):
        pytest.fail("no Chromium is installed, and CI must test the report in one")
    if binary is None:
        pytest.skip("no Chromium is installed, so the report cannot be tested in a browser")
    browser = Chromium(binary, tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()


@pytest.fixture
def opened(chromium: Chromium, tmp_path: Path) -> Iterator[Any]:
    """Opens the text of a page in the browser."""
    pages: list[Page] = []

    def open_(text: str, **how: Any) -> Page:
        path = tmp_path / f"report {len(pages)}.html"
        path.write_text(text, encoding="utf-8")
        pages.append(Page(chromium, path.as_uri(), **how))
        return pages[-1]

    yield open_
    for page in pages:
        page.close()
