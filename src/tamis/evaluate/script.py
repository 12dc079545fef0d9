"""A procedure from a user's script: "my_script.py:function"."""

import importlib.util
import sys
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from tamis.check import nearest
from tamis.errors import ParameterError, cause
from tamis.evaluate.audit import Audit, audit
from tamis.table import Column, Table, read
from tamis.table.read import ReadOptions


def audit_table(
    procedure: str,
    source: Any,
    target: str,
    *,
    n_permutations: int = 100,
    scoring: str | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
    **options: Unpack[ReadOptions],
) -> Audit:
    """Audit a procedure of a script on a table; options are those of `tamis.read`.

    The procedure is given X as a NumPy array when every column holds numbers, else as a pandas frame, and y as an array
    of numbers or words; rows without a target are left out.
    """
    script_procedure = from_script(procedure)
    table_read = read(source, target=target, **options)
    column = table_read.column(target)
    table = table_read.drop([target]).take(np.flatnonzero(~column.missing))
    X = table.numbers() if table.is_numeric else _frame(table)
    y = _words(column.take(~column.missing))
    return audit(
        script_procedure, X, y, n_permutations=n_permutations, scoring=scoring, random_state=seed, n_jobs=n_jobs
    )


def _frame(table: Table) -> Any:
    try:
        import pandas
    except ImportError as error:
        name = next(column.name for column in table.columns if column.is_categorical)
        raise ParameterError(f"column {name!r} holds categories; install pandas to hand it to a script") from error
    return pandas.DataFrame({column.name: _words(column) for column in table.columns})


def _words(column: Column) -> np.ndarray:
    """A column's values as people know them: words for categories, numbers else."""
    if column.levels is None:
        return column.values
    levels = np.array([*column.levels, None], dtype=object)
    return levels[np.where(column.missing, len(column.levels), np.nan_to_num(column.values)).astype(int)]


def from_script(location: str) -> Any:
    """The function (or model) that a script holds under a name; the script is run to find it.

    Parameters
    ----------
    location : a path and a name, as in "my_script.py:procedure".
    """
    path_text, colon, name = location.rpartition(":")
    path = Path(path_text)
    if not colon or not name.isidentifier():
        raise ParameterError(f"{location!r} names no procedure; give a script and a name, as in my_script.py:procedure")
    if not path.is_file():
        raise ParameterError(f"there is no script {path_text!r}; give the path of a Python file")
    spec = importlib.util.spec_from_file_location(f"tamis_audited_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ParameterError(f"{path_text!r} is no Python file; give one that ends in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses and pickles in the script look themselves up here
    sys.path.insert(0, str(path.parent.resolve()))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise ParameterError(f"{path_text!r} cannot be run: {type(error).__name__}: {cause(error)}") from error
    finally:
        sys.path.remove(str(path.parent.resolve()))
    if not hasattr(module, name):
        module_names = [word for word in vars(module) if not word.startswith("_")]
        raise ParameterError(
            f"{path_text!r} has no {name!r}{nearest(name, module_names)}; give the name of a function in it"
        )
    procedure = getattr(module, name)
    return procedure() if isinstance(procedure, type) else procedure
