"""The compiled core, or one sentence that says what is missing and how it is made."""

import hashlib
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from tamis.errors import CoreError

_CORE = Path(__file__).parent / "_core"
_WAY_OUT = "run `make core` in the folder of its sources, or `pip install -e .`"


def core() -> ModuleType:
    """The extension module, once it is known to be made from the sources beside it (an installed wheel has none)."""
    spec = find_spec("tamis._core")
    if spec is None or spec.origin is None:  # no file, though the folder of its sources looks like a package
        raise CoreError(f"the compiled core of Tamis is missing; {_WAY_OUT}")
    try:
        module = import_module("tamis._core")
    except ImportError as error:
        raise CoreError(f"the compiled core of Tamis cannot be loaded ({error}); {_WAY_OUT}") from error
    if _is_stale(module):
        vars(sys.modules["tamis"]).pop("_core", None)  # put there by the import: who asks again is to be told again
        raise CoreError(f"the compiled core of Tamis is older than its sources; {_WAY_OUT}")
    return module


def _is_stale(module: ModuleType) -> bool:
    """Whether it was made from other sources, by their content: a copied or checked out file has any date."""
    files = [file for file in _CORE.rglob("*") if file.suffix in (".cpp", ".hpp")]
    return bool(files) and getattr(module, "SOURCES", None) != digest(files)


def digest(files: list[Path]) -> str:
    """The digest of names and contents that CMakeLists.txt gives the core."""
    contents = {file.relative_to(_CORE).as_posix(): file.read_bytes() for file in files}
    lines = [f"{name} {hashlib.sha256(contents[name]).hexdigest()}\n" for name in sorted(contents)]
    return hashlib.sha256("".join(lines).encode()).hexdigest()
