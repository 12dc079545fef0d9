"""The build of the package: scikit-build-core, with an editable install that compiles the core beside its sources.

`pip install .` and `make dist` are scikit-build-core's own. `pip install --editable .` compiles `tamis._core` into
`src/tamis` and puts `src` on the path of the environment; `python build_backend.py` (`make core`) compiles what has
changed since.

The package carries README.md as its description, made to be read outside the repository. A package index shows the
README without the files beside it, and takes pictures only from an address, not from the page itself. So relative links
and pictures get the address of the repository's files, where one is given (`make dist FILES=https://…`); without one,
links become their words and a picture becomes its caption.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent
BUILD = ROOT / "build" / "core"
COMPILERS = ("c++", "g++", "clang++")

#: `[words](path)` or `![caption](path)`, where the path is neither an address nor a heading.
RELATIVE = re.compile(r"(!?)\[([^\]]+)\]\((?!https?:|#)([^)\s]+)\)")


def description(readme: str, files: str) -> str:
    """The README for readers without the repository; `files` is the address of its files, or empty."""
    if files:
        return RELATIVE.sub(rf"\1[\2]({files.rstrip('/')}/\3)", readme)
    return RELATIVE.sub(lambda match: f"*{match[2]}: {match[3]} in the sources.*" if match[1] else match[2], readme)


class Description:
    """Called by scikit-build-core for `dynamic = ["readme"]`."""

    def dynamic_metadata(self, settings: Mapping[str, Any], project: Mapping[str, Any]) -> dict[str, Any]:
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        text = description(readme, os.environ.get("TAMIS_FILES", ""))
        return {"readme": {"content-type": "text/markdown", "text": text}}


def require_compiler() -> None:
    """Raise a sentence that names the package to install, unless there is a C++ compiler."""
    if os.name == "nt" or os.environ.get("CXX") or any(map(shutil.which, COMPILERS)):
        return
    raise SystemExit(
        "Tamis is compiled when it is installed, but no C++ compiler was found: install g++ (the package g++ on Debian "
        "and Ubuntu, gcc-c++ on Fedora, the Xcode command line tools on macOS), or a wheel of Tamis, which needs none."
    )


def compile_core(folder: Path = BUILD, options: Sequence[str] = ()) -> None:
    """Compile what has changed of the core, the extension beside its sources unless the options say otherwise."""
    require_compiler()
    import nanobind

    configure = ["cmake", "-S", ROOT, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", "-DTAMIS_IN_PLACE=ON"]
    configure += [f"-DPython_EXECUTABLE={sys.executable}", f"-Dnanobind_DIR={nanobind.cmake_dir()}", *options]
    if shutil.which("ninja"):
        configure += ["-G", "Ninja"]
    subprocess.run([str(part) for part in configure], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", str(folder)], check=True)


def build_wheel(directory: str, settings: Any = None, metadata: str | None = None) -> str:
    """The wheel, as scikit-build-core builds it."""
    from scikit_build_core import build

    require_compiler()
    return build.build_wheel(directory, settings, metadata)


def build_editable(directory: str, settings: Any = None, metadata: str | None = None) -> str:
    """A wheel that puts `src` on the path; the core is compiled into it.

    scikit-build-core's own editable installs find modules by a hook that goes before PYTHONPATH: a second working tree
    could not be tried with the environment of the first.
    """
    from scikit_build_core import build

    compile_core()
    with tempfile.TemporaryDirectory() as folder:
        name = build.prepare_metadata_for_build_editable(folder, settings)
        files = {f"{name}/{file.name}": file.read_bytes() for file in (Path(folder) / name).iterdir() if file.is_file()}
        licenses = (Path(folder) / name).rglob("licenses/*")
        files |= {f"{name}/licenses/{file.name}": file.read_bytes() for file in licenses}
    files["_tamis_editable.pth"] = f"{ROOT / 'src'}\n".encode()
    files.pop(f"{name}/RECORD", None)
    tag = re.search(r"^Tag: (.+)$", files[f"{name}/WHEEL"].decode(), flags=re.M)
    assert tag is not None
    wheel = f"{name.removesuffix('.dist-info')}-{tag[1]}.whl"
    with zipfile.ZipFile(Path(directory) / wheel, "w") as archive:
        for path, content in files.items():
            archive.writestr(path, content)
        archive.writestr(f"{name}/RECORD", _record(name, files))
    return wheel


def _record(name: str, files: Mapping[str, bytes]) -> str:
    """The list of files of a wheel, each with its digest and size."""
    lines = []
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode("ascii")
        lines.append(f"{path},sha256={digest},{len(content)}")
    return "\n".join([*lines, f"{name}/RECORD,,", ""])


def __getattr__(name: str) -> Any:
    """The other hooks of a build backend are scikit-build-core's."""
    if name.startswith("_") or not name.endswith(("sdist", "wheel", "editable")):
        raise AttributeError(name)
    from scikit_build_core import build

    return getattr(build, name)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--sanitize"]:  # followed by the folder that holds a copy of the package
        checked = Path(sys.argv[2]).resolve()
        compile_core(checked / "build", ["-DTAMIS_SANITIZE=ON", f"-DTAMIS_OUTPUT={checked / 'src' / 'tamis'}"])
    else:
        compile_core()
