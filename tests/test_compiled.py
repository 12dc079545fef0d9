"""Without its compiled core, or with one of other sources, Tamis says what is missing and how it is made."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tamis
from tamis import _core
from tamis.compiled import digest

PACKAGE = Path(tamis.__file__).parent
SOURCES = PACKAGE / "_core"
WAY_OUT = "run `make core` in the folder of its sources, or `pip install -e .`"


@pytest.fixture
def package(tmp_path):
    """A copy of the package, its core among it."""
    skipped = shutil.ignore_patterns("__pycache__", "*.nbi", "*.nbc", "demo")
    shutil.copytree(PACKAGE, tmp_path / "src" / "tamis", ignore=skipped)
    return tmp_path / "src" / "tamis"


def run(package, *words):
    """What Python says, with that copy."""
    there = {**os.environ, "PYTHONPATH": str(package.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False, env=there)


def remove_core(package):
    for file in package.glob("_core*.so"):
        file.unlink()


def touch_sources(package):
    """A source that is another, though not later than the core."""
    file = next((package / "_core").glob("*.hpp"))
    file.write_text(file.read_text(encoding="utf-8") + "// changed\n", encoding="utf-8")
    os.utime(file, (0, 0))


@pytest.mark.parametrize(("spoil", "what"), [(remove_core, "is missing"), (touch_sources, "is older than its sources")])
def test_one_sentence(package, tmp_path, spoil, what):
    """An environment from before the core, or a plain `git pull`, ended in "cannot import name '_core'"."""
    spoil(package)
    said = f"the compiled core of Tamis {what}; {WAY_OUT}"
    for words in ("import tamis; tamis.RankSelector", "from tamis import Study", "import tamis.views.binned"):
        found = run(package, "-c", words)
        assert found.returncode == 1
        assert found.stderr.strip().splitlines()[-1] == f"tamis.errors.CoreError: {said}"
    (tmp_path / "t.csv").write_text("a,y\n" + "1,p\n2,q\n" * 9, encoding="utf-8")
    found = run(package, "-m", "tamis", "rank", str(tmp_path / "t.csv"), "--target", "y")
    assert (found.returncode, found.stdout, found.stderr) == (1, "", f"tamis: error: {said}\n")


def test_a_later_date_alone_is_no_other_source(package):
    """A checkout writes files anew: the core is still the one of these sources."""
    later = next(package.glob("_core*.so")).stat().st_mtime + 10
    for file in (package / "_core").glob("*.hpp"):
        os.utime(file, (later, later))
    assert run(package, "-c", "from tamis import _core").returncode == 0


@pytest.mark.skipif(not SOURCES.is_dir(), reason="installed without sources")
def test_the_core_knows_what_it_was_made_from():
    """CMake and Python must compute the same digest."""
    files = [file for file in SOURCES.rglob("*") if file.suffix in (".cpp", ".hpp")]
    assert digest(files) == _core.SOURCES
