"""A table's columns, best first: what `tamis rank` prints and writes."""

import csv
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from tamis import check
from tamis.errors import ParameterError, TableError
from tamis.score.bars import with_bars
from tamis.score.selector import RankSelector
from tamis.table import Column, LazyTable, Table, read
from tamis.table.decision import Decision
from tamis.table.read import ReadOptions
from tamis.typing import RandomState
from tamis.wording import html_table


@dataclass(frozen=True, eq=False)
class Ranking:
    """Columns in order, each with its scores.

    Attributes
    ----------
    target : name of the target.
    by : names of the criteria.
    rows : how many rows were ranked by.
    dropped : how many rows were left out because they have no value of the target.
    lines : one dict a column, best first: rank, column, score, then (when there are several criteria) the score of
        each, sign (with pearson), pvalue and adjusted (with permutations).
    selector : the fitted RankSelector.
    left_out : what was decided about the columns that are not ranked: texts, identifiers, constants.
    """

    target: str
    by: tuple[str, ...]
    rows: int
    lines: tuple[dict[str, Any], ...]
    selector: RankSelector
    dropped: int = 0
    left_out: tuple[Decision, ...] = ()

    @property
    def note(self) -> str:
        """A sentence about the rows left out; empty when there are none."""
        if not self.dropped:
            return ""
        has, was = ("has", "was") if self.dropped == 1 else ("have", "were")
        every = self.rows + self.dropped
        return f"{self.dropped:,} of {every:,} rows {has} no value of {self.target!r} and {was} left out"

    @property
    def columns(self) -> list[str]:
        """The names, best first."""
        return [line["column"] for line in self.lines]

    def table(self) -> list[dict[str, Any]]:
        """The lines as plain dicts."""
        return [dict(line) for line in self.lines]

    def to_text(self, *, width: int = 24, top: int | None = None) -> str:
        """A table for the screen, with a bar for every score: full for the best, none for 0 or below."""
        return with_bars(self.lines[:top], "score", width)

    def to_csv(self, path: str | Path | None = None) -> str:
        """The lines as CSV, written to a file when a path is given."""
        out = io.StringIO()
        writer = csv.DictWriter(out, fieldnames=list(self.lines[0]) if self.lines else ["rank", "column", "score"])
        writer.writeheader()
        writer.writerows(self.lines)
        return _written(out.getvalue(), path)

    def to_json(self, path: str | Path | None = None) -> str:
        """Target, criteria and lines as JSON, written to a file when a path is given."""
        facts = {"target": self.target, "by": list(self.by), "rows": self.rows, "dropped": self.dropped}
        facts |= {"columns": self.table()}
        return _written(json.dumps(facts, ensure_ascii=False, indent=1) + "\n", path)

    def __repr__(self) -> str:
        return f"Ranking of {len(self.lines):,} columns for {self.target!r} by {', '.join(self.by)}"

    def _repr_html_(self) -> str:
        """The lines for a notebook, best columns first."""
        return html_table(repr(self), self.lines)


