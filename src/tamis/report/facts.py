"""Results become facts ready to show: sentences, tables of text, nothing left to compute for the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from tamis.report import show
from tamis.report.predictions import predictions
from tamis.report.reproduce import command, versions
from tamis.report.sentence import coded, marked, sentence
from tamis.report.table import Head, ReportTable, cell

if TYPE_CHECKING:
    from tamis.metrics import Metric

Results = dict[str, Any]

#: Rare classes named in a sentence.
MOST_RARE = 8

#: An answer of more characters than this is set smaller: it names many columns.
LONG_ANSWER = 240


def facts(results: Results, plan: dict[str, Any], openings: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    """Everything the page shows, as text.

    Parameters
    ----------
    results : as in results.json, finished or partial.
    plan : as in plan.json: the source and the settings.
    openings : lines of the ledger, oldest first.
    """
    shared = {
        "title": f"{show.name(results['data']['target'])} · Tamis report",
        "target": show.name(results["data"]["target"]),
        "metric": show.metric(_metric(results).name),
        "data": _data(results, plan),
        "lock": _lock(results, openings),
        "columns": _columns(results),
        "reproduce": _reproduce(results, plan),
    }
    if "answer" not in results:
        return {**shared, "partial": _partial(results)}
    return {
        **shared,
        "partial": None,
        "answer": _answer(results, openings),
        "procedures": _procedures(results),
        "optimism": _optimism(results),
        "predictions": predictions(results),
        "model": _model(results),
        "leaks": [
            {"word": leak["severity"], "parts": marked(leak["sentence"], leak["columns"])}
            for leak in results.get("leaks", [])
        ],
        "stability": _stability(results),
    }


def _metric(results: Results) -> Metric:
    from tamis.metrics.loss_matrix import metric_for  # brings scikit-learn, so only when a report is written

    name = results["answer"]["metric"] if "answer" in results else results["metric"]
    loss = results["settings"].get("loss")
    labels = [row["label"] for row in results["data"]["classes"]] or None
    return metric_for(name if loss is None else None, loss, labels)


def _answer(results: Results, openings: Sequence[dict[str, Any]]) -> dict[str, Any]:
    found = results["answer"]
    guess = "always the majority" if found["task"] == "classes" else "always the mean"
    if found["metric"] == "cost":
        guess = "the cheapest answer for all"
    picked = len(found["selected"])
    metric = show.metric(found["metric"])
    sure = f"95% interval {show.interval(found['interval'])}" if found["interval"] else found["interval_note"]
    cards = [
        ("Expected " + metric, show.number(found["score"]), sure),
        ("Baseline", show.number(found["baseline"]), guess),
        ("Columns used", f"{picked:,}", f"of {show.count(found['n_columns'], 'column')}"),
        _lock_card(results, openings),
    ]
    return {
        "parts": marked(found["words"], found["selected"]),
        "is_long": len(found["words"]) > LONG_ANSWER,
        "cards": [{"label": label, "value": value, "detail": detail} for label, value, detail in cards],
    }


def _lock_card(results: Results, openings: Sequence[dict[str, Any]]) -> tuple[str, str, str]:
    rows = results["lock"]["rows"]
    if not rows:
        return "Locked rows", "0", "no lock"
    first, times = _first(openings), _times(_opened(openings))
    if first is None:
        return "Locked rows", f"{rows:,}", times
    return f"First opening of {show.count(first['rows'], 'row')}", show.number(first["score"]), times


def _first(looks: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """The first look at the locked rows that scored them."""
    return next((look for look in looks if look["score"] is not None), None)


def _opened(looks: Sequence[dict[str, Any]]) -> int:
    """How many looks were openings; a prediction of the locked rows is none."""
    return sum(look.get("kind") != "predicted" for look in looks)


def _data(results: Results, plan: dict[str, Any]) -> dict[str, Any]:
    data = results["data"]
    lines = [
        f"{show.count(data['rows'], 'row')} and {show.count(data['columns'], 'column')} to learn from; "
        f"{show.count(data['learned'], 'row')} were learned from, {show.count(data['locked'], 'row')} are locked."
    ]
    if data["without_target"]:
        lines.append(f"{show.count(data['without_target'], 'unlocked row')} had no target and were left out.")
    lines += _rare(results)
    if plan.get("studies_here", 1) > 1:
        lines.append(f"This is the {show.ordinal(plan['studies_here'])} study of this table in this place.")
    total = sum(row["rows"] for row in data["classes"])
    rows = [
        [
            cell(show.name(row["label"]), name=True),
            cell(f"{row['rows']:,}", row["rows"]),
            cell(show.share(row["rows"] / total)),
        ]
        for row in data["classes"]
    ]
    heads = (Head("class"), Head("rows", number=True), Head("share", number=True))
    return {
        "sentences": lines,
        "classes": ReportTable("classes", "Rows learned from, by class", heads, rows) if rows else None,
    }


def _rare(results: Results) -> list[str]:
    """What became of rare classes, and how many judged rows were of a class their training part lacked."""
    rare = results["data"]["rare"]
    if not rare or not rare["classes"]:
        return []
    listed = ", ".join(f"{show.name(row['label'])} ({row['rows']:,})" for row in rare["classes"][:MOST_RARE])
    more = f" and {len(rare['classes']) - MOST_RARE:,} more" if len(rare["classes"]) > MOST_RARE else ""
    became = {
        "keep": "they are learned all the same",
        "merge": "they are read as one class",
        "drop": "their rows were left out",
    }[rare["how"]]
    said = [f"Rare classes, with fewer rows than folds: {listed}{more}; {became}."]
    unlearned = results["comparison"]["unlearned"] if "answer" in results else 0
    if unlearned:
        said.append(
            f"{show.count(unlearned, 'judged row')} had a class that the training part lacked: counted as wrong "
            "answers, left out of metrics of probabilities."
        )
    return said


def _lock(results: Results, openings: Sequence[dict[str, Any]]) -> dict[str, Any]:
    lock = results["lock"]
    rows = [_opening(place, opening) for place, opening in enumerate(openings, start=1)]
    heads = (
        Head("opening", number=True),
        Head("when"),
        Head("score", number=True),
        Head("95% interval"),
        Head("rows", number=True),
        Head("standing"),
        Head("note"),
    )
    return {
        "reason": coded(sentence(lock["reason"])),
        "locked": lock["rows"] > 0,
        "times": f"Opened {_times(_opened(openings)).removeprefix('opened ')}." if lock["rows"] else "",
        "openings": ReportTable("openings", "Every look at the locked rows", heads, rows).without_empty()
        if rows
        else None,
        "digest": lock["digest"] if lock["rows"] else "",
        "found": _found(results, openings),
    }


def _times(n: int) -> str:
    return {1: "opened once", 2: "opened twice"}.get(n, f"opened {n:,} times")


def _opening(place: int, opening: dict[str, Any]) -> list[Any]:
    standing = "independent" if opening["independent"] else "no longer independent"
    if opening["score"] is None:  # predicted, or a line of the ledger that cannot be read
        kind, rows = opening["kind"], opening["rows"]
        found = [cell(kind, 0), cell(""), cell("" if rows is None else f"{rows:,}", rows or 0), cell(kind, css="bad")]
    else:
        found = [
            cell(f"{show.number(opening['score'])} ({show.metric(opening['metric'])})", opening["score"]),
            cell(show.interval(opening["interval"])),
            cell(f"{opening['rows']:,}", opening["rows"]),
            cell(standing, css="good" if opening["independent"] else "bad"),
        ]
    return [
        cell(str(place), place),
        cell(_when(opening["when"]), opening["when"]),
        *found,
        cell(show.name(opening.get("note", ""))),
    ]


def _when(moment: str) -> str:
    try:
        return datetime.fromisoformat(moment).strftime("%d %B %Y, %H:%M %Z").strip()
    except ValueError:
        return show.name(moment)


def _found(results: Results, openings: Sequence[dict[str, Any]]) -> str:
    """Does the first opening agree with what the nested folds expected?"""
    first = _first(openings)
    if "answer" not in results or first is None or first["metric"] != results["answer"]["metric"]:
        return ""
    if first["interval"] is None or results["answer"]["score"] is None:
        return f"The first opening found {show.number(first['score'])}, on rows too few for an interval."
    low, high = first["interval"]
    expected = results["answer"]["score"]
    agrees = low <= expected <= high
    verb = "agrees with" if agrees else "does not agree with"
    return (
        f"The first opening found {show.number(first['score'])} ({show.interval([low, high])}), which {verb} the "
        f"expected {show.number(expected)}."
    )


#: The proper scores that procedures are compared by, in words.
LOSSES = {
    "brier": "Brier score",
    "log_loss": "smoothed log loss",
    "squared_error": "squared error",
    "cost": "mean cost",
}

#: What each preference asks of a simpler procedure.
PREFERENCES = {
    "simplest": "the simplest that loses no more than one standard error of the paired difference to the best",
    "balanced": "the simplest that loses no more than one standard error of the paired difference to the best and "
    "keeps 99% of the best's gain over the baseline",
    "best": "the best",
}


#: Metrics whose names would push a column out of the page.
SHORT = {"roc_auc": "ROC AUC", "balanced_accuracy": "balanced", "rare_recall": "recall, rarest"}


def _procedures(results: Results) -> dict[str, Any]:
    metric, compared = _metric(results), results["comparison"]
    listed = compared["procedures"]
    heads = (
        Head("procedure"),
        Head("train", number=True),
        Head("nested", number=True),
        Head("gap", number=True),
        Head("95% interval"),
        Head(LOSSES[compared["loss"]], number=True),
        Head("saved", number=True),
        Head("p", number=True),
        Head("columns", number=True),
    )
    rows = [_procedure(row, place, compared["chosen"]) for place, row in enumerate(listed)]
    return {
        "table": ReportTable("procedures", "Procedures compared, simplest first", heads, rows),
        "rule": f"{_rule(compared)} {_claim(compared)}",
        "chosen": compared["chosen"],
        "direction": sentence(f"{show.metric(metric.name)}: {'larger' if metric.larger else 'smaller'} is better"),
        "loss": sentence(
            f"{LOSSES[compared['loss']]}: smaller is better; saved: of the baseline's; p: that it is no better than "
            "the baseline, after Holm"
        ),
        "folds": _folds(results),
        "besides": _besides(listed),
        "told": [{"name": show.name(row["name"]), "words": sentence(show.name(row["words"]))} for row in listed],
    }


def _rule(compared: dict[str, Any]) -> str:
    scored = {row["name"]: row for row in compared["procedures"]}
    best, chosen = scored[compared["best"]], scored[compared["chosen"]]
    how = f"Procedures are compared by the {LOSSES[compared['loss']]} of rows they had not seen, row by row."
    found = f"Best: {best['name']}, {show.number(best['loss'], 4)}."
    if compared.get("chosen_by") == "person":
        asked = PREFERENCES[compared["prefer"]]
        return f"{how} {found} A person chose {chosen['name']}; the rule ({asked}) takes {compared['by_rule']}."
    if compared["signal"] == "none":
        return f"{how} {found} None can be told from the baseline, so the baseline is kept."
    if chosen["name"] == best["name"] == "baseline":
        return f"{how} {found} No procedure loses less than the baseline, so the baseline is kept."
    if chosen["name"] == best["name"]:
        return f"{how} {found} It is chosen, for no simpler one will do ({PREFERENCES[compared['prefer']]})."
    error = show.number(chosen["standard_error"], 4)
    behind = f"{show.number(chosen['difference'], 4)} behind the best, with a standard error of {error}"
    return f"{how} {found} Chosen is {PREFERENCES[compared['prefer']]}: {chosen['name']}, {behind}."


def _claim(compared: dict[str, Any]) -> str:
    p = show.p_value(compared["p_value"])
    whole = f"The whole way of working, the choice between procedures included, against the baseline: p {p}."
    if compared.get("by_black_box_alone"):
        return f"{whole} A black box beats the baseline beyond chance, no procedure tried does."
    return {
        "captured": whole,
        "uncaptured": f"{whole} Some procedure alone beats the baseline beyond chance, the choice between them not.",
        "none": f"{whole} No procedure tried beats the baseline beyond chance.",
    }[compared["signal"]]


def _procedure(row: dict[str, Any], place: int, chosen: str) -> list[Any]:
    columns = row["columns"]
    fewest, most = min(columns), max(columns)
    spread = f"{fewest:,}" if fewest == most else f"{fewest:,}–{most:,}"
    mark = "chosen" if row["name"] == chosen else ""
    is_baseline = place == 0
    return [
        cell(show.name(row["name"]), place, badge=mark),
        cell(show.number(row["train"]), row["train"]),
        cell(show.number(row["nested"]), row["nested"], css="strong"),
        cell(show.signed(row["gap"]), row["gap"]),
        cell(show.interval(row["interval"])),
        cell(show.number(row["loss"], 4), row["loss"]),
        cell("" if is_baseline else show.percent(row["gain"]), row["gain"]),
        cell("" if is_baseline else show.p_value(row["p_value"]).removeprefix("= "), row["p_value"]),
        cell(spread, sum(columns) / len(columns)),
    ]


def _folds(results: Results) -> str:
    folds = results["folds"]
    train, test = (sum(fold[part] for fold in folds) / len(folds) for part in ("train", "test"))
    return (
        f"{show.count(len(folds), 'fold')}: in each, every procedure learned from about {train:,.0f} rows, its "
        f"transforms, columns and strength included, and was judged on about {test:,.0f} others."
    )


def _besides(listed: list[dict[str, Any]]) -> ReportTable | None:
    """The other metrics, nested, for every procedure."""
    names = list(listed[0].get("metrics", {}))
    if not names:
        return None
    heads = (Head("procedure"), *(Head(SHORT.get(name, show.metric(name)), number=True) for name in names))
    rows = [
        [cell(row["name"], place), *(cell(show.number(row["metrics"][n]), row["metrics"][n]) for n in names)]
        for place, row in enumerate(listed)
    ]
    return ReportTable("besides", "Other metrics, nested", heads, rows)


def _optimism(results: Results) -> dict[str, Any]:
    compared = results["comparison"]
    promised, found, excess = compared["promised"], compared["score"], compared["optimism"]
    if excess is None:
        meaning = "one of them has no value on so few rows"
    elif excess > 0:
        meaning = f"the promise was too good by {show.number(excess)}"
    elif excess < 0:
        meaning = f"the promise was too modest by {show.number(-excess)}"
    else:
        meaning = "the promise was kept to the digit"
    picked = Counter(compared["chosen_in_folds"])
    chosen = [f"{name} {times:,}×" for name, times in picked.most_common()]
    return {
        "promised": show.number(promised),
        "found": show.number(found),
        "excess": show.signed(excess),
        "sentence": (
            f"Cross-validation inside the training parts promised {show.number(promised)}; rows that took no part in "
            f"the choice gave {show.number(found)}: {meaning}. {_quoted(compared)}"
        ),
        "picked": f"Inside the folds the same rule picked: {', '.join(chosen)}.",
    }


def _quoted(compared: dict[str, Any]) -> str:
    """Which of the scores is quoted above."""
    if compared.get("chosen_by") == "person":
        return f"That is the rule's way of working; quoted above is the nested score of {compared['chosen']} alone."
    if compared["chosen"] == "baseline":
        return "That is the way of working; quoted above is the nested score of the baseline, which is kept."
    return (
        "The expected score quoted above is the one found; it judges the choice between procedures too, so it can "
        "differ from the nested score of the chosen one."
    )


def _model(results: Results) -> dict[str, Any]:
    chosen = results["comparison"]["chosen"]
    words = {row["name"]: row["words"] for row in results["comparison"]["procedures"]}[chosen]
    learned = show.count(results["data"]["learned"], "unlocked row")
    return {
        "text": show.text(results["model"]),
        "sentence": f"{chosen}: {show.name(words)}. Fitted on all {learned}.",
        "contributions": _contributions(results["answer"]["contributions"]),
        "meaning": "What a column contributes: in a linear model, how much it moves the sum (standard deviation over "
        "the rows learned from); in trees, the improvement its questions bring. It says what the model uses, not what "
        "causes the target; columns that tell the same share it, or take it from each other.",
    }


def _contributions(shares: dict[str, float]) -> ReportTable | None:
    if not shares:
        return None
    heads = (Head("column"), Head("contribution", number=True))
    rows = [[cell(show.name(name), name=True), cell(show.share(share), share)] for name, share in shares.items()]
    return ReportTable("contributions", "What each column contributes to the model", heads, rows)


def _stability(results: Results) -> dict[str, Any]:
    listed, folds = results["stability"], len(results["folds"])
    heads = (Head("column"), Head("share of folds", number=True), Head("in the final model"))
    rows = [
        [
            cell(show.name(row["name"]), name=True),
            cell(show.share(row["share"]), row["share"]),
            cell("yes" if row["selected"] else "no", css="good" if row["selected"] else ""),
        ]
        for row in listed
    ]
    shown = f" The chart shows the first {show.MOST_BARS}." if len(listed) > show.MOST_BARS else ""
    always = sum(row["share"] == 1 for row in listed)
    if not listed:
        said = "The chosen procedure used no column in any fold."
    else:
        said = (
            f"Over {show.count(folds, 'fold')} the chosen procedure used "
            f"{show.count(len(listed), 'different column')}; {show.few(always)} of them in every fold. "
            f"A column that few folds agree on may owe its place to chance.{shown}"
        )
    return {"sentence": said, "table": ReportTable("stability", "Share of folds that used each column", heads, rows)}


def _columns(results: Results) -> dict[str, Any]:
    decided = results["columns"]
    kinds = Counter(row["kind"] for row in decided)
    used = Counter(row["kind"] for row in decided if row["used"])
    summary = [
        [
            cell(kind),
            cell(f"{n:,}", n),
            cell(f"{used[kind]:,}", used[kind]),
            cell(f"{n - used[kind]:,}", n - used[kind]),
        ]
        for kind, n in kinds.most_common()
    ]
    numbers = (Head(word, number=True) for word in ("columns", "used", "left out"))
    heads = (Head("column"), Head("kind"), Head("used"), Head("reason"), Head("note"))
    chosen = set(results["answer"]["selected"]) if "answer" in results else set()
    # What a reader looks for first: the columns of the model, then those with something to say.
    order = sorted(decided, key=lambda row: (row["name"] not in chosen, row["used"], not row["note"], row["name"]))
    aside = _aside(results)
    rows = [_decision(row, row["name"] in chosen, aside.get(row["name"], "")) for row in order]
    return {
        "summary": ReportTable("kinds", "Columns by kind", (Head("kind"), *numbers), summary),
        "table": ReportTable("columns", "Every column, its kind and the reason", heads, rows).without_empty(),
    }


def _aside(results: Results) -> dict[str, str]:
    """Columns that were read but not learned from, and what they are for instead."""
    settings = results["settings"]
    roles = {settings.get(role): role for role in ("groups", "time") if settings.get(role)}
    return {**dict.fromkeys(settings.get("drop") or (), "dropped"), **roles, results["data"]["target"]: "target"}


def _decision(row: dict[str, Any], chosen: bool, aside: str) -> list[Any]:
    return [
        cell(show.name(row["name"]), name=True, badge="in the model" if chosen else aside),
        cell(row["kind"]),
        cell("yes" if row["used"] and not aside else "no", css="" if row["used"] else "bad"),
        cell(show.name(row["reason"])),
        cell(show.name(row["note"])),
    ]


def _reproduce(results: Results, plan: dict[str, Any]) -> dict[str, Any]:
    by_command = plan.get("source") is not None
    line = command(plan)
    lines = [
        ("Tamis", results["tamis"]),
        ("seed", str(results["settings"]["seed"])),
        ("data digest", results["data"]["digest"]),
        ("report written with", ", ".join(f"{name} {number}" for name, number in versions().items())),
    ]
    return {
        "command": line,
        "what": "Same table, seed and version give a byte-identical results.json, on any number of threads."
        + ("" if by_command else " The table was handed over in memory: give the same frame again."),
        "lines": [{"label": label, "value": show.name(value)} for label, value in lines],
    }


def _partial(results: Results) -> dict[str, Any]:
    done = results["finished"]
    heads = (Head("procedure"), Head("folds so far", number=True), Head("nested so far", number=True))
    rows = [
        [
            cell(show.name(row["name"])),
            cell(f"{row['folds']:,}", row["folds"]),
            cell(show.number(row["nested"]), row["nested"]),
        ]
        for row in results["so_far"]
    ]
    return {
        "banner": f"PARTIAL: {done['tasks']:,} of {done['of']:,} tasks finished",
        "sentence": "The run was stopped. Nothing is chosen yet and no score is promised; the same command resumes it.",
        "table": ReportTable("partial", "Nested scores so far", heads, rows) if rows else None,
    }
