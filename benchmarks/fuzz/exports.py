"""Exported models beside `predict`: mixed tables, messy texts, holes and levels that were never seen."""

from __future__ import annotations

import importlib.util
import math
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from fuzz.endings import Finding, good_ending

import tamis

#: Processor seconds of a case.
LIMIT = 120

QUICK: dict[str, Any] = {"folds": 2, "inner": 2, "repeats": 1, "black_box": False, "n_jobs": 1, "lock": 0}
WORDS = ["red", "Red", "it's", 'say "x"', "a b", "é", "null", "0", "1", "true", "中文", "a\\b", "--", "x;y", "ß", "ON"]
NAMES = ["size", 'odd "name"; --', "select", "it's", "Größe", "a.b", "x y", "1st", "class", "row", "%d", "a\\b", "中文"]


class Fuzzer:
    """One study a case, exported to every language and asked about new rows."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.has_onnx = all(map(importlib.util.find_spec, ("onnx", "onnxruntime")))

    def case(self, rng: np.random.Generator) -> str:
        """Fit, export, compare on rows that are messier than those it learned from."""
        import shutil

        shutil.rmtree(self.folder, ignore_errors=True)
        frame = _table(rng, 100)
        procedure = str(
            rng.choice(
                ["stump", "tree", "lasso", "ridge", "forest", "booster", "score-card", "additive", "optimal-tree"],
                p=[0.1, 0.2, 0.15, 0.1, 0.1, 0.05, 0.1, 0.1, 0.1],
            )
        )
        with good_ending() as said:
            study = tamis.Study(frame, target="y", folder=self.folder, procedures=[procedure], **QUICK).run()
        if said:
            return f"{procedure}: refused"
        new = _messy(rng, _table(rng, 30).drop(columns="y"), frame)
        with good_ending() as said:
            answers, is_number = study.predict(new), frame["y"].dtype.kind == "f"
        if said:
            return f"{procedure} predict: refused"
        endings = []
        for to in ("python", "sql", "onnx") if self.has_onnx else ("python", "sql"):
            with good_ending() as said:
                found = getattr(self, f"_{to}")(study, new)
            endings.append(f"{to} {'refused' if said else 'equal'}")
            if not said:
                _compare(to, found, answers, is_number)
        with good_ending():
            study.export("html")
        return f"{procedure}: {', '.join(endings)}"

    def _python(self, study: Any, new: pd.DataFrame) -> list[Any]:
        space: dict[str, Any] = {}
        exec(compile(study.export("python"), "exported", "exec"), space)
        return [space["predict"](row) for row in _rows(new)]

    def _sql(self, study: Any, new: pd.DataFrame) -> list[Any]:
        statement = study.export("sql")
        base = sqlite3.connect(":memory:")
        base.create_function("EXP", 1, lambda value: None if value is None else math.exp(value))
        heads = ", ".join('"' + name.replace('"', '""') + '"' for name in new.columns)
        base.execute(f"CREATE TABLE new_rows ({heads})")
        base.executemany(
            f"INSERT INTO new_rows VALUES ({', '.join('?' * new.shape[1])})",
            [tuple(row.values()) for row in _rows(new)],
        )
        found = base.execute(statement)
        place = [head[0] for head in found.description].index("prediction")
        return [row[place] for row in found.fetchall()]

    def _onnx(self, study: Any, new: pd.DataFrame) -> list[Any]:
        import onnxruntime

        path = study.export("onnx", self.folder / "model.onnx")
        session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        given = {}
        for wanted in session.get_inputs():
            column = new[wanted.name]
            if wanted.type == "tensor(string)":
                given[wanted.name] = column.fillna("").astype(str).to_numpy(dtype=object)
            else:
                given[wanted.name] = pd.to_numeric(
                    column.map(lambda cell: {"true": 1, "false": 0}.get(str(cell).strip().lower(), cell))
                ).to_numpy(dtype=np.float64)
        return list(session.run(["prediction"], given)[0])


def _table(rng: np.random.Generator, n: int) -> pd.DataFrame:
    """Numbers with holes, categories, booleans, whole numbers; a number or a class to predict."""
    fixed = np.random.default_rng(int(rng.integers(2**31))) if n == 100 else rng
    if n == 100:
        _table.plan = {  # type: ignore[attr-defined]
            "names": fixed.choice(NAMES, 4, replace=False).tolist(),
            "levels": fixed.choice(WORDS, int(fixed.integers(2, 6)), replace=False).tolist(),
            "classes": fixed.choice(WORDS, int(fixed.integers(2, 4)), replace=False).tolist(),
            "numbers": fixed.random() < 0.5,
            "scale": 10.0 ** float(fixed.choice([-9, 0, 0, 9])),
        }
    plan = _table.plan  # type: ignore[attr-defined]
    x, z = rng.normal(size=n), rng.normal(size=n)
    level, flag = rng.choice(plan["levels"], n).astype(object), rng.random(n) < 0.5
    columns = [np.where(rng.random(n) < 0.15, np.nan, x * plan["scale"]), level, flag, rng.integers(0, 4, n)]
    frame = pd.DataFrame(dict(zip(plan["names"], columns)))
    frame.loc[rng.random(n) < 0.1, plan["names"][1]] = None
    total = x + 2 * (level == plan["levels"][0]) + flag + 0.3 * z
    if plan["numbers"]:
        return frame.assign(y=total * plan["scale"])
    cuts = np.quantile(total, np.linspace(0, 1, len(plan["classes"]) + 1)[1:-1])
    return frame.assign(y=np.array(plan["classes"], dtype=object)[np.searchsorted(cuts, total)])


def _messy(rng: np.random.Generator, new: pd.DataFrame, frame: pd.DataFrame) -> pd.DataFrame:
    """New rows with space around texts, levels never seen, booleans as words, numbers as texts."""
    made = new.astype(object)
    texts, flags = made.columns[1], made.columns[2]
    pad = rng.choice(["", "", " ", "\t", "\n", "  ", "\xa0"], (2, len(made)))
    made[texts] = [a + t + b if isinstance(t, str) else None for t, a, b in zip(made[texts], *pad)]
    made.loc[rng.random(len(made)) < 0.1, texts] = "never seen"
    if rng.random() < 0.5:
        spelled = {True: ["true", "TRUE", " True"], False: ["false", "FALSE", "False "]}
        made[flags] = [spelled[bool(flag)][int(k)] for flag, k in zip(made[flags], rng.integers(0, 3, len(made)))]
    if rng.random() < 0.5:
        for name in made.columns[[0, 3]]:
            made[name] = [None if v != v else a + repr(float(v)) + b for v, a, b in zip(made[name], *pad)]
    return made


def _rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [
        {name: None if value is None or value != value else value for name, value in row.items()}
        for row in frame.to_dict("records")
    ]


def _compare(to: str, found: list[Any], answers: np.ndarray, is_number: bool) -> None:
    if is_number:
        size = float(np.std(answers)) or float(np.abs(answers).max()) or 1.0
        if len(found) != len(answers) or not np.allclose(
            np.array(found, dtype=float), answers, rtol=1e-9, atol=1e-9 * size
        ):
            raise Finding(f"{to}: numbers differ by {np.abs(np.array(found, dtype=float) - answers).max() / size:.1e}")
    elif [str(one) for one in found] != [str(one) for one in answers.tolist()]:
        n = sum(str(a) != str(b) for a, b in zip(found, answers.tolist()))
        raise Finding(f"{to}: {n} of {len(answers)} classes differ: {found[:5]} {answers[:5].tolist()}")
