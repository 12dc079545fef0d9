"""What a study answers of a checklist: sentences from results, plan and ledger, each with its place in the report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from tamis.report import show
from tamis.report.checklist.items import CHECKLISTS, Item
from tamis.report.reproduce import command, versions
from tamis.results.results import Results
from tamis.wording import first_few


@dataclass(frozen=True)
class StudyFacts:
    """What a study left behind: results.json, plan.json, the lines of its ledger, and its methods paragraph."""

    results: Results
    plan: dict[str, Any]
    looks: Sequence[dict[str, Any]]
    methods: str


@dataclass(frozen=True)
class FilledItem:
    """An item with its answer; `section` is the section of the report, "" where a person must answer."""

    item: Item
    answer: str = ""
    section: str = ""

    @property
    def is_open(self) -> bool:
        """Whether a person must answer."""
        return not self.answer


def filled(name: str, facts: StudyFacts) -> list[FilledItem]:
    """All items of a checklist; those that the study cannot answer are open."""
    items = []
    for item in CHECKLISTS[name].items:
        text, section = _ANSWERS[item.fact](facts) if item.fact else ("", "")
        items.append(FilledItem(item, text, section if text else ""))
    return items


Answer = tuple[str, str]


def _objective(facts: StudyFacts) -> Answer:
    validations = _validations(facts)
    evaluation = f" and evaluation on {show.count(len(validations), 'other table')}" if validations else ""
    return f"Development of a prediction model for {facts.results.data.target}{evaluation}.", "answer"


def _source(facts: StudyFacts) -> Answer:
    source = facts.plan.get("source") or "a table in memory"
    if "://" not in source:  # the folders above a file are nobody else's business
        source = PurePath(source).name
    return f"{source}; digest of the data {facts.results.data.digest}.", "sheet"


def _left_out(facts: StudyFacts) -> Answer:
    data = facts.results.data
    sentence = f"{data.rows:,} rows were read; {data.without_target:,} without a target were left out"
    merged = (data.rare or {}).get("how")
    dropped = merged == "drop" and (data.rare or {}).get("classes")
    return (
        f"{sentence}{'; rows of rare classes were left out' if dropped else ''}. Add the criteria of inclusion.",
        "which",
    )


def _preparation(facts: StudyFacts) -> Answer:
    aside = [row for row in facts.results.columns if not row["used"]]
    left = "; ".join(f"{row['name']}: {row['reason']}" for row in aside[:20])
    warned = [leak["sentence"] for leak in facts.results.leaks]
    return " ".join(
        [
            f"Columns left out: {left}." if left else "No column was left out.",
            *(f"Checked: {sentence}." for sentence in warned),
            *(f"{remark}." for remark in facts.results.reading or ()),
        ]
    ), "which"


def _outcome(facts: StudyFacts) -> Answer:
    answer, data = facts.results.answer, facts.results.data
    classes = ", ".join(f"{row['label']} ({row['rows']:,} rows)" for row in data.classes)
    kind = f"classes {classes}" if classes else f"a number ({answer.task})"
    return f"{data.target}: {kind}. Add how it was determined.", "which"


def _predictors(facts: StudyFacts) -> Answer:
    used = [row for row in facts.results.columns if row["used"] and row["name"] != facts.results.data.target]
    names = first_few([row["name"] for row in used], 30)
    return f"{show.count(facts.results.data.columns, 'candidate column')}: {names}.", "which"


def _sample_size(facts: StudyFacts) -> Answer:
    told = (facts.results.findings.get("learning") or {}).get("forecast") or {}
    words = f" {told['words']}" if told.get("gain") is not None else ""
    return f"{_events(facts)[0]} No target size was given to the study; `tamis size` computes one.{words}", "which"


def _missing(facts: StudyFacts) -> Answer:
    return (
        "Rows with missing values were kept. Missing values were handled inside every training part, by the model or "
        "by values learned there.",
        "which",
    )


def _partition(facts: StudyFacts) -> Answer:
    data, plan = facts.results.data, facts.results.plan
    lock = (
        f"{data.locked:,} rows were set aside before anything was learned" if data.locked else "No rows were set aside"
    )
    repeats = "" if plan["repeats"] == 1 else f", drawn {plan['repeats']} times"
    return (
        f"{lock}; {data.learned:,} rows were used in {plan['folds']} outer folds{repeats}, with {plan['inner']} "
        "inner folds for every choice. Every prediction that was judged is of a model that had not seen the row.",
        "sheet",
    )


def _transformation(facts: StudyFacts) -> Answer:
    transform = facts.results.settings.get("transform")
    first = f"Before the models: {transform}. " if transform else ""
    return (
        f"{first}Numbers were used as numbers and categories as categories; scales, fill-in values and joined levels "
        "were learned in every training part alone.",
        "model",
    )


def _building(facts: StudyFacts) -> Answer:
    return facts.methods, "compared"


def _clusters(facts: StudyFacts) -> Answer:
    settings, equal = facts.results.settings, facts.results.data.equal_rows
    groups, time = settings.get("groups"), settings.get("time")
    sentences = [
        f"Rows of one {groups} stayed together in all folds." if groups else "Rows were taken to be independent.",
        f"Rows were judged in the order of {time}." if time else "",
        f"{equal['rows']:,} rows equal another row; they stayed together." if equal else "",
    ]
    return " ".join(sentence for sentence in sentences if sentence), "sheet"


def _measures(facts: StudyFacts) -> Answer:
    answer = facts.results.answer
    more = "calibration (intercept, slope, curve)" if facts.results.validity else ""
    benefit = (facts.results.validity or {}).get("net_benefit")
    besides = ", ".join(phrase for phrase in (more, "net benefit" if benefit else "") if phrase)
    return (
        f"{answer.metric} is quoted; procedures were compared by the {facts.results.comparison.loss} of "
        f"held-out rows{f'; also {besides}' if besides else ''}.",
        "performance",
    )


def _imbalance(facts: StudyFacts) -> Answer:
    classes = facts.results.data.classes
    if not classes:
        return "Not applicable: the target is a number.", "which"
    counts = ", ".join(f"{row['label']} {row['rows']:,}" for row in classes)
    if isinstance(facts.results.settings.get("procedures"), dict):
        return f"Classes: {counts}. Say what your procedures do about it.", "which"
    return f"Classes: {counts}. No rows were resampled or weighted.", "which"


def _subgroups(facts: StudyFacts) -> Answer:
    groups = (facts.results.validity or {}).get("subgroups")
    if not groups or not groups["records"]:
        return "", ""
    columns = list(dict.fromkeys(record["column"] for record in groups["records"]))
    differing = [f"{record['column']} = {record['level']}" for record in groups["records"] if record["differs"]]
    outcome = f"These differ beyond chance: {', '.join(differing)}." if differing else "None differs beyond chance."
    return f"Score and calibration were judged by {', '.join(columns)}. {outcome}", "validity"


def _output(facts: StudyFacts) -> Answer:
    if not facts.results.data.classes:
        return "A number, with an interval for new rows.", "model"
    costs = "of least expected cost" if facts.results.settings.get("loss") else "of the largest probability"
    return f"A probability of every class; the predicted class is the one {costs}.", "performance"


def _drift(facts: StudyFacts) -> Answer:
    validations = _validations(facts)
    return " ".join(
        f"{look['note'].capitalize()} ({look['rows']:,} rows): {look['metric']} {look['score']:.3g}."
        for look in validations
        if look["score"] is not None
    ), "sheet"


def _code(facts: StudyFacts) -> Answer:
    return f"Tamis {facts.results.tamis}: {command(facts.plan)}", "sheet"


def _environment(facts: StudyFacts) -> Answer:
    return ", ".join(f"{name} {version}" for name, version in versions().items()), "sheet"


def _flow(facts: StudyFacts) -> Answer:
    data = facts.results.data
    return (
        f"{data.rows:,} rows: {data.learned:,} for training and {data.locked:,} set aside; "
        f"{data.without_target:,} had no target.",
        "which",
    )


def _characteristics(facts: StudyFacts) -> Answer:
    return "The table of columns and the cards of the model's columns show their values by target.", "which"


def _events(facts: StudyFacts) -> Answer:
    data = facts.results.data
    classes = "; ".join(f"{row['label']}: {row['rows']:,}" for row in data.classes)
    return f"{data.learned:,} rows for training{f' ({classes})' if classes else ''}.", "which"


def _model(facts: StudyFacts) -> Answer:
    answer = facts.results.answer
    columns = ", ".join(answer.selected[:20])
    return f"{str(answer.kind).capitalize()} of {columns}; in full in the report and in model.json.", "drawing"


def _performance(facts: StudyFacts) -> Answer:
    answer = facts.results.answer
    words = (facts.results.validity or {}).get("words") or []
    return " ".join([answer.words, *words]), "performance"


def _use(facts: StudyFacts) -> Answer:
    return (
        "Missing values are handled as in training; `tamis predict` flags rows that are unlike the training rows and "
        "levels that were never seen.",
        "model",
    )


def _choice(facts: StudyFacts) -> Answer:
    prefers_readable = facts.results.settings["prefer"] != "best"
    first = "A readable model on few columns was preferred" if prefers_readable else "Black boxes could be chosen, too"
    return f"{first}. {facts.methods}", "compared"


def _baseline(facts: StudyFacts) -> Answer:
    answer = facts.results.answer
    value = "no value" if answer.baseline is None else f"{answer.metric} {answer.baseline:.3g}"
    boxes = ", ".join(answer.black_boxes)
    return (
        f"A baseline that looks at no column: {value}.{f' Black boxes beside it: {boxes}.' if boxes else ''}",
        "compared",
    )


def _leakage(facts: StudyFacts) -> Answer:
    return (
        "Transformations, selection and tuning were learned in every training part alone; the information sheet lists "
        "each kind of leakage.",
        "sheet",
    )


def _legitimate(facts: StudyFacts) -> Answer:
    questions = [leak["sentence"] for leak in facts.results.leaks if leak["kind"] in ("predicts", "dominant")]
    if not questions:
        return "", ""
    return f"{' '.join(questions)} A person must judge this.", "warnings"


def _tests(facts: StudyFacts) -> Answer:
    p = facts.results.comparison.p_value
    return f"The model against the baseline, on held-out rows paired by row: p = {p:.2g}.", "compared"


def _optimism(facts: StudyFacts) -> Answer:
    compared = facts.results.comparison
    if compared.optimism is None:
        return _leakage(facts)
    return (
        f"Nested cross-validation: the inner estimate was {compared.inner_score:.3g}, the nested one "
        f"{compared.score:.3g}, which is quoted.",
        "compared",
    )


def _validations(facts: StudyFacts) -> list[dict[str, Any]]:
    """The last validation on each table."""
    return list({look["digest"]: look for look in facts.looks if look["kind"] == "validated"}.values())


_ANSWERS: dict[str, Callable[[StudyFacts], Answer]] = {
    "objective": _objective,
    "source": _source,
    "left_out": _left_out,
    "preparation": _preparation,
    "outcome": _outcome,
    "predictors": _predictors,
    "sample_size": _sample_size,
    "missing": _missing,
    "partition": _partition,
    "transformation": _transformation,
    "building": _building,
    "clusters": _clusters,
    "measures": _measures,
    "imbalance": _imbalance,
    "subgroups": _subgroups,
    "output": _output,
    "drift": _drift,
    "code": _code,
    "environment": _environment,
    "flow": _flow,
    "characteristics": _characteristics,
    "events": _events,
    "model": _model,
    "performance": _performance,
    "use": _use,
    "choice": _choice,
    "baseline": _baseline,
    "leakage": _leakage,
    "legitimate": _legitimate,
    "tests": _tests,
    "optimism": _optimism,
}
