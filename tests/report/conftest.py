"""Results of made-up studies, in the schema of results.json."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

HOSTILE = [
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(2)>",
    'it\'s "quoted" & `ticked`',
    "emoji 🍋 and a family 👩‍👩‍👧",
    "עמודה של מספרים",
    "turned \u202eround",
    "x" * 300,
    "two\nlines\tand a tab",
    "$$\\frac{a}{b}$$",
    "{{ 7 * 7 }} {% raw %}",
    "=HYPERLINK(0)",
    "\x1b[31mred\x1b[0m [bold]markup[/bold]",
    "#2f6fbb",
    "@name{safe} $index",
]

MEASURES = [
    f"{kind} {what}" for kind in ("mean", "worst") for what in ("radius", "texture", "area", "concavity", "symmetry")
]


def decision(
    name: str, kind: str = "numeric", used: bool = True, reason: str = "all 569 values are numbers", note: str = ""
) -> dict[str, Any]:
    return {"name": name, "kind": kind, "used": used, "reason": reason, "note": note}


def procedure_rows(random: np.random.Generator, classes: bool, lower: bool, size: float) -> list[dict[str, Any]]:
    """What a study says of each procedure: better and more overfitted from one to the next."""
    listed = [
        ("baseline", "always the majority class, or the mean: no column is looked at", 0.63, 0),
        ("stump", "one question about one column", 0.89, 1),
        ("tree", "a decision tree, cut back to the smallest within one standard error of the best", 0.93, 4),
        ("lasso", "a linear model whose penalty drops columns", 0.94, 8),
    ]
    rows = []
    for place, (name, words, level, used) in enumerate(listed):
        sign = -1 if lower else 1
        scores = size * ((1 - level if lower else level) + 0.02 * random.standard_normal(15) * (place > 0))
        mean, reach = float(scores.mean()), 0.02 * size * (place > 0)
        train = mean + sign * size * 0.02 * place
        rows.append(
            {
                "name": name,
                "words": words,
                "train": train,
                "nested": mean,
                "gap": sign * (train - mean),
                "loss": 0.25 - 0.05 * place,
                "gain": 0.2 * place,
                "difference": 0.15 - 0.05 * place,
                "standard_error": 0.02,
                "p_value": 1.0 if place == 0 else 0.03 / place**4,
                "interval": [mean - reach, mean + reach],
                "scores": scores.tolist(),
                "metrics": {"accuracy": 0.9, "log_loss": 0.2} if classes else {"r2": 0.9, "rmse": 31234.5},
                "columns": [used + i % 3 * (place > 1) for i in range(15)],
            }
        )
    return rows


def out_of_fold(random: np.random.Generator, labels: tuple[Any, ...], learned: int, size: float) -> tuple[list, list]:
    """Truth and answers of every row."""
    if not labels:
        numbers = size * 10 * random.random(learned)
        return numbers.tolist(), (numbers + size * random.standard_normal(learned)).tolist()
    truth = random.integers(0, len(labels), learned)
    answers = random.dirichlet(np.ones(len(labels)), learned)
    answers[np.arange(learned), truth] += 2 * random.random(learned)
    return truth.tolist(), (answers / answers.sum(axis=1, keepdims=True)).tolist()


def study(
    names: list[str] = MEASURES,
    labels: tuple[Any, ...] = ("benign", "malignant"),
    learned: int = 456,
    metric: str | None = None,
    columns: list[dict[str, Any]] | None = None,
    seed: int = 0,
) -> dict[str, Any]:
    """A finished study of classes, or, without labels, of numbers."""
    random = np.random.default_rng(seed)
    metric = metric or ("accuracy" if labels else "r2")
    lower = metric in ("rmse", "log_loss")
    size = 25_000.0 if metric == "rmse" else 1.0
    folds = [{"name": f"repeat {i // 5 + 1} fold {i % 5 + 1}", "train": 365, "test": 91} for i in range(15)]
    selected = names[:4]
    rows = procedure_rows(random, bool(labels), lower, size)
    scores = rows[2]["scores"]
    truth, answers = out_of_fold(random, labels, learned, size)
    counts = np.bincount(truth, minlength=len(labels)).tolist() if labels else []
    words = f"4 of {len(names):,} columns carry the signal: {', '.join(selected)}. Expected {metric} on new rows 0.93."
    return {
        "tamis": "0.1.0",
        "schema": 1,
        "partial": False,
        "answer": {
            "words": words,
            "task": "classes" if labels else "numbers",
            "metric": metric,
            "score": float(np.mean(scores)),
            "interval": [float(np.mean(scores) - 0.02 * size), float(np.mean(scores) + 0.02 * size)],
            "baseline": rows[0]["nested"],
            "interval_note": "",
            "signal": "captured",
            "beats_baseline": True,
            "procedure": "tree",
            "tried": ["stump", "tree", "lasso"],
            "selected": selected,
            "contributions": dict(zip(selected, (0.5, 0.3, 0.15, 0.05))),
            "accuracy": [0.93, 0.63] if labels else None,
            "n_columns": len(names),
        },
        "data": {
            "digest": "5f" * 32,
            "rows": learned + 113,
            "learned": learned,
            "locked": 113,
            "without_target": 0,
            "columns": len(names),
            "target": "diagnosis",
            "classes": [{"label": label, "rows": n} for label, n in zip(labels, counts)],
            "rare": {"how": "keep", "classes": []} if labels else None,
        },
        "settings": settings(),
        "columns": columns if columns is not None else [decision(name) for name in names],
        "comparison": {
            "procedures": rows,
            "loss": "brier" if labels else "squared_error",
            "prefer": "balanced",
            "chosen": "tree",
            "best": "lasso",
            "signal": "captured",
            "p_value": 0.0004,
            "unlearned": 0,
            "interval_note": "",
            "judged": {"confusion": [[1, 0], [0, 1]]} if labels else None,
            "score": float(np.mean(scores)),
            "interval": [0.91, 0.95],
            "scores": scores,
            "promised": float(np.mean(scores)) + (-0.01 if lower else 0.01) * size,
            "optimism": 0.01 * size,
            "chosen_in_folds": ["tree"] * 11 + ["lasso"] * 4,
        },
        "stability": [
            {"name": name, "share": max(1, 15 - i) / 15, "selected": name in selected} for i, name in enumerate(names)
        ],
        "folds": folds,
        "model": (
            f"if {selected[0]} <= 16.8\n  if {selected[1]} <= 0.136: benign (0.97)\n  else: malignant (0.83)\n"
            "else: malignant (0.98)"
        ),
        "lock": lock(),
        "predictions": {"rows": list(range(learned)), "truth": truth, "answers": answers},
    }


def settings(**changed: Any) -> dict[str, Any]:
    usual = {
        "target": "diagnosis",
        "seed": 0,
        "task": None,
        "scoring": None,
        "lock": 0.2,
        "folds": None,
        "repeats": None,
    }
    more = {"inner": None, "groups": None, "time": None, "types": {}, "drop": [], "procedures": None}
    return {**usual, **more, **changed}


def lock(rows: int = 113) -> dict[str, Any]:
    reason = (
        f"{rows} of 569 rows are locked (by a keyed digest of their features); they are scored once, by `tamis open`"
    )
    return {"rows": rows, "share": 0.2, "how": "features", "reason": reason, "digest": "ab" * 32}


def stopped() -> dict[str, Any]:
    """A study stopped by Ctrl-C."""
    whole = study()
    return {
        "tamis": "0.1.0",
        "schema": 1,
        "partial": True,
        "finished": {"tasks": 12, "of": 61},
        "metric": "accuracy",
        "data": whole["data"],
        "settings": whole["settings"],
        "columns": whole["columns"],
        "so_far": [{"name": "baseline", "folds": 4, "nested": 0.63}, {"name": "tree", "folds": 3, "nested": 0.925}],
        "lock": whole["lock"],
    }


def plan(**changed: Any) -> dict[str, Any]:
    return {"source": "/data/breast cancer.csv", "query": None, "types": {}, "settings": settings(**changed)}


def opening(independent: bool = True, score: float = 0.94) -> dict[str, Any]:
    return {
        "when": "2026-03-01T12:30:05+00:00",
        "version": "0.1.0",
        "digest": "ab" * 32,
        "metric": "accuracy",
        "score": score,
        "interval": [0.88, 0.97],
        "rows": 113,
        "independent": independent,
        "note": "",
    }


@pytest.fixture
def made() -> Any:
    """The makers of made-up results, by name."""
    from types import SimpleNamespace

    return SimpleNamespace(
        study=study, stopped=stopped, plan=plan, opening=opening, decision=decision, lock=lock, HOSTILE=HOSTILE
    )
