"""The page as text; how it behaves is tested in a browser."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

import numpy as np
import pytest

from tamis.report import page
from tamis.report.page import MOST_BYTES

LETTERS = [chr(code) for code in range(0x3B1, 0x3B1 + 250)]
SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


class Elements(HTMLParser):
    """Every element with its attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))


def policy(text: str) -> dict[str, list[str]]:
    (found,) = [a["content"] for tag, a in Elements(text).found if a.get("http-equiv") == "Content-Security-Policy"]
    return {words.split()[0]: words.split()[1:] for words in found.split(";")}


def test_nothing_outside_the_file_is_referred_to(made):
    """The report would need the network, or another file."""
    text = page(made.study(), made.plan())
    for tag, attributes in Elements(text).found:
        for name in ("src", "href", "action", "data", "srcset", "poster", "xlink:href"):
            assert (attributes.get(name) or "#").startswith(("#", "data:")), (tag, attributes)
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    assert style is not None
    assert "url(" not in style.group(1)
    assert "@import" not in style.group(1)


def test_the_policy_lets_only_the_very_scripts_of_the_page_run(made):
    """An injected script could run, or the page's own could not."""
    text = page(made.study(), made.plan())
    rules = policy(text)
    assert rules["default-src"] == ["'none'"]
    assert rules["img-src"] == ["data:"]
    scripts = SCRIPT.findall(text)
    digests = [f"'sha256-{base64.b64encode(hashlib.sha256(s.encode()).digest()).decode()}'" for s in scripts]
    assert len(scripts) == 2
    assert rules["script-src"] == digests
    assert "unsafe-eval" not in str(rules)


def test_hostile_names_never_become_markup(made):
    """A column's name would open an element, an attribute or a script."""
    hostile = made.study(made.HOSTILE, labels=tuple(made.HOSTILE[:3]))
    hostile["model"] = "</pre><script>alert(3)</script>"
    hostile["lock"]["reason"] = "<b>bold</b> `<b>`"
    plain = made.study([f"c{i}" for i in range(len(made.HOSTILE))], labels=("a", "b", "c"))
    plain["lock"]["reason"] = "bold `b`"  # what stands between backticks is code
    note = {**made.opening(), "note": "<i>note</i>", "when": "<u>never</u>"}
    tags = [tag for tag, _ in Elements(page(hostile, made.plan(target="<s>"), [note])).found]
    usual = [tag for tag, _ in Elements(page(plain, made.plan(), [{**made.opening(), "note": "note"}])).found]
    assert sorted(tags) == sorted(usual)


@pytest.mark.parametrize("longest", [20, 300])
def test_seven_thousand_columns_fit(made, longest):
    """The report of a wide table would outgrow 2 MB, or leave out columns without saying so."""
    random = np.random.default_rng(0)  # letters that cannot be packed
    names = [f"gene_{i:05d}" + "".join(random.choice(LETTERS, longest - 10)) for i in range(7000)]
    columns = [
        made.decision(name, reason=f"all 102 values are numbers from {i / 7} to {i * 3}")
        for i, name in enumerate(names)
    ]
    results = made.study(names, columns=columns)
    results["stability"] = results["stability"][:500]
    text = page(results, made.plan())
    assert len(text.encode()) <= MOST_BYTES
    assert ("do not fit into this file; results.json holds them all" in text) == (longest == 300)


def test_a_name_with_half_a_character_can_be_written(made):
    """A lone surrogate in a name would stop the report from being written."""
    names = ["a\ud800b", *(f"c{i}" for i in range(100))]
    page(made.study(names), made.plan(target="\udfff")).encode("utf-8")


def test_the_same_results_give_the_same_page(made):
    """A report would change though nothing had."""
    made_twice = [page(made.study(), made.plan(), [made.opening()]) for _ in range(2)]
    ids = re.compile(r'"p\d+"')  # Bokeh numbers its models through the life of the process
    assert ids.sub("", made_twice[0]) == ids.sub("", made_twice[1])


def test_a_partial_report_says_so_first(made):
    """A stopped run's report would look finished."""
    text = page(made.stopped(), made.plan())
    assert re.search(r"<h1[^>]*>PARTIAL: 12 of 61 tasks finished</h1>", text)
    assert "Expected accuracy" not in text


def test_importing_the_report_draws_in_nothing_heavy():
    """The command line would be slow to start."""
    import subprocess
    import sys

    heavy = ("bokeh", "jinja2", "rich", "sklearn")
    ask = f"import sys, tamis.report; print([m for m in {heavy} if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
