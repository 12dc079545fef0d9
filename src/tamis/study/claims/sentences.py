"""The answer of a study as sentences: nothing in them may be false, in either direction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tamis.study.claims.held_out import RANKING_SHARE
from tamis.study.claims.price import BLACK_BOXES, UNQUOTABLE, is_dear, price, spoken, the_procedure
from tamis.task import predicts_classes

#: Columns named in the sentence at most; the report lists the others.
MOST_NAMED = 8

#: Where the first columns make up less than this share, naming them would say that they matter more than others.
STANDS_OUT = 0.1

#: Of columns that a test shows alone.
MOST_ASSOCIATED = 3

#: Up to this, a p-value of columns alone that shows no signal is told beside the denial.
BORDERLINE = 0.05

#: The recall of every class is said where that of one is below this.
LOW_RECALL = 0.5

#: Of fewer rows of a class a denial is qualified: an area under the ROC curve of 0.9 is missed in a tenth of tables.
FEW_ROWS = 10

#: Level of the test that probabilities must pass to be called better than the shares of the classes.
BETTER = 0.05

#: Forecasts from earlier targets alone, as they are said.
NAIVE = {
    "last value": "always guessing the last value",
    "drift": "continuing the drift of earlier values",
    "recent shares": "the recent shares of the classes",
    "season": "repeating the season of earlier values",
}


def answer(facts: dict[str, Any]) -> str:
    """The answer in words, from the facts of results.json.

    >>> answer({"contributions": {"age": 0.7, "bmi": 0.3}, "n_columns": 8, "metric": "accuracy", "score": 0.95,
    ...         "interval": [0.92, 0.97], "baseline": 0.63, "task": "classification", "signal": "captured",
    ...         "procedure": "lasso", "tried": ["lasso"], "accuracy": [0.95, 0.63], "interval_note": "",
    ...         "target": "diagnosis", "kind": "a formula of 2 terms", "majority": "benign"})
    'Two columns predict diagnosis: age and bmi (a formula of 2 terms). On new rows the model should be right in 95 of \
100 cases (95% interval 92–97); always answering "benign" is right in 63.'
    """
    done = facts.get("finished")
    partial = f"Partial, from {done['folds']} of {done['of']} folds: " if done and done["folds"] < done["of"] else ""
    if facts.get("chosen_by") == "person":
        said = [_person(facts), _columns(facts), _expected(facts), _own_score(facts)]
    elif facts["signal"] == "none":
        said = [_nothing(facts), _expected(facts)]
    elif facts["signal"] == "uncaptured":
        said = [_uncaptured(facts), _columns(facts), _expected(facts)]
    else:
        said = [_columns(facts), _expected(facts)]
    if is_dear(facts):  # right after what predicts the target
        said.insert(1 + said.index(_columns(facts)), price(facts))
    else:
        said.append(price(facts))
    return stop_words(facts) + partial + " ".join(part for part in (question(facts), *said) if part)


def question(facts: dict[str, Any]) -> str:
    """What is asked about a column that alone reaches what the model does; empty where there is none.

    >>> question({"metric": "accuracy", "dominant": {"column": "Discharge status", "score": 0.9751}})
    'Discharge status alone reaches an accuracy of 0.975. Was it known beforehand?'
    """
    column = facts.get("dominant")
    if column is None or column["score"] is None:
        return ""
    metric = spoken(facts["metric"])
    article = "an" if metric[0] in "aeiouR" else "a"
    return (
        f"{_seen(column['column'])} alone reaches {article} {metric} of {_three(column['score'])}. "
        "Was it known beforehand?"
    )


def stop_words(facts: dict[str, Any]) -> str:
    """What voids the score, with a space at its end; empty where nothing does.

    >>> stop_words({"stops": ["Do not quote this score: column 'x' is the target", "…"]})
    "Do not quote this score: column 'x' is the target (and 1 more reason; see the warnings). "
    """
    stops = facts.get("stops") or []
    if not stops:
        return ""
    rest = len(stops) - 1
    more = f" (and {rest} more reason{'' if rest == 1 else 's'}; see the warnings)" if rest else ""
    return f"{stops[0]}{more}{'' if stops[0].endswith('?') and not rest else '.'} "


def _person(facts: dict[str, Any]) -> str:
    """Who chose, what the rule would have taken, and what may be claimed whatever was chosen."""
    taken, usual = the_procedure(facts["procedure"]), the_procedure(facts["by_rule"])
    same = facts["procedure"] == facts["by_rule"]
    rule = "as the rule does" if same else f"the rule ({facts['prefer']}) takes {usual}"
    said = f"A person chose {taken} when the scores had been seen; {rule}."
    return f"{said} {_nothing(facts)}" if facts["signal"] == "none" else said


def _own_score(facts: dict[str, Any]) -> str:
    """What the score of a procedure that a person chose is, and is not."""
    if facts["score"] is None or facts["procedure"] == "baseline":
        return ""
    return (
        "That is this procedure's own score in the outer folds; one that was taken because it looked good there will "
        "tend to do somewhat worse."
    )


def _nothing(facts: dict[str, Any]) -> str:
    n_columns = facts["n_columns"]
    who = "The column does not predict" if n_columns == 1 else f"None of the {n_columns:,} columns predicts"
    tested = "alone or " if facts.get("association") else ""
    if tested and facts["association"]["p_value"] <= BORDERLINE:
        p, level = facts["association"]["p_value"], facts["association"]["level"]
        tested = f"alone (smallest adjusted p = {p:.2f}, more than the {level} asked for) or "
    return (
        f"{who} {_seen(facts.get('target', 'the target'))} measurably better than chance, {tested}in any model tried "
        f"({', '.join([*facts['tried'], *facts.get('black_boxes', ())])})."
        f"{_best_by_chance(facts)}{_few_rows(facts)}"
    )


def _few_rows(facts: dict[str, Any]) -> str:
    """That a denial means little where a class has few rows.

    >>> _few_rows({"recalls": [{"label": "no", "rows": 194}, {"label": "yes", "rows": 6}]})
    ' With only 6 rows of yes, even a strong signal is often missed.'
    """
    rarest = min(facts.get("recalls") or [], key=lambda row: row["rows"], default=None)
    if rarest is None or rarest["rows"] >= FEW_ROWS:
        return ""
    rows = "1 row" if rarest["rows"] == 1 else f"{rarest['rows']} rows"
    return f" With only {rows} of {rarest['label']}, even a strong signal is often missed."


def _best_by_chance(facts: dict[str, Any]) -> str:
    """A procedure whose own interval lies above chance, though the best of several does so by chance."""
    best = facts.get("above_chance")
    if best is None:
        return ""
    low, high = best["interval"]
    return (
        f" The best of them, {the_procedure(best['name'])}, has {_an(facts['metric'])} of {_two(best['score'])} (95% "
        f"interval {_two(low)}–{_two(high)}); the best of {len(facts['tried'])} often has as much by chance."
    )


def _uncaptured(facts: dict[str, Any]) -> str:
    if facts.get("by_bound_alone"):
        score, (low, high) = facts["score"], facts["interval"]
        return (
            f"A sign of signal that is not captured: choosing a procedure in every fold has {_an(facts['metric'])} of "
            f"{_two(score)} (95% interval {_two(low)}–{_two(high)}), above chance; tests of each procedure "
            f"({', '.join(facts['tried'])}) pass no level that allows for their number."
        )
    if facts.get("no_column"):
        who = the_procedure(facts["procedure"])
        return (
            f"There is signal, but the model does not capture it: held-out rows show it, and {who} fitted to all rows "
            "uses no column."
        )
    if facts.get("by_black_box_alone"):
        return (
            f"There is signal, but no readable model captures it: a black box ({_box(facts)}) beats "
            f"{'the shares of the classes' if facts['metric'] == 'cost' else _rival(facts)} beyond chance, "
            f"no procedure tried ({', '.join(facts['tried'])}) does."
        )
    if facts.get("by_columns_alone"):
        return (
            f"A sign of signal that is not captured: {associated(facts['association'])}, but on rows not seen no "
            f"procedure tried ({', '.join(facts['tried'])}) beats "
            f"{'the shares of the classes' if facts['metric'] == 'cost' else _rival(facts)} beyond chance."
        )
    if facts["metric"] == "cost":
        return (
            "There is signal, but the decisions do not reliably cost less for it: the probabilities of at least one "
            "procedure beat the shares of the classes beyond chance."
        )
    best = facts["shown_by"]
    return (
        f"The columns carry some information about the target ({the_procedure(best['name'])} beats {_rival(facts)}, "
        f"p = {best['p_value']:.2g}), but with {facts['n_rows']:,} rows no choice of a model is reliable."
    )


def _box(facts: dict[str, Any]) -> str:
    """The best black box, as it is said."""
    return BLACK_BOXES.get((facts.get("black_box") or {}).get("name", "boosting"), "gradient boosting")


def associated(found: dict[str, Any]) -> str:
    """Which columns, each alone, go with the target more than with shuffled ones.

    >>> associated({"columns": {"nodes": 0.001}, "permutations": 999})
    'nodes goes with the target (p = 0.001, by 999 shuffled targets, adjusted for all columns)'
    >>> associated({"columns": {}, "permutations": 999, "joint_p_value": 0.012})
    'the columns taken together go with the target (p = 0.012, by 999 shuffled targets)'
    """
    if not found["columns"]:
        p, draws = found["joint_p_value"], found["permutations"]
        return f"the columns taken together go with the target (p = {p:.3f}, by {draws} shuffled targets)"
    names = [_seen(name) for name in found["columns"]]
    most, rest = names[:MOST_ASSOCIATED], len(names) - MOST_ASSOCIATED
    several = [*most, f"{rest:,} more"] if rest > 0 else most
    listed = _listed(several)
    verb, largest = ("goes", "") if len(names) == 1 else ("go", " at most")
    p = max(found["columns"].values())
    return (
        f"{listed} {verb} with the target (p = {p:.3f}{largest}, by {found['permutations']} shuffled "
        "targets, adjusted for all columns)"
    )


def _expected(facts: dict[str, Any]) -> str:
    metric, guess = spoken(facts["metric"]), _guess(facts)
    if facts["score"] is None:
        return f"No {metric} can be expected: it has no value in any fold, as of too few rows or of constant answers."
    bound = facts["interval"]
    digits = _digits(bound)
    sure = f"95% interval {digits(bound[0])}–{digits(bound[1])}" if bound else facts["interval_note"]
    said = f"Expected {metric} on new rows {digits(facts['score'])}"
    if bound is None and facts["procedure"] != "baseline" and facts["interval_note"].endswith(UNQUOTABLE):
        beside = f" {_beside_ranking(facts)}" if facts["metric"] == "roc_auc" else ""
        told = f"The {metric} on new rows {facts['interval_note']} the {_two(facts['score'])} measured here."
        return f"{told}{beside}{_by_class(facts)}"
    if facts["procedure"] == "baseline":
        mean = ", on average" if _mean(facts) else ""
        return (
            f"{said}, that of {guess}{mean}{_naive_beside(facts)}."
            if bound is None or bound[0] == bound[1]
            else f"{said} ({sure}), that of {guess}{mean}{_naive_beside(facts)}."
        )
    if facts["metric"] == "roc_auc":
        return f"{said} ({sure}); 0.50 is chance.{_corrected(facts)} {_beside_ranking(facts)}{_by_class(facts)}"
    if facts["metric"] == "accuracy" and bound:
        told = f"On new rows the model should be right in {_cases(facts['score'], bound)} of 100 cases"
        said, sure = told, f"95% interval {_cases(bound[0], bound)}–{_cases(bound[1], bound)}"
        guessed = "" if facts["baseline"] is None else f"; {_answering(facts)} is right in {_cases(facts['baseline'])}"
        base = f"{guessed}{_mean(facts)}{_naive(facts)}" if guessed else ""
    else:
        told = f"; {guess} gives"
        base = "" if facts["baseline"] is None else f"{told} {_two(facts['baseline'])}{_mean(facts)}{_naive(facts)}"
    return f"{said} ({sure}){base}.{_agreement(facts)}{_no_better(facts)}{_corrected(facts)}{_by_class(facts)}"


def _agreement(facts: dict[str, Any]) -> str:
    """The weighted kappa of ordered classes, where it is not the score itself."""
    kappa = facts.get("weighted_kappa")
    return "" if kappa is None or facts["metric"] == "weighted_kappa" else f" Weighted kappa {_two(kappa)}."


def _cases(value: float, bound: list[float] | None = None) -> str:
    """A share of right answers as a number of 100 cases; with one decimal where the interval is narrow.

    >>> _cases(0.954), _cases(0.9954, [0.992, 0.998])
    ('95', '99.5')
    """
    narrow = bound is not None and bound[1] - bound[0] < 0.01
    return f"{100 * value:.1f}" if narrow else f"{100 * value:.0f}"


def _answering(facts: dict[str, Any]) -> str:
    """What is answered without looking at a column."""
    alike = (facts.get("largest_classes") or (1, 2))[0]
    if alike == 1 and facts.get("majority") is not None:
        return f'always answering "{facts["majority"]}"'
    return _guess(facts).replace("guessing", "answering")


def _corrected(facts: dict[str, Any]) -> str:
    """The score corrected for having been quoted only because a test passed, where the claim is near its threshold."""
    if facts.get("shrunken") is None:
        return ""
    p = f"p = {facts['p_value']:.2g}"
    weak = f" The evidence is weak ({p}), and scores that only just pass a test tend to be too good."
    guess = 0.5 if facts["metric"] == "roc_auc" else facts["baseline"]
    if _two(facts["shrunken"]) == _two(guess):
        return f"{weak} Corrected for that, the model may be no better than guessing."
    return f"{weak} Corrected for that, {_two(facts['shrunken'])} is to be expected."


def _by_class(facts: dict[str, Any]) -> str:
    """The recall of every class, where that of any is below one half; of many classes, of those alone."""
    listed = [row for row in facts.get("recalls") or [] if row["recall"] is not None]
    low = [row for row in listed if row["recall"] < LOW_RECALL]
    if not low:
        return ""
    missed = [str(row["label"]) for row in low if row["recall"] == 0]
    if len(listed) <= MOST_NAMED:
        told = ", ".join(f"{row['label']} ({_two(row['recall'])})" for row in listed)
        said = f" Recall by class: {told}."
    else:
        lowest = sorted(low, key=lambda row: row["recall"])[:MOST_NAMED]
        told = ", ".join(f"{row['label']} ({_two(row['recall'])})" for row in lowest)
        said = f" Recall is below one half for {len(low):,} of {len(listed):,} classes: {told}"
        said += f" and {len(low) - MOST_NAMED:,} more." if len(low) > MOST_NAMED else "."
    if not missed or len(missed) > MOST_ASSOCIATED:
        return said
    names = missed[0] if len(missed) == 1 else f"{', '.join(missed[:-1])} and {missed[-1]}"
    return f"{said} No row of {names} is recognised."


def _no_better(facts: dict[str, Any]) -> str:
    """Better probabilities need not give more right answers, and a reader would take the two for a contradiction."""
    accuracies = ("accuracy", "balanced_accuracy")
    if facts["metric"] not in accuracies or facts["baseline"] is None or facts["score"] > facts["baseline"]:
        return ""
    if facts.get("by_black_box_alone") or facts.get("by_columns_alone"):  # nor are the probabilities
        return ""
    gain_p, p = facts.get("gain_p_value", 1.0), facts.get("p_value", 1.0)
    if gain_p <= BETTER:
        return (
            " The predicted probabilities are better than the shares of the classes, but the predicted class is not "
            "right more often."
        )
    if facts["signal"] == "captured" and p < gain_p / (1 - RANKING_SHARE):  # ranks pass the test, losses do not
        return (
            f" The model ranks rows better than chance (p = {p:.2g}), but the predicted class is not right more often."
        )
    return " The predicted class is not right more often."


def _beside_ranking(facts: dict[str, Any]) -> str:
    """A good ranking of unequal classes may leave the accuracy where it was."""
    own, majority = facts["accuracy"]
    return f"Accuracy {_two(own)}, always guessing the majority {_two(majority)}."


def _rival(facts: dict[str, Any]) -> str:
    """What a procedure must beat: the baseline, or a forecast from earlier targets where that is better."""
    naive = facts.get("naive")
    return _guess(facts) if naive is None else NAIVE[naive["name"]]


def _naive_beside(facts: dict[str, Any]) -> str:
    naive = facts.get("naive")
    if naive is None or naive["score"] is None:
        return ""
    return f"; {NAIVE[naive['name']]} gives {_two(naive['score'])}"


def _naive(facts: dict[str, Any]) -> str:
    """The score of a forecast from earlier targets that is better than the baseline."""
    naive = facts.get("naive")
    return "" if naive is None or naive["score"] is None else f", {NAIVE[naive['name']]} {_two(naive['score'])}"


def _an(metric: str) -> str:
    """The metric with its article."""
    return f"{'an' if spoken(metric)[0] in 'aeiou' else 'a'} {spoken(metric)}"


def _guess(facts: dict[str, Any]) -> str:
    if facts["metric"] == "cost":
        return "the cheapest answer for all"
    if not predicts_classes(facts["task"]):
        return "always guessing the mean"
    alike, of = facts.get("largest_classes") or (1, 2)
    if alike == 1:
        return "always guessing the majority"
    return "always guessing one class" if alike == of else f"always guessing one of the {alike} largest classes"


def _mean(facts: dict[str, Any]) -> str:
    """That the score of guessing is a mean over classes that are about as large as each other."""
    return " on average" if (facts.get("largest_classes") or (1, 2))[0] > 1 else ""


def _columns(facts: dict[str, Any]) -> str:
    """Which columns predict the target, largest contribution first, and by what kind of model."""
    shares = facts["contributions"]
    kind = facts.get("kind") or the_procedure(facts["procedure"])
    if not shares:
        return f"The model uses none of the {facts['n_columns']:,} columns."
    names = list(shares)[:MOST_NAMED] if len(shares) > MOST_NAMED + 1 else list(shares)
    if len(shares) > len(names) and sum(map(shares.__getitem__, names)) < STANDS_OUT:
        return f"The model ({kind}) uses {len(shares):,} of {facts['n_columns']:,} columns, and none stands out."
    rest = len(shares) - len(names)
    listed = _with_joint(facts, names, f"{rest:,} more" if rest else "")
    n, is_one = _number(len(shares)), len(shares) == 1
    if facts["signal"] == "captured":
        verb = f"column{' predicts' if is_one else 's predict'} {_seen(facts.get('target', 'the target'))}"
        return f"{n[0].upper()}{n[1:]} {verb}: {listed} ({kind}).{_sure(facts, names)}"
    return f"The model ({kind}) uses {n} column{'' if is_one else 's'}: {listed}.{_sure(facts, names)}"


def _number(n: int) -> str:
    """A number in words up to twelve.

    >>> _number(3), _number(1200)
    ('three', '1,200')
    """
    words = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
    return words[n] if n < len(words) else f"{n:,}"


def _with_joint(facts: dict[str, Any], names: list[str], more: str = "") -> str:
    """The names; columns that cancel each other stand together, where the first of them does.

    >>> _with_joint({"joint": [["a", "b"]]}, ["c", "a", "b"])
    'c, a and b (jointly)'
    >>> _with_joint({}, ["a", "b"], "3 more")
    'a, b and 3 more'
    """
    listed: list[str] = []
    done: set[str] = set()
    for name in names:
        group = next((group for group in facts.get("joint") or () if name in group), [name])
        if name not in done:
            listed.append(f"{_listed(list(map(_seen, group)))} (jointly)" if len(group) > 1 else _seen(name))
        done.update(group)
    if any(" (jointly)" in part for part in listed):
        return ", ".join([*listed, more] if more else listed)
    return _listed([*listed, more] if more else listed)


def _sure(facts: dict[str, Any], names: list[str]) -> str:
    """Which of the named columns explain the target beyond the others; nothing where all do.

    >>> _sure({"sure": ["age"]}, ["age", "bmi", "sex"])
    ' Sure is age; the others are also used, but may repeat it or be chance.'
    >>> _sure({"sure": ["age", "bmi"]}, ["age", "bmi", "sex"])
    ' All are sure but sex, which may repeat others or be chance.'
    """
    if facts.get("sure") is None or set(names) <= set(facts["sure"]):
        return ""
    sure = [_seen(name) for name in names if name in set(facts["sure"])]
    doubtful = [_seen(name) for name in names if name not in set(facts["sure"])]
    if not sure:
        if len(doubtful) == 1:
            return " It may be chance."
        return " None is shown to add to the others: they may repeat each other or be chance."
    if len(doubtful) < len(sure):
        return f" All are sure but {_listed(doubtful)}, which may repeat others or be chance."
    verb, these = ("is", "it") if len(sure) == 1 else ("are", "these")
    other = "the other is" if len(doubtful) == 1 else "the others are"
    return f" Sure {verb} {_listed(sure)}; {other} also used, but may repeat {these} or be chance."


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _seen(name: str) -> str:
    """A name as it stands in a sentence; in quotes where nothing of it would be seen."""
    return name if name.strip() else repr(name)


def _digits(bound: list[float] | None) -> Callable[[float], str]:
    """Two decimals, or three where the ends of the interval would otherwise look the same."""
    return _three if bound and bound[0] < bound[1] and _two(bound[0]) == _two(bound[1]) else _two


def _two(value: float) -> str:
    """Two decimals, or four significant digits for sizes that two decimals would not fit; no minus before a zero.

    >>> _two(-0.002), _two(12345.6)
    ('0.00', '12,346')
    """
    return f"{value:z.2f}" if abs(value) < 10 else f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _three(value: float) -> str:
    """Three decimals, or four significant digits for sizes that they would not fit."""
    return f"{value:z.3f}" if abs(value) < 10 else _two(value)
