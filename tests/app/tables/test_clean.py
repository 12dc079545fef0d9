"""Cells that do not fit are missing in a copy; every other cell is as it was."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tamis.app.folder import AppFolder, read_about
from tamis.app.tables.clean import write_clean
from tamis.app.tables.keep import keep
from tamis.table import read

TEXT = 'age;code;land;size\n"41";007;NA;1,5\nabout 40;012;DE;2,5\n43;100;FR;\n44;007;US;4,5\n45;008;"a;b";5,5\n'


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_only_the_cells_that_do_not_fit_are_gone(tmp_path, format):
    """Codes would lose their zeros, NA its meaning, commas their place, when a copy is written."""
    file = tmp_path / f"t.{format}"
    if format == "csv":
        file.write_text(TEXT, encoding="utf-8")
    else:
        columns = {
            "age": ["41", "about 40", "43", "44"],
            "code": ["007", "012", "100", "007"],
            "land": ["NA", "DE", "FR", "US"],
        }
        pq.write_table(pa.table(columns), file)
    expected = read(file).drop(["age"]) if "age" in read(file).names else read(file)
    place = AppFolder(tmp_path / "app").new("tables", {})
    keep(place, file, f"t.{format}")
    about = read_about(place)
    types = {"age": {"kind": "numeric"}}
    assert write_clean(place, about, {"types": types}) is None
    name = write_clean(place, about, {"types": types, "blank": ["age"]})
    found = read(place / name, types="age=numeric")
    assert found.column("age").values[:4].tolist()[0::2] == [41.0, 43.0]
    assert found.column("age").missing.tolist()[:3] == [False, True, False]
    assert found.drop(["age"]).digest() == expected.digest()
