"""A forest on the columns that matter: grown on all, sifted by what noise looks like, and grown again."""

from __future__ import annotations

import base64
import tempfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from tamis.table import Table

TREES = 200
MOST_DRAWN = 5_000  # rows a tree draws at most: more make each tree dearer, and the forest hardly better
MOST_LISTED = 20


class SiftedForest:
    """A forest of the columns whose importance no column of noise would reach.

    On rows a tree did not see, the importance of a column that says nothing lies as often below 0 as above. So the
    importances below 0 show how far noise reaches, and a column stays when its own is larger than the lowest of them
    is low. The forest that predicts is grown on these columns alone.

    References
    ----------
    Janitza, Celik, Boulesteix (2018), A computationally fast variable importance test for random forests for
    high-dimensional data, Advances in Data Analysis and Classification 12.
    """

    def __init__(self, task: str, seed: int) -> None:
        self.task, self.seed = task, seed

    def fit(self, table: Table, y: np.ndarray) -> SiftedForest:
        """Grow, sift and grow again."""
        found = self._forest(table.n_rows).fit(table, y).impurity_importance_
        reach = max(0.0, -float(found.min()))
        kept = np.flatnonzero(found > reach)
        if not len(kept):  # nothing stands out: the one column that comes first speaks, and the folds judge it
            kept = np.array([int(np.argmax(found))])
        names = sorted(table.names[j] for j in kept)
        self.forest_ = self._forest(table.n_rows).fit(table.select(names), y)
        return self._named(names)

    def _named(self, names: list[str]) -> SiftedForest:
        self.selected_columns_ = tuple(names)
        if self.task == "classes":
            self.classes_ = self.forest_.classes_
        return self

    def _forest(self, n_rows: int) -> Any:
        from tamis.forest import ForestClassifier, ForestRegressor

        kind = ForestClassifier if self.task == "classes" else ForestRegressor
        drawn = MOST_DRAWN if n_rows > MOST_DRAWN else None
        return kind(TREES, max_samples=drawn, random_state=self.seed, progress=False)

    def predict(self, table: Table) -> np.ndarray:
        """Mean of the trees' answers."""
        return np.asarray(self.forest_.predict(table.select(list(self.selected_columns_))))

    def predict_proba(self, table: Table) -> np.ndarray:
        """Mean share of each class."""
        return np.asarray(self.forest_.predict_proba(table.select(list(self.selected_columns_))))

    def to_text(self) -> str:
        """The columns by their share of the forest's importance."""
        share = self.forest_.feature_importances_
        order = np.argsort(-share, kind="stable")
        names = self.selected_columns_
        lines = [f"  {share[j]:6.1%}  {names[j]}" for j in order[:MOST_LISTED]]
        more = len(names) - MOST_LISTED
        lines += [f"  and {more:,} more"] if more > 0 else []
        columns = "1 column" if len(names) == 1 else f"{len(names):,} columns"
        return "\n".join([f"the mean answer of {TREES} trees on {columns}, by share of importance:", *lines])

    def to_dict(self) -> dict[str, Any]:
        """Plain values that `from_dict` takes back; the trees are the file of the forest, packed."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "forest"
            self.forest_.save(path)
            packed = base64.b64encode(zlib.compress(path.read_bytes())).decode("ascii")
        return {"task": self.task, "seed": self.seed, "columns": list(self.selected_columns_), "forest": packed}

    @classmethod
    def from_dict(cls, facts: dict[str, Any]) -> SiftedForest:
        """The model that `to_dict` described."""
        made = cls(facts["task"], facts["seed"])
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "forest"
            path.write_bytes(zlib.decompress(base64.b64decode(facts["forest"])))
            made.forest_ = type(made._forest(0)).load(path)
        return made._named(list(facts["columns"]))
