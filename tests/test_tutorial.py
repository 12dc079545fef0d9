"""The tutorial, followed word for word: its commands in their order, and the output that it shows."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from tamis.cli import app

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "tutorial" / "index.md").read_text(encoding="utf-8")
#: Blocks of code in their order: the language ("" for commands), and the text.
BLOCKS = re.findall(r"^ *```(\w*)\n(.*?)^ *```$", PAGE, flags=re.M | re.S)
#: Lines of boxes and tables that Rich draws.
DRAWN = re.compile(r"[│╭╮╰╯─]+")


def words(text):
    """Text without the lines drawn around it and without its breaks; of numbers, the digits any processor gives."""
    plain = " ".join(DRAWN.sub(" ", text).split())
    return re.sub(r"\d+\.\d{11,}", lambda found: f"{float(found[0]):.10f}", plain)


def said(command, clone):
    """What a command of the page prints; those of the shell are run by it, in a folder that looks like the clone."""
    if not command.startswith("tamis "):
        done = subprocess.run(["bash", "-euc", command], cwd=clone, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout
    done = CliRunner().invoke(app, shlex.split(command.partition(" #")[0])[1:], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture
def clone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "tutorial").symlink_to(ROOT / "docs" / "tutorial")
    return tmp_path


def test_every_command_prints_what_the_page_shows(clone, capsys):
    """A newcomer who follows the tutorial would see other numbers than the page, or an error."""
    shown, output = 0, ""
    for language, block in BLOCKS[1:]:  # the first installs the package
        if language == "text":
            for part in words(block).split("…"):
                assert part.strip() in output, f"the page shows:\n{part}\nbut the command says:\n{output}"
            shown += 1
        elif language == "python":
            exec(compile(block, "tutorial", "exec"), {})
            assert "\nFalse\n" in capsys.readouterr().out
        else:
            output = words("\n".join(said(line, clone) for line in block.strip().splitlines()))
    assert shown >= 7
    assert (clone / "page.html").stat().st_size > 5_000
    assert (clone / "clinic" / "report.html").exists()


#: A command as a page writes it: in a block of commands, or between backticks.
COMMAND = re.compile(r"(?:^|`)(?:\w+/bin/)?tamis ([a-z]+)([^`\n]*)", flags=re.M)
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*/*.md"), ROOT / "docs" / "index.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_commands_and_options_that_a_page_names_exist(page):
    """A reader who copies a command would be told that there is no such option."""
    known = {
        name: {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
        for name, command in get_command(app).commands.items()
    }
    for name, rest in COMMAND.findall(page.read_text(encoding="utf-8")):
        assert name in known, f"{page.name}: tamis {name}"
        options = set(
            re.findall(r"(?<![\w-])--?[a-z][a-z-]*", re.sub(r"'[^']*'|\"[^\"]*\"", "", rest.partition(" #")[0]))
        )
        assert options <= known[name] | {"--help"}, f"{page.name}: tamis {name}{rest}"
