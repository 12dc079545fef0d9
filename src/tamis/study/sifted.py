"""A forest on the columns that matter: grown on all, sifted by what noise looks like, and grown again."""

from __future__ import annotations

import base64
import io
import zlib
from typing import Any

import numpy as np

from tamis import check
from tamis.errors import DamagedError
from tamis.saved import reading, text, texts, whole
from tamis.table import Table

TREES = 200
MOST_DRAWN = 5_000  # rows a tree draws at most: more make each tree dearer, and the forest hardly better
MOST_LISTED = 20
LEAVES = (1, 5, 20, 100)  # smallest leaves that are tried, in rows that a tree draws
MOST_HEADER = 2**28  # bytes of a packed forest's header: names and levels of its columns
FEWEST = 4  # leaves that a tree of the rows drawn must have room for


class SiftedForest:
    """A forest of the columns whose importance no column of noise would reach.

    On rows a tree did not see, the importance of a column that says nothing lies as often below 0 as above. So the
    importances below 0 show how far noise reaches, and a column stays when its own is larger than the lowest of them
    is low. The forest that predicts is grown on these columns alone.

    Leaves hold at least 1, 5, 20 or 100 rows: the size after which the next one does not lower the out-of-bag score
    (Brier, or squared error). It is chosen with all columns and, from there on upwards, again with those kept: few weak
    columns want large leaves, or single rows are learned by heart. Downwards the second choice could not be trusted:
    rows out of the bag had a say in which columns were kept, so the score flatters (noise, 40 rows and 1,000 columns:
    Brier 0.31 out of the bag, 0.63 on fresh rows).

    Parameters
    ----------
    task : "classes" or "numbers".
    seed : fixes the trees.
    leaf : the smallest leaf; None chooses it.

    References
    ----------
    Janitza, Celik, Boulesteix (2018), A computationally fast variable importance test for random forests for
    high-dimensional data, Advances in Data Analysis and Classification 12.
    """

    def __init__(self, task: str, seed: int, leaf: int | None = None) -> None:
        self.task, self.seed, self.leaf = task, seed, leaf

    def fit(self, table: Table, y: np.ndarray) -> SiftedForest:
        """Grow, sift and grow again."""
        whole = self._tuned(table, y, self.leaf or LEAVES[0])
        found = whole.impurity_importance_
        reach = max(0.0, -float(found.min()))
        kept = np.flatnonzero(found > reach)
        if not len(kept):  # nothing stands out: the one column that comes first speaks, and the folds judge it
            kept = np.array([int(np.argmax(found))])
        names = sorted(table.names[j] for j in kept)
        unchanged = names == list(table.names)
        self.forest_ = whole if unchanged else self._tuned(table.select(names), y, int(whole.min_samples_leaf))
        return self._named(names)

    def _tuned(self, table: Table, y: np.ndarray, least: int) -> Any:
        """The forest of the first leaf size, from `least` on, that the next one does not better out of the bag."""
        room = min(table.n_rows, MOST_DRAWN) // FEWEST
        best = self._forest(table.n_rows, least).fit(table, y)
        if self.leaf is not None:
            return best
        score = _out_of_bag(best, y)
        for leaf in LEAVES[LEAVES.index(least) + 1 :]:
            if leaf > room:
                break
            forest = self._forest(table.n_rows, leaf).fit(table, y)
            found = _out_of_bag(forest, y)
            if not found < score:
                break
            best, score = forest, found
        return best

    def _named(self, names: list[str]) -> SiftedForest:
        self.selected_columns_ = tuple(names)
        self.min_samples_leaf_ = int(self.forest_.min_samples_leaf)
        if self.task == "classes":
            self.classes_ = self.forest_.classes_
        return self

    def _forest(self, n_rows: int, leaf: int) -> Any:
        from tamis.forest import ForestClassifier, ForestRegressor

        kind = ForestClassifier if self.task == "classes" else ForestRegressor
        drawn = MOST_DRAWN if n_rows > MOST_DRAWN else None
        return kind(TREES, min_samples_leaf=leaf, max_samples=drawn, random_state=self.seed, progress=False)

    def predict(self, table: Table) -> np.ndarray:
        """Mean of the trees' answers."""
        return np.asarray(self.forest_.predict(table.select(list(self.selected_columns_))))

    def predict_interval(self, table: Table, coverage: float = 0.95) -> np.ndarray:
        """Ends of an interval that holds a new number with the probability `coverage`."""
        return np.asarray(self.forest_.predict_interval(table.select(list(self.selected_columns_)), coverage))

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
        from tamis.forest.save import write_to

        file = io.BytesIO()
        write_to(self.forest_, file)
        packed = base64.b64encode(zlib.compress(file.getbuffer())).decode("ascii")
        return {"task": self.task, "seed": self.seed, "columns": list(self.selected_columns_), "forest": packed}

    @classmethod
    def from_dict(cls, facts: dict[str, Any]) -> SiftedForest:
        """The model that `to_dict` described."""
        made = cls(check.one_of("task", facts["task"], ("classes", "numbers")), whole("seed", facts["seed"]))
        kind, columns = type(made._forest(0, 1)), texts("columns", facts["columns"])
        with reading("the packed forest", "fit it again"):
            made.forest_ = _unpacked(kind, text("forest", facts["forest"]), len(columns))
            named = getattr(made.forest_, "feature_names_in_", columns)
            if made.forest_.n_features_in_ != len(columns) or tuple(named) != columns:
                raise DamagedError("its columns are not those of the model")
        return made._named(list(columns))


