"""A source that cannot be gone back in is read whole."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

from tamis.table import read


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_pipe_is_read_whole(tmp_path, kind):
    """`tamis columns <(zcat t.csv.gz)` ended with "lseek failed"."""
    import pandas as pd

    frame = pd.DataFrame({"a": [0.5 * i for i in range(200)], "b": ["u", "v"] * 100})
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    os.mkfifo(tmp_path / "pipe")
    content = (tmp_path / f"t.{kind}").read_bytes()
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(content,), daemon=True)
    writer.start()
    table = read(tmp_path / "pipe")
    writer.join(10)
    assert (table.n_rows, table.names) == (200, ("a", "b"))


@pytest.mark.skipif(not os.path.exists("/dev/stdin"), reason="needs /dev/stdin")
def test_the_standard_input_is_a_file():
    """Tables come from other programs."""
    code = "from tamis.table import read; print(read('/dev/stdin').n_rows)"
    rows = "a,b\n" + "".join(f"{i / 3},x{i % 4}\n" for i in range(60))
    told = subprocess.run([sys.executable, "-c", code], input=rows, capture_output=True, text=True, check=False)
    assert told.stdout == "60\n", told.stderr
