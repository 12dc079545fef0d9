"""When a kernel on the disk is used again: as long as nothing it is compiled from has changed."""

from __future__ import annotations

from pathlib import Path

from tamis.engine import cholesky, stamp


def _one(x):
    return x + 1.0


def test_only_files_that_decide_how_kernels_are_compiled_count():
    """A new engine or a changed thread pool would have every kernel of the package compiled anew, for two minutes."""
    names = {file.relative_to(Path(stamp.__file__).parent).as_posix() for file in stamp._COMPILERS}
    assert {"kernel.py", "intrinsics.py", "internals/dispatch.py", "internals/lower.py"} <= names
    assert not {"run.py", "seed.py", "blas.py", "__init__.py"} & names


def test_a_changed_compiler_and_a_changed_kernel_give_another_stamp(tmp_path, monkeypatch):
    """Kernels of an older version would stay in use, without a word, after an upgrade."""
    file = tmp_path / "kernel.py"
    file.write_text("how = 1")
    monkeypatch.setattr(stamp, "_COMPILERS", [file])
    before = stamp.stamp(_one)
    assert stamp.stamp(_one) == before
    file.write_text("how = 22")
    assert stamp.stamp(_one) != before
    assert stamp.stamp(_one) != stamp.stamp(cholesky.factor.py_func)