def _unpacked(kind: Any, packed: str, n_columns: int) -> Any:
    """The forest of a packed text; no more is unpacked than a forest of this kind can hold."""
    from tamis.forest.save import MAGIC, read_forest, read_header

    source = base64.b64decode(packed, validate=True)
    file = io.BufferedReader(_Unpacking(source))
    if file.read(len(MAGIC)) != MAGIC:
        raise DamagedError("it does not begin like a forest")
    header = read_header(file, MOST_HEADER)
    if header["kind"] != kind.__name__:
        raise DamagedError(f"it is no {kind.__name__}")
    return read_forest(kind, header, file, _most_bytes(header, n_columns))


def _most_bytes(header: dict[str, Any], n_columns: int) -> int:
    """How many bytes the arrays of a forest can have: nodes, leaf tables, sets of levels and what each column has."""
    n_nodes = TREES * 2 * MOST_DRAWN
    width = len(header["classes"]["values"]) if "classes" in header else 1
    words = max((len(known) // 64 + 1 for _, known in header["levels"]), default=0)
    return n_nodes * (16 + 4 * width + 4 * words) + 8 * n_columns + MOST_HEADER


class _Unpacking(io.RawIOBase):
    """Compressed bytes as a file: unpacked as they are read."""

    def __init__(self, packed: bytes) -> None:
        self._engine, self._left = zlib.decompressobj(), packed

    def readable(self) -> bool:
        return True

    def readinto(self, room: Any) -> int:
        found = self._engine.decompress(self._left, len(room)) if len(room) else b""
        self._left = self._engine.unconsumed_tail
        room[: len(found)] = found
        return len(found)


def _out_of_bag(forest: Any, y: np.ndarray) -> float:
    """Mean Brier score of out-of-bag probabilities, or squared error of out-of-bag numbers."""
    if hasattr(forest, "classes_"):
        off = forest.oob_decision_function_ - (np.asarray(y)[:, None] == forest.classes_)
    else:
        off = (forest.oob_prediction_ - y)[:, None]
    seen = ~np.isnan(off[:, 0])  # by some tree that did not draw the row
    return float((off[seen] ** 2).sum() / max(1, int(seen.sum())))
