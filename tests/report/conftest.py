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
                "train_score": train,
                "score": mean,
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


def paths(rows: list[dict[str, Any]], size: float) -> list[dict[str, Any]]:
    """The tree and the lasso held to fewer columns, and a forest whose columns were halved."""

    def points(near: float, sizes: tuple[int, ...], loss: float | None) -> list[dict[str, Any]]:
        return [
            {"max_columns": k, "columns": k - 0.25, "score": near - 0.03 * size / k, "loss": loss and loss + 0.01 / k}
            for k in sizes
        ]

    return [
        {"procedure": "tree", "rows": "outer", "points": points(rows[2]["score"], (1, 2, 3, 5), 0.15)},
        {"procedure": "lasso", "rows": "outer", "points": points(rows[3]["score"], (1, 2, 3, 5, 8), 0.1)},
        {"procedure": "forest", "rows": "inner", "points": points(rows[3]["score"], (5, 12), None)},
    ]


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
    results = {
        "tamis": "0.1.0",
        "schema": 3,
        "partial": False,
        "answer": {
            "words": words,
            "task": "classification" if labels else "regression",
            "metric": metric,
            "score": float(np.mean(scores)),
            "interval": [float(np.mean(scores) - 0.02 * size), float(np.mean(scores) + 0.02 * size)],
            "baseline": rows[0]["score"],
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
            "n_unlearned": 0,
            "interval_note": "",
            "diagnostics": {"confusion": [[1, 0], [0, 1]]} if labels else None,
            "score": float(np.mean(scores)),
            "interval": [0.91, 0.95],
            "scores": scores,
            "inner_score": float(np.mean(scores)) + (-0.01 if lower else 0.01) * size,
            "optimism": 0.01 * size,
            "chosen_in_folds": ["tree"] * 11 + ["lasso"] * 4,
        },
        "frontier": [
            {
                "procedure": row["name"],
                "columns": float(np.mean(row["columns"])),
                **{key: row[key] for key in ("score", "interval", "loss")},
                "chosen": row["name"] == "tree",
            }
            for row in rows
        ],
        "paths": paths(rows, size),
        "stability": [
            {"name": name, "fraction": max(1, 15 - i) / 15, "selected": name in selected}
            for i, name in enumerate(names)
        ],
        "plan": {"folds": 5, "repeats": 3, "inner": 5},
        "folds": folds,
        "model": (
            f"if {selected[0]} <= 16.8\n  if {selected[-1]} <= 0.136: benign (0.97)\n  else: malignant (0.83)\n"
            "else: malignant (0.98)"
        ),
        "lock": lock(),
        "predictions": {"rows": list(range(learned)), "truth": truth, "answers": answers},
    }
    results["findings"] = findings(results)
    return results


def findings(results: dict[str, Any], seed: int = 0) -> dict[str, Any]:
    """What a study of a tree with three questions finds out about the columns of made-up results."""
    random = np.random.default_rng(seed)
    names = [row["name"] for row in results["stability"]]
    selected, labels = results["answer"]["selected"], [str(row["label"]) for row in results["data"]["classes"]]
    shown = labels if len(labels) <= 6 else labels[:5]
    outputs = 1 if len(labels) in (0, 2) else len(shown)
    d, bars = len(names), 8
    p_values = np.sort(random.random(d) ** 4)
    points = np.linspace(0, 8, 11)
    cards = []
    for place, name in enumerate(selected):
        spread: dict[str, Any] = {"edges": np.linspace(0, 8, bars + 1).tolist(), "missing": place, "tails": 0}
        spread["rows"] = [10 + k for k in range(bars)]
        if labels:
            groups = len(shown) + (len(shown) < len(labels))
            spread["counts"] = random.integers(0, 9, (groups, bars)).tolist()
        else:
            spread |= {"low": [1.0 * k for k in range(bars)], "middle": [k + 1.0 for k in range(bars)]}
            spread["high"] = [k + 2.0 for k in range(bars)]
        if place == 1:
            del spread["edges"]
            spread |= {"levels": [f"{name} {k}" for k in range(bars)], "others": 0}
        curve = [(0.02 * (points - 4) / (k + 1)).tolist() for k in range(outputs)]
        folds = [[[value * factor for value in line] for line in curve] for factor in (0.5, 1.0, 1.5)]
        levels = spread.get("levels")
        at = points if levels is None else np.arange(bars)
        cut = [line[: len(at)] for line in curve]
        cards.append(
            {
                "name": name,
                "distribution": spread,
                "effect": {
                    "points": at.tolist(),
                    "levels": levels,
                    "final": cut,
                    "folds": [[line[: len(at)] for line in fold] for fold in folds] + [None],
                },
            }
        )
    return {
        "columns": {
            "name": names,
            "strength": (1 - p_values).tolist(),
            "p_value": p_values.tolist(),
            "direction": [1 if k % 2 else 0 for k in range(d)],
            "missing": [0.25 if k == 1 else 0.0 for k in range(d)],
            "information": (0.3 * (1 - p_values)).tolist(),
            "relief": None,
        },
        "stability": {"index": 0.62, "interval": [0.5, 0.74], "min_columns": 4, "max_columns": 6},
        "interchangeable": [{"columns": names[:3], "used": 2, "least": 0.912}],
        "interactions": {
            "columns": d,
            "rows": 400,
            "draws": 99,
            "alpha": 0.05,
            "pairs": [{"first": names[0], "second": names[-1], "share": 0.12, "p_value": 0.025}],
        },
        "classes": shown,
        "cards": cards,
        "terms": {"final": None, "folds": [None] * 15},
        "complexity": {
            "tree": [{"by": "leaves", "size": [1, 2, 4, 9], "error": [1.0, 0.5, 0.4, 0.45], "chosen": 4}] * 3,
            "forest": [{"by": "trees", "size": [1, 10, 200], "error": [0.2, 0.1, 0.09], "chosen": 200}] * 3,
        },
        "path": None,
        "final_complexity": None,
        "readable": readable_tree(selected, labels),
    }