def rank(
    source: Any,
    target: str,
    *,
    by: Any = "mutual_information",
    n_permutations: int = 0,
    combine: str = "borda",
    random_state: RandomState = 0,
    n_jobs: int | None = None,
    **options: Unpack[ReadOptions],
) -> Ranking:
    """Rank the columns of a table by how much each says about a target.

    Parameters
    ----------
    source : a table, a frame, the path of a file, or the address of a database.
    target : name of the column to be predicted; rows without it are left out and counted in `dropped`.
    by : a criterion, several as a list or separated by commas, or functions.
    n_permutations : permuted targets for p-values; 0 for none.
    combine : how several criteria become one order.
    random_state, n_jobs : as in RankSelector.
    **options : `types`, `query`, `missing`, `sheet`, `header`, … as in `tamis.read`.

    >>> rank({"a": [1.0, 2, 3, 4], "b": [2.0, 1, 2, 1], "y": ["n", "n", "p", "p"]}, "y", by="gini").columns
    ['a', 'b']
    """
    check.one_name("target", target, "score columns against values with RankSelector().fit(X, y)")
    table_read = read(source, target=target, **options)
    listed = [word.strip() for word in by.split(",") if word.strip()] if isinstance(by, str) else by
    if isinstance(table_read, LazyTable) and table_read.source.n_cells == 1:
        table_read = table_read.sample(table_read.n_rows)
    if isinstance(table_read, LazyTable):
        return _of_lazy(table_read, target, listed, n_permutations, combine)
    y, rows = _target(table_read.column(target))
    table = table_read.select([name for name in table_read.names if name != target])
    if table.n_columns == 0:
        raise TableError(f"there is no column to rank beside the target {target!r}; give a table with more columns")
    dropped = table.n_rows - len(rows)
    if dropped:
        table = table.take(rows)
    selector = RankSelector(
        listed, n_permutations=n_permutations, combine=combine, random_state=random_state, n_jobs=n_jobs, share=1.0
    ).fit(table, y)
    lines, by_name, left_out = _lines(table, selector), tuple(selector.criterion_scores_), _left_out(table_read)
    return Ranking(target, by_name, len(rows), lines, selector, dropped, left_out)


def _left_out(table: Table | LazyTable) -> tuple[Decision, ...]:
    return tuple(decision for decision in table.decisions if not decision.used)


def _of_lazy(table: LazyTable, target: str, by: Any, n_permutations: int, combine: str) -> Ranking:
    from tamis.score.lazy.lazy_rank import rank_lazily

    if n_permutations:
        raise ParameterError(
            f"n_permutations={n_permutations} permutes a target in memory, and this table stays in its files; leave it "
            "out, or rank a sample: tamis.read(…).sample(100_000)"
        )
    listed = list(by) if isinstance(by, (list, tuple)) else [by]
    selector, rows = rank_lazily(table, target, listed, combine)
    features = table.select([name for name in table.names if name != target])
    lines, by_name, left_out = _lines(features, selector), tuple(selector.criterion_scores_), _left_out(table)
    return Ranking(target, by_name, rows, lines, selector, table.n_rows - rows, left_out)


def _target(column: Column) -> tuple[np.ndarray, np.ndarray]:
    """The target's values where it has any, words for classes, and those rows."""
    rows = np.flatnonzero(~column.missing)
    if not rows.size:
        raise TableError(f"the target {column.name!r} has no value in any row; give another column as the target")
    values = column.values[rows]
    if np.all(values == values[0]):
        raise TableError(
            f"the target {column.name!r} is constant ({_word(column, values[0])} in every row that has a value); "
            "no column can say anything about it, so give another target"
        )
    if column.is_categorical or (column.kind == "boolean" and column.levels is not None):
        words = np.array([str(level) for level in column.levels or ()], dtype=object)
        return words[values.astype(np.int64)], rows
    return values, rows


def _word(column: Column, value: Any) -> str:
    """A target's value as the table wrote it."""
    return repr(str(column.levels[int(value)])) if column.levels is not None else f"{value:g}"


def _lines(table: Table | LazyTable, selector: RankSelector) -> tuple[dict[str, Any], ...]:
    lines = []
    for index, j in enumerate(selector.order_):
        line: dict[str, Any] = {"rank": index + 1, "column": table.names[j], "score": float(selector.scores_[j])}
        if len(selector.criterion_scores_) > 1:
            line |= {name: float(scores[j]) for name, scores in selector.criterion_scores_.items()}
        if selector.signs_ is not None:
            line["sign"] = {1: "+", -1: "-"}.get(int(selector.signs_[j]), "")
        if selector.pvalues_ is not None and selector.adjusted_pvalues_ is not None:
            line |= {"pvalue": float(selector.pvalues_[j]), "adjusted": float(selector.adjusted_pvalues_[j])}
        lines.append(line)
    return tuple(lines)


def _written(text: str, path: str | Path | None) -> str:
    if path is not None:
        Path(path).write_text(text, encoding="utf-8", newline="")
    return text
