"""Predictions of a table larger than memory: parts are predicted by the engine in use, and written in order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from tamis.engine import current
from tamis.engine.cluster.reduce import PartitionTask
from tamis.errors import TableError
from tamis.lock import Held, Lock
from tamis.study.model import Model
from tamis.study.prediction.answers import predictions_csv
from tamis.table import LazyTable, grid_source, table_of
from tamis.table.inference.kinds import Rules
from tamis.table.lazy.grid import Cell
from tamis.table.raw import RawColumns
from tamis.table.types import Type

#: Cells that are predicted at a time: their text stays in memory until those before it are written.
MOST_CELLS = 2


@dataclass(frozen=True, eq=False)
class Predicted:
    """Predictions of some rows: their text, how many rows, which locked rows they hold, and unseen levels by column."""

    text: str
    rows: int
    locked: Held | None
    unseen: dict[str, int]

    def __add__(self, other: Predicted) -> Predicted:
        unseen = dict(self.unseen)
        for name, n in other.unseen.items():
            unseen[name] = unseen.get(name, 0) + n
        locked = None if self.locked is None or other.locked is None else self.locked + other.locked
        return Predicted(self.text + other.text, self.rows + other.rows, locked, unseen)


def merge(a: Predicted, b: Predicted) -> Predicted:
    """The predictions of both."""
    return a + b


@dataclass(frozen=True, eq=False)
class PredictCell:
    """Predicts the rows of a cell; the model is sent as the plain values it is saved as."""

    model: str
    lock: Lock | None
    id: str | None
    coverage: float

    def __call__(self, cell: Cell) -> Predicted:
        model = _model(self.model)
        rules = Rules(trusted=True, rows=np.arange(cell.first, cell.first + cell.n_rows))
        raw = RawColumns(cell.arrow, rules, "the table")
        locked = None if self.lock is None else self.lock.held_by(raw, cell.first)
        ids = None if self.id is None else (self.id, _texts(raw, self.id))
        exposures = model.exposures(raw)
        table = model.aligned(table_of(raw, like=model.types))
        unseen = {name: int(mask.sum()) for name, mask in model.unseen(table).items()}
        text = predictions_csv(model, table, ids, self.coverage, first=cell.first, exposures=exposures)
        return Predicted(text, cell.n_rows, locked, unseen)


@lru_cache(maxsize=4)
def _model(state: str) -> Model:
    import json

    return Model.from_dict(json.loads(state))


def predict_parts(
    model: Model, source: Any, stream: Any, lock: Lock | None, id: str | None, coverage: float
) -> tuple[Predicted, list[str]]:
    """Write the predictions of all rows to a stream; the total, without the text, and the columns that were read."""
    import json

    grid = source.source if isinstance(source, LazyTable) else grid_source(source, Rules(trusted=True))
    if id is not None and id not in grid.names:
        raise TableError(f"there is no column {id!r} in {grid.label}; give the name of a column")
    names_needed = {
        *model.types,
        *(lock.all_columns if lock is not None else ()),
        *(name for name in (id, model.exposure) if name is not None),
    }
    names = [name for name in grid.names if name in names_needed]
    task = PartitionTask(PredictCell(json.dumps(model.to_dict()), lock, id, coverage), merge)
    total: Predicted | None = None
    for batch in current().each(task, grid.partitions(names, max_rows=MOST_CELLS)):
        if batch is not None:
            stream.write(batch.text)
            bare = Predicted("", batch.rows, batch.locked, batch.unseen)
            total = bare if total is None else total + bare
    assert total is not None
    return total, names


def _texts(raw: RawColumns, name: str) -> list[str]:
    """A column as it is written, empty where missing."""
    column = raw.full_column(name, Type("categorical"))[1][-1]
    words = [str(level) for level in column.levels or ()]
    return ["" if is_missing else words[int(code)] for code, is_missing in zip(column.values, column.missing)]
