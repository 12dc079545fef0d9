"""What a user installs: the wheel in an empty environment, the oldest dependencies allowed, extras that are absent."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

import tamis
from tamis.cli import app
from tamis.engine import use
from tamis.errors import TamisError
from tamis.study.export.onnx import onnx_of

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def run(*command, cwd, **environment):
    """The output of a command that must succeed, outside the clone and without its path."""
    dropped = ("PYTHONPATH", "TAMIS_FILES")
    clean = {key: value for key, value in os.environ.items() if key not in dropped}
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=clean | environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


#: Links and pictures of Markdown: the mark of a picture, and where it leads.
LINK = re.compile(r"(!?)\[[^\]]+\]\(([^)]+)\)")


def built(folder, *options, **environment):
    """The wheel, built with an archive of the sources unless the options say otherwise."""
    run(sys.executable, "-m", "build", *options, "--outdir", folder, ROOT, cwd=folder, **environment)
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    found = built(tmp_path_factory.mktemp("dist"), TAMIS_FILES="https://files.example/tamis/")
    assert list(found.parent.glob("*.tar.gz"))
    return found


def description(wheel):
    """What a package index shows."""
    with zipfile.ZipFile(wheel) as files:
        (name,) = (name for name in files.namelist() if name.endswith(".dist-info/METADATA"))
        head, _, text = files.read(name).decode("utf-8").partition("\n\n")
    assert "Description-Content-Type: text/markdown" in head
    return text


def demo(wheel, folder, *pins):
    """Install the wheel into an empty environment and run the demonstration there; no compiler is on the path."""
    run(sys.executable, "-m", "venv", folder / "venv", cwd=folder)
    python, path = folder / "venv" / "bin" / "python", str(folder / "venv" / "bin")
    options = ("--quiet", "--disable-pip-version-check", "--only-binary", ":all:")
    run(python, "-m", "pip", "install", *options, wheel, *pins, cwd=folder, PATH=path)
    place = run(python, "-c", "import tamis; print(tamis.__file__)", cwd=folder).strip()
    assert str(ROOT) not in place
    assert run(folder / "venv" / "bin" / "tamis", "--version", cwd=folder).strip() == f"tamis {tamis.__version__}"
    said = " ".join(run(folder / "venv" / "bin" / "tamis", "demo", cwd=folder, PATH=path).split())
    assert "On new rows the model should be right in" in said
    assert (folder / "demo-study" / "report.html").stat().st_size > 100_000


@pytest.mark.packaging
def test_the_wheel_runs_outside_the_clone(wheel, tmp_path):
    """A file that the wheel lacks (the demo's table, a template) would be missed by users alone."""
    demo(wheel, tmp_path)


@pytest.mark.packaging
def test_pictures_and_links_of_the_description_have_an_address(wheel):
    """A package index has none of the files beside the README: its picture would be a broken frame."""
    found = LINK.findall(description(wheel))
    assert ("!", "https://files.example/tamis/docs/pictures/report.png") in found
    for _, target in found:
        path = target.removeprefix("https://files.example/tamis/")
        assert (ROOT / path).exists(), target


@pytest.mark.packaging
def test_a_description_without_an_address_shows_nothing_broken(tmp_path):
    """Where nobody says where the files can be read, words must stand in for links and pictures."""
    text = description(built(tmp_path, "--wheel"))
    assert not LINK.findall(text)
    assert "The report of the demonstration" in text


@pytest.mark.packaging
def test_the_oldest_dependencies_allowed_are_enough(wheel, tmp_path):
    """A lower bound that nobody tried is a promise without a ground."""
    pins = [re.sub(r">=(.*)", r"==\1", bound) for bound in PROJECT["dependencies"]]
    demo(wheel, tmp_path, *pins)


@pytest.mark.packaging
def test_the_wheel_is_small_and_has_the_core(wheel):
    """Sources of the core or kept kernels in it would make it ten times as large; without the core nothing runs."""
    assert wheel.stat().st_size < 6_000_000
    with zipfile.ZipFile(wheel) as files:
        names = files.namelist()
    assert any(re.fullmatch(r"tamis/_core\..*\.(so|pyd)", name) for name in names)
    assert not [name for name in names if name.endswith((".hpp", ".cpp", ".nbi", ".nbc", ".pyc"))]


def test_without_a_compiler_one_sentence_says_what_to_install(monkeypatch):
    """A user would get pages of CMake's output instead of the name of a package."""
    spec = importlib.util.spec_from_file_location("build_backend", ROOT / "build_backend.py")
    backend = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(backend)
    backend.require_compiler()  # the core that is tested here was compiled by one
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(SystemExit, match=r"no C\+\+ compiler was found: install g\+\+") as said:
        backend.build_editable("unused")
    assert "\n" not in str(said.value)


def test_the_version_is_the_same_everywhere():
    """A package, a command and a citation that disagree name three different programs."""
    assert PROJECT["version"] == tamis.__version__
    assert CliRunner().invoke(app, ["--version"]).stdout.strip() == f"tamis {tamis.__version__}"
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {tamis.__version__}\n" in citation
    assert f"\nlicense: {PROJECT['license']}\n" in citation
    assert (ROOT / PROJECT["license-files"][0]).exists()


def test_every_extra_is_documented():
    """An extra that no page names is never installed."""
    page = (ROOT / "docs" / "reference" / "extras.md").read_text(encoding="utf-8")
    assert all(f"`tamis[{extra}]`" in page for extra in PROJECT["optional-dependencies"])


def _read_excel(folder):
    (folder / "t.xlsx").write_bytes(b"PK\x03\x04" + b"\0" * 60)
    tamis.read(str(folder / "t.xlsx"))


def _read_sql(folder):
    tamis.read(f"sqlite:///{folder / 't.db'}", query="select 1")


def _denoise(folder):
    tamis.transform.Denoise().fit_transform([[float(j % 5) for j in range(32)]] * 4)


def _export_onnx(folder):
    onnx_of(None)  # the package is asked for before the model is looked at


def _use_dask(folder):
    with use("dask"):
        pass


def _use_spark(folder):
    with use("spark"):
        pass


def _write_word(folder):
    from tamis.report.export_tables import new_document

    new_document()


def _read_images(folder):
    (folder / "cat").mkdir()
    (folder / "dog").mkdir()
    for name in ("cat/1.png", "dog/1.png"):
        (folder / name).write_bytes(b"")
    tamis.read(folder)


#: Extra, the package that it brings, and what needs it.
ABSENT = [
    ("excel", "openpyxl", _read_excel),
    ("sql", "sqlalchemy", _read_sql),
    ("signal", "pywt", _denoise),
    ("onnx", "onnx", _export_onnx),
    ("dask", "distributed", _use_dask),
    ("spark", "pyspark", _use_spark),
    ("word", "docx", _write_word),
    ("image", "PIL", _read_images),
]


def test_no_extra_is_forgotten():
    """An extra that was added without a sentence for its absence would not be noticed."""
    assert {extra for extra, *_ in ABSENT} == set(PROJECT["optional-dependencies"]) - {"docs", "dev"}


@pytest.mark.parametrize(("extra", "package", "ask"), ABSENT)
def test_an_absent_extra_is_named_in_one_sentence(extra, package, ask, monkeypatch, tmp_path):
    """Without it a user would get a traceback of imports instead of the way out."""
    for module in [name for name in sys.modules if name.split(".")[0] == package]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(TamisError, match=re.escape(f"install tamis[{extra}]")) as said:
        ask(tmp_path)
    assert "\n" not in str(said.value)
    assert _sentence(extra) in str(said.value)


def _sentence(extra):
    """The first sentence that the page of the extras says is answered; the name of what was asked for is left open."""
    page = (ROOT / "docs" / "reference" / "extras.md").read_text(encoding="utf-8")
    (quoted,) = re.findall(rf'^\| `tamis\[{extra}\]` \|.*\| "(?:… )?([^"]*)".* \|$', page, flags=re.M)
    return quoted
