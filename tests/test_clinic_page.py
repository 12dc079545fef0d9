"""The page from a clinical table to a filled checklist, followed command by command: it shows what is printed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.test_tutorial import said, words

import tamis

PAGE = (Path(__file__).parents[1] / "docs" / "how-to" / "clinic.md").read_text(encoding="utf-8")
#: Blocks of commands (no language), blocks of output (text) and quoted output, in their order.
PARTS = re.findall(r"^```(\w*)\n(.*?)^```$|((?:^>[^\n]*\n)+)", PAGE, flags=re.M | re.S)


def test_every_command_prints_what_the_page_shows(tmp_path, monkeypatch):
    """A physician who follows the page would see other numbers than it shows, or no checklist."""
    pytest.importorskip("docx")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    shown, output = 0, ""
    for language, block, quoted in PARTS:
        if quoted or language == "text":
            text = re.sub(r"^> ?", "", quoted, flags=re.M) if quoted else block
            for part in words(text).split("…"):
                assert part.strip() in output, f"the page shows:\n{part}\nbut the command says:\n{output}"
            shown += 1
        elif not language and block.startswith("python -c"):
            command = block.replace("python", sys.executable, 1)
            subprocess.run(["bash", "-euc", command], cwd=tmp_path, check=True)
        elif not language:
            output = words("\n".join(said(line, tmp_path) for line in block.strip().splitlines()))
    assert shown == 5
    judged = tamis.load("tumours").results_["validity"]["words"]
    for sentence in re.findall(r"Here: \*(.*?)\*", PAGE, flags=re.S):
        assert words(sentence) in judged
    for name, there, filled in (("tripod-ai", "27 of its 52", "27 of 52"), ("reforms", "23 of 32", "23 of 32")):
        assert there in words(PAGE)
        assert f"{filled} items filled" in tamis.load("tumours").checklist(name)
    assert (tmp_path / "checklist.docx").stat().st_size > 5_000
    assert len(list((tmp_path / "tables").iterdir())) > 10
    assert len(list((tmp_path / "figures").glob("*.svg"))) > 10