def readable_tree(selected: list[str], labels: list[str]) -> dict[str, Any] | None:
    """Three questions about three columns: two numbers and one of two levels."""
    if len(selected) < 3:
        return None
    k = max(len(labels), 1)

    def value(which: int) -> list[float]:
        if not labels:
            return [float(which)]
        return [0.9 if c == which % k else 0.1 / max(k - 1, 1) for c in range(k)]

    def split(rows: int, column: int, children: list[int], replies: list[str], **more: Any) -> dict[str, Any]:
        asked = {"column": column, "question": selected[column], "children": children, "replies": replies}
        return {"rows": rows, "value": value(0), "default": 0, **asked, **more}

    nodes = [
        split(456, 0, [1, 4], ["≤ 4", "> 4"], threshold=4.0),
        split(300, 1, [2, 3], ["≤ 2.5", "> 2.5"], threshold=2.5),
        {"rows": 200, "value": value(0)},
        {"rows": 100, "value": value(1)},
        split(156, 2, [5, 6], ["in {no}", "in {yes}"], threshold=None, sides={"no": 0, "yes": 1}),
        {"rows": 56, "value": value(0)},
        {"rows": 100, "value": value(1)},
    ]
    numbers = [
        {"name": name, "kind": "numeric", "levels": None, "low": 0.0, "high": 8.0, "whole": False} for name in selected
    ]
    numbers[2] = {"name": selected[2], "kind": "categorical", "levels": ["no", "yes"]}
    presets = [{"of": "all rows", "values": [3.0, 2.0, 0.0, 1.0][: len(selected)]}]
    presets.append({"of": labels[-1] if labels else "its upper third", "values": [6.0, 5.0, 1.0, 1.0][: len(selected)]})
    loss = (1 - np.eye(k)).tolist() if labels else None
    return {
        "kind": "tree",
        "nodes": nodes,
        "classes": list(range(k)) if labels else None,
        "loss": loss,
        "labels": labels,
        "columns": numbers,
        "presets": presets,
    }


def lasso(results: dict[str, Any]) -> dict[str, Any]:
    """The same results, were a lasso the model: terms over folds, a path, a model that a page can compute."""
    selected = results["answer"]["selected"]
    final = {"names": selected, "coef": [[2.0, -0.5, 0.25, 0.0][: len(selected)]], "intercept": [-1.0], "left": 0}
    fold = {"names": selected[:1], "coef": [[1.0]], "intercept": [0.0], "left": 0}
    found = results["findings"]
    found["terms"] = {"final": final, "folds": [final] * 2 + [fold]}
    found["path"] = {
        "alpha": [1.0, 0.1, 0.01],
        "columns": [0, 1, len(selected)],
        "error": [0.6, 0.4, 0.3],
        "standard_error": [0.02, 0.02, 0.02],
        "chosen": 2,
        "names": selected,
        "terms": [[0.0, 0.5 * k, 1.0] for k in range(len(selected))],
        "left": 0,
    }
    tree = found["readable"]
    terms = [{"column": 0, "level": None, "coef": [0.5]}, {"column": 2, "level": "yes", "coef": [-1.5]}]
    two = len(tree["labels"]) == 2
    found["readable"] = {
        "kind": "linear",
        "terms": terms,
        "intercept": [-1.0],
        "link": "logistic" if two else "identity",
        "classes": [0, 1] if two else None,
        **{key: tree[key] for key in ("labels", "columns", "presets")},
    }
    return results


