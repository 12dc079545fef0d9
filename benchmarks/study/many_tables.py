"""Many tables for the scripts beside: the suite's and scikit-learn's own, split alike; what is found is kept."""

from __future__ import annotations

import argparse
import pickle
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn import datasets
from sklearn.model_selection import train_test_split

from tamis.evaluate.cross_validate import Fold
from tamis.evaluate.problem import Problem, problem_of
from tamis.table import Table

Results = dict[str, list[dict[str, Any]]]

#: scikit-learn's own tables that are neither tiny nor made of images.
OWN = ("breast_cancer", "wine", "diabetes")


def tables(place: Path, wanted: list[str], most: int, columns: int) -> Iterator[tuple[str, pd.DataFrame]]:
    """The tables, each with a column "target": floats are numbers, all else classes of at least six rows."""
    listed: list[tuple[str, Any]] = [(name, None) for name in OWN]
    for name, path in [*listed, *((path.stem, path) for path in sorted(place.glob("*.parquet")))]:
        if wanted and name not in wanted:
            continue
        if path is None:
            data = getattr(datasets, f"load_{name}")(as_frame=True)
            frame = data.data.assign(target=data.target if name == "diabetes" else data.target.astype(str))
        else:
            frame = pd.read_parquet(path)
        if frame.shape[1] - 1 > columns:
            continue
        frame = frame.sample(min(most, len(frame)), random_state=0).reset_index(drop=True)
        if frame["target"].dtype.kind != "f":
            often = frame["target"].map(frame["target"].value_counts())
            frame = frame[often >= 6].reset_index(drop=True)
        yield name, frame


def arguments(doc: str | None, **defaults: int) -> argparse.ArgumentParser:
    """Which tables, how much of them, how often split; `defaults` for most, columns, splits and jobs."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*")
    parser.add_argument("--data", default="../shared/data/suite")
    parser.add_argument("--most", type=int, default=defaults["most"], help="rows of a table")
    parser.add_argument("--columns", type=int, default=defaults["columns"], help="tables with more are left out")
    parser.add_argument("--splits", type=int, default=defaults["splits"])
    parser.add_argument("--start", type=int, default=0, help="the first split")
    parser.add_argument("--jobs", type=int, default=defaults["jobs"])
    return parser


def kept_arguments(doc: str | None, **defaults: int) -> argparse.ArgumentParser:
    """The same, where what is found can be kept and read again."""
    parser = arguments(doc, **defaults)
    parser.add_argument("--save", default="", help="keep what was found in this file, to be read by --from")
    parser.add_argument("--from", dest="known", default="", help="results kept by --save, instead of a run")
    return parser


def given(options: argparse.Namespace) -> Iterator[tuple[str, pd.DataFrame]]:
    """The tables asked for."""
    warnings.simplefilter("ignore")
    return tables(Path(options.data), options.tables, options.most, options.columns)


def results_of(
    options: argparse.Namespace,
    one: Callable[[pd.DataFrame, int], dict[str, Any]],
    said: Callable[[list[dict[str, Any]]], str] = lambda splits: "",
) -> Results:
    """What `one` finds in every split of every table, or what an earlier run found."""
    if options.known:
        kept: Results = pickle.loads(Path(options.known).read_bytes())
        return kept
    results: Results = {}
    for name, frame in given(options):
        results[name] = [one(frame, split) for split in range(options.start, options.start + options.splits)]
        print(f"{name}, {len(frame):,} × {frame.shape[1] - 1:,}{said(results[name])}", flush=True)
        if options.save:
            Path(options.save).write_bytes(pickle.dumps(results))
    return results


def split_of(frame: pd.DataFrame, split: int) -> tuple[Problem, pd.DataFrame, np.ndarray, Fold]:
    """The problem of a table, its columns and target, and seven tenths of its rows to learn from."""
    y = frame["target"].to_numpy()
    numbers = y.dtype.kind == "f"
    y = y if numbers else pd.factorize(y, sort=True)[0]
    X = frame.drop(columns="target")
    problem = problem_of([], Table.of(X), y, task="regression" if numbers else "classes")
    learn, test = train_test_split(
        np.arange(len(y)), test_size=0.3, random_state=split, stratify=None if numbers else y
    )
    return problem, X, y, Fold("all", np.sort(learn), np.sort(test), 0, split)
