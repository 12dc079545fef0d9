"""The tables of these tests as files."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.study.tables import classes_table, numbers_table, write_table


@pytest.fixture
def classes_csv(tmp_path: Path) -> Path:
    return write_table(tmp_path / "classes.csv", classes_table())


@pytest.fixture
def numbers_csv(tmp_path: Path) -> Path:
    return write_table(tmp_path / "numbers.csv", numbers_table())