def ladder(results: dict[str, Any]) -> dict[str, Any]:
    """The same results with a ladder of four rungs and a black box, and the price of reading."""
    names = [row["name"] for row in results["stability"]]
    kinds = [("small-tree", 1), ("small-tree", 2), ("formula", 3), ("additive", 5)]
    rungs = [
        {
            "columns": k,
            "procedure": kind,
            "label": {"small-tree": "tree", "additive": "curves"}.get(kind, ""),
            "words": f"{kind} of {k}",
            "selected": names[:k],
            "score": 0.95 - 0.1 / k,
            "interval": [0.93 - 0.1 / k, 0.97 - 0.1 / k],
            "loss": 0.1,
            "better": k != 5,
            "chosen": k == 3,
            "black_box": False,
        }
        for kind, k in kinds
    ]
    box = {"columns": len(names), "procedure": "boosting", "words": "gradient boosting", "selected": [], "score": 0.955}
    rungs.append({**box, "interval": None, "loss": 0.1, "better": False, "chosen": False, "black_box": True})
    price = {"black_box": "boosting", "score": 0.955, "quoted_score": 0.917, "difference": 0.038, "interval": None}
    results["answer"]["price"] = {**price, "better": "neither", "words": "Reading costs nothing that can be measured."}
    results["ladder"] = rungs
    return results


def additive(results: dict[str, Any]) -> dict[str, Any]:
    """The same results, were an additive model the model: a curve of a number, one of a category, and their map."""
    tree, n_sums = (
        results["findings"]["readable"],
        max(1, len(results["data"]["classes"]) * (len(results["data"]["classes"]) > 2)),
    )

    def height(value: float) -> list[float]:
        return [value / (k + 1) for k in range(n_sums)]

    number = {"column": 0, "edges": [2.0, 4.0], "bins": None, "n_bins": 3}
    category = {"column": 2, "edges": None, "bins": {"no": 0, "yes": 1}, "n_bins": 2}
    curves = [
        {"axes": [number], "heights": [height(h) for h in (-1.0, 0.25, 1.5, 0.5)], "weight": [1.0, 2.0, 1.0, 1.0]},
        {"axes": [category], "heights": [height(h) for h in (-0.5, 0.75, 0.0)], "weight": [2.0, 3.0, 0.0]},
    ]
    for curve in curves:
        curve["spread"] = [[0.1] * n_sums for _ in curve["heights"]]
    cells = [[height(0.1 * (k + 1) * (q - 0.5)) for q in range(3)] for k in range(4)]
    pair = {"axes": [number, category], "heights": cells, "weight": [[1.0, 1.0, 0.0]] * 4, "p_value": 0.01}
    labels = tree["labels"]
    results["findings"]["readable"] = {
        "kind": "additive",
        "curves": curves,
        "pairs": [pair],
        "intercept": height(-0.25),
        "link": "identity" if not labels else "logistic" if len(labels) == 2 else "softmax",
        "classes": list(range(len(labels))) if labels else None,
        **{key: tree[key] for key in ("labels", "columns", "presets")},
    }
    return results


def card(results: dict[str, Any]) -> dict[str, Any]:
    """The same results, were a score card of three statements the model."""
    tree, selected = results["findings"]["readable"], results["answer"]["selected"]
    asked = [(0, "above", 4.0, 3), (2, "is", "yes", 2), (1, "at most", 2.5, -1)]
    results["findings"]["readable"] = {
        "kind": "card",
        "statements": [
            {"column": k, "test": test, "value": value, "words": f"{selected[k]} {test} {value}", "points": points}
            for k, test, value, points in asked
        ],
        "risk": {"total": [-1, 0, 2, 5], "prediction": [0.1, 0.2, 0.5, 0.9], "n_rows": [10, 20, 30, 40]},
        "intercept": [-1.0],
        "slope": 0.5,
        "link": "logistic" if tree["labels"] else "identity",
        "classes": [0, 1] if tree["labels"] else None,
        **{key: tree[key] for key in ("labels", "columns", "presets")},
    }
    return results


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
    reason = f"{rows} of 569 rows were set aside as a test set"
    return {"rows": rows, "fraction": 0.2, "how": "features", "reason": reason, "digest": "ab" * 32}


def stopped() -> dict[str, Any]:
    """A study stopped by Ctrl-C."""
    whole = study()
    return {
        "tamis": "0.1.0",
        "schema": 3,
        "partial": True,
        "finished": {"tasks": 12, "of": 61},
        "metric": "accuracy",
        "data": whole["data"],
        "settings": whole["settings"],
        "columns": whole["columns"],
        "so_far": [{"name": "baseline", "folds": 4, "score": 0.63}, {"name": "tree", "folds": 3, "score": 0.925}],
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
        study=study,
        lasso=lasso,
        ladder=ladder,
        additive=additive,
        card=card,
        stopped=stopped,
        plan=plan,
        opening=opening,
        decision=decision,
        lock=lock,
        HOSTILE=HOSTILE,
    )
