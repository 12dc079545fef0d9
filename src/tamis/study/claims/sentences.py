"""The answer of a study as sentences: nothing in them may be false, in either direction."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tamis.results.answer import Answer
from tamis.study.claims.expected import an, by_class, expected, rival
from tamis.study.claims.price import is_dear, price, spoken
from tamis.study.procedures import in_plural, in_sentence, reference_noun
from tamis.wording import first_few, listed, number, span, three, two

#: Columns named in the sentence at most; the report lists the others.
MOST_NAMED = 8

#: Where the first columns make up less than this share, naming them would say that they matter more than others.
STANDS_OUT = 0.1

#: Of more columns, as of a black box, only those that contribute most are of interest.
READABLE_COLUMNS = 20

#: Of columns that a test shows alone.
MOST_ASSOCIATED = 3

#: Up to this, a p-value of columns alone that shows no signal is told beside the denial.
BORDERLINE = 0.05

#: Of fewer rows of a class a denial is qualified: an area under the ROC curve of 0.9 is missed in a tenth of tables.
FEW_ROWS = 10


def answer(facts: Answer) -> str:
    """The answer in words, from the facts of results.json.

    >>> answer(Answer(contributions={"age": 0.7, "bmi": 0.3}, n_columns=8, score=0.95, interval=[0.92, 0.97],
    ...               baseline=0.63, procedure="lasso", tried=["lasso"], accuracy=[0.95, 0.63], target="diagnosis",
    ...               kind="a formula of 2 terms", majority="benign"))
    'Two columns predict diagnosis: age and bmi (a formula of 2 terms). On new rows the model should be right in 95 of \
100 cases (95% interval 92–97); always answering "benign" is right in 63.'
    """
    done = facts.finished
    partial = f"Partial, from {done['folds']} of {done['of']} folds: " if done and done["folds"] < done["of"] else ""
    columns, score = _columns(facts), expected(facts)
    if facts.is_by_person:
        sentences = [_person(facts), columns, score, _own_score(facts)]
    elif facts.signal == "none":
        sentences = [_nothing(facts), score]
    elif facts.tentative and not facts.no_column:
        sentences = [_tentative(facts, columns), score]
    elif facts.signal == "uncaptured":
        sentences = [_uncaptured(facts), columns, score]
    else:
        sentences = [columns, score]
    if is_dear(facts):  # right after what predicts the target
        sentences.insert(1 + sentences.index(columns), price(facts))
    sentences.append(details(facts))
    return stop_words(facts) + partial + " ".join(sentence for sentence in (question(facts), *sentences) if sentence)


def rows_used(rows: int, of: int) -> str:
    """How many rows of a large table were drawn.

    >>> rows_used(50_000, 1_000_000)
    '50,000 of 1,000,000 rows were used.'
    """
    return f"{rows:,} of {of:,} rows were used."


def details(facts: Answer) -> str:
    """What stands after columns and score: the price, unless it came before, which columns are well supported, classes.

    The report prints it smaller.
    """
    sentences = [] if is_dear(facts) else [price(facts)]
    if facts.is_by_person or facts.signal != "none":
        sentences += [_sure(facts, _named_first(facts.contributions)), by_class(facts), directions(facts)]
    return " ".join(sentence for sentence in sentences if sentence)


def directions(facts: Answer) -> str:
    """How predictions go with columns whose direction was given; empty without any.

    >>> directions(Answer(monotone={"directions": {"age": 1, "bmi": -1}, "label": "ill", "left_out": ["subset"]}))
    "By request the predicted probability of 'ill' never falls as age rises and never rises as bmi rises, the other \
columns equal. Left out, because it cannot obey: subset."
    """
    given = facts.monotone
    if not given:
        return ""
    parts = []
    for sign, verb in ((1, "falls"), (-1, "rises")):
        names = [_column_name(name) for name, direction in given["directions"].items() if direction == sign]
        parts += [f"never {verb} as {listed(names)} rise{'s' if len(names) == 1 else ''}"] if names else []
    what = "the prediction" if given["label"] is None else f"the predicted probability of {given['label']!r}"
    out, they = given["left_out"], "it cannot" if len(given["left_out"]) == 1 else "they cannot"
    without = f" Left out, because {they} obey: {listed(out)}." if out else ""
    return f"By request {what} {listed(parts)}, the other columns equal.{without}"


def question(facts: Answer) -> str:
    """The question about a column that alone reaches what the model does; empty without one, or where a stop asks it.

    >>> question(Answer(dominant={"column": "Discharge status", "score": 0.9751}))
    'Discharge status alone reaches an accuracy of 0.975. Was it known beforehand?'
    """
    column = facts.dominant
    if column is None or column["score"] is None or _is_stopped_by(facts, column["column"]):
        return ""
    metric = spoken(facts.metric)
    article = "an" if metric[0] in "aeiouR" else "a"
    return (
        f"{_column_name(column['column'])} alone reaches {article} {metric} of {three(column['score'])}. "
        "Was it known beforehand?"
    )


def _is_stopped_by(facts: Answer, column: str) -> bool:
    """Whether the stop that is quoted names the column: what to do with it is said there."""
    return bool(facts.stops) and f"column {column!r}" in facts.stops[0]


def stop_words(facts: Answer) -> str:
    """What voids the score, with a space at its end; empty where nothing does.

    >>> stop_words(Answer(stops=["Do not quote this score: column 'x' is the target", "…"]))
    "Do not quote this score: column 'x' is the target (and 1 more reason; see the warnings). "
    """
    stops = facts.stops or []
    if not stops:
        return ""
    n_others = len(stops) - 1
    more = f" (and {n_others} more reason{'' if n_others == 1 else 's'}; see the warnings)" if n_others else ""
    return f"{stops[0]}{more}{'' if stops[0].endswith('?') and not n_others else '.'} "


def _person(facts: Answer) -> str:
    """Who chose, what the rule would have taken, and what may be claimed whatever was chosen."""
    chosen_procedure, usual = in_sentence(facts.procedure), in_sentence(facts.by_rule)
    is_same = facts.procedure == facts.by_rule
    rule = "as the rule does" if is_same else f"the rule ({facts.prefer}) takes {usual}"
    sentence = f"A person chose {chosen_procedure} when the scores had been seen; {rule}."
    return f"{sentence} {_nothing(facts)}" if facts.signal == "none" else sentence


def _own_score(facts: Answer) -> str:
    """What the score of a procedure that a person chose is, and is not."""
    if facts.score is None or facts.procedure == "baseline":
        return ""
    return (
        "That is this procedure's own score in the outer folds; one that was taken because it looked good there will "
        "tend to do somewhat worse."
    )


def _nothing(facts: Answer) -> str:
    n_columns = facts.n_columns
    who = "The column does not predict" if n_columns == 1 else f"None of the {n_columns:,} columns predicts"
    ways = []
    if facts.association:
        p, level = facts.association["p_value"], facts.association["level"]
        is_near = p <= BORDERLINE
        ways.append(f"alone (smallest adjusted p = {p:.2f}, more than the {level} asked for)" if is_near else "alone")
    if models := _models(facts):
        ways.append(f"in any model tried ({listed(models)})")
    target = _target(facts)
    how = f", {' or '.join(ways)}" if ways else ""
    none_tried = "" if models else " No model was tried."
    return f"{who} {target} measurably better than chance{how}.{none_tried}{_best_by_chance(facts)}{_few_rows(facts)}"


def _models(facts: Answer) -> list[str]:
    """The models tried, several of a kind, as they are said.

    >>> _models(Answer(tried=["small-tree", "formula", "mine"], black_boxes=["forest"]))
    ['small trees', 'formulas', 'mine', 'a random forest']
    """
    names = [*facts.tried, *facts.black_boxes]
    return [in_plural(name) for name in names]


def _few_rows(facts: Answer) -> str:
    """That a denial means little where a class has few rows.

    >>> _few_rows(Answer(recalls=[{"label": "no", "rows": 194}, {"label": "yes", "rows": 6}]))
    ' With only 6 rows of yes, even a strong signal is often missed.'
    """
    rarest = min(facts.recalls or [], key=lambda row: row["rows"], default=None)
    if rarest is None or rarest["rows"] >= FEW_ROWS:
        return ""
    rows = "1 row" if rarest["rows"] == 1 else f"{rarest['rows']} rows"
    return f" With only {rows} of {rarest['label']}, even a strong signal is often missed."


def _best_by_chance(facts: Answer) -> str:
    """A procedure whose own interval lies above chance, though the best of several does so by chance."""
    best = facts.above_chance
    if best is None:
        return ""
    low, high = best["interval"]
    return (
        f" The best of them, {in_sentence(best['name'])}, has {an(facts.metric)} of {two(best['score'])} (95% "
        f"interval {span(two(low), two(high))}); the best of {len(facts.tried)} often has as much by chance."
    )


def _tentative(facts: Answer, columns: str) -> str:
    """What may be signal or chance: every test that shows it has a p-value above 0.05.

    >>> _tentative(Answer(contributions={"f": 1.0}, kind="a formula of 1 term", target="y", p_value=0.082,
    ...                   signal="uncaptured", procedure="formula", n_rows=64), "")
    'One column may predict y: f (a formula of 1 term). With 64 rows this could be chance (p = 0.082).'
    """
    chance = f"with {facts.n_rows:,} rows this could be chance"
    if facts.p_value <= facts.alpha:
        return f"{_predictors(facts, 'may predict')} {chance.capitalize()} (p = {facts.p_value:.2g})."
    if facts.by_black_box_alone:
        return (
            f"A black box ({_box(facts)}) may predict {_target(facts)}, no readable "
            f"model does; {chance} (p = {(facts.black_box or {}).get('p_value', 1.0):.2g}). {columns}"
        )
    shown = facts.shown_by or {}
    return (
        f"The columns may carry some information about {_target(facts)} "
        f"({in_sentence(shown['name'])} {_beats(facts, shown)}, p = {shown['p_value']:.2g}), but {chance}. {columns}"
    )


def _uncaptured(facts: Answer) -> str:
    if facts.by_bound_alone:
        low, high = facts.ends
        return (
            f"A sign of signal that is not captured: choosing a procedure in every fold has {an(facts.metric)} of "
            f"{two(facts.value)} (95% interval {span(two(low), two(high))}), above chance; tests of each procedure "
            f"({listed(_models(replace(facts, black_boxes=[])))}) pass no level that allows for their number."
        )
    if facts.no_column:
        who = in_sentence(facts.procedure)
        return (
            f"There is signal, but the model does not capture it: held-out rows show it, and {who} fitted to all rows "
            "uses no column."
        )
    if facts.by_black_box_alone:
        readable = (
            f", no procedure tried ({listed(_models(replace(facts, black_boxes=[])))}) does" if facts.tried else ""
        )
        return (
            f"There is signal, but no readable model captures it: a black box ({_box(facts)}) "
            f"{_beats(facts, facts.black_box or {}, ' beyond chance')}{readable}."
        )
    if facts.by_columns_alone and not facts.tried:
        return f"A sign of signal that is not captured: {associated(facts.association or {})}; no model was tried."
    if facts.by_columns_alone:
        return (
            f"A sign of signal that is not captured: {associated(facts.association or {})}, but on held-out rows no "
            f"procedure tried ({listed(_models(replace(facts, black_boxes=[])))}) "
            f"{_beats(facts, {}, ' beyond chance')}."
        )
    best = facts.shown_by or {}
    if facts.metric == "cost":
        verb = "rank held-out rows better than" if best.get("by_ranks") else "beat the shares of the classes beyond"
        return (
            "There is signal, but the decisions do not reliably cost less for it: the probabilities of at least one "
            f"procedure {verb} chance."
        )
    return (
        f"The columns carry some information about the target ({in_sentence(best['name'])} {_beats(facts, best)}, "
        f"p = {best['p_value']:.2g}), but with {facts.n_rows:,} rows no choice of a model is reliable."
    )


def _beats(facts: Answer, shown: dict[str, Any], beyond: str = "") -> str:
    """What a test shows of a model: lower losses than the baseline's, or only a better order of held-out rows.

    >>> _beats(Answer(), {"name": "formula", "p_value": 0.001, "by_ranks": True})
    'ranks held-out rows better than chance'
    """
    if shown.get("by_ranks"):
        return "ranks held-out rows better than chance"
    return f"beats {'the shares of the classes' if facts.metric == 'cost' else rival(facts)}{beyond}"


def _box(facts: Answer) -> str:
    """The best black box, as it is said."""
    return reference_noun((facts.black_box or {}).get("name", "boosting"), "gradient boosting")


def associated(association: dict[str, Any]) -> str:
    """Which columns, each alone, go with the target more than with shuffled ones.

    >>> associated({"columns": {"nodes": 0.001}, "permutations": 999})
    'nodes goes with the target (p = 0.001, by 999 shuffled targets, adjusted for all columns)'
    >>> associated({"columns": {}, "permutations": 999, "joint_p_value": 0.012})
    'the columns taken together go with the target (p = 0.012, by 999 shuffled targets)'
    """
    if not association["columns"]:
        p, draws = association["joint_p_value"], association["permutations"]
        return f"the columns taken together go with the target (p = {p:.3f}, by {draws} shuffled targets)"
    names = [_column_name(name) for name in association["columns"]]
    names_listed = listed(names) if len(names) <= MOST_ASSOCIATED else first_few(names, MOST_ASSOCIATED)
    verb, largest = ("goes", "") if len(names) == 1 else ("go", " at most")
    p = max(association["columns"].values())
    return (
        f"{names_listed} {verb} with the target (p = {p:.3f}{largest}, by {association['permutations']} shuffled "
        "targets, adjusted for all columns)"
    )


def _columns(facts: Answer) -> str:
    """Which columns predict the target, largest contribution first, and by what kind of model."""
    shares = facts.contributions
    kind = facts.kind or in_sentence(facts.procedure)
    if not shares:
        return f"The model uses none of the {facts.n_columns:,} columns."
    names = _named_first(shares)
    if len(shares) > READABLE_COLUMNS and facts.signal == "captured":
        return _many_columns(facts, names, kind)
    if facts.signal == "captured":
        return _predictors(facts, "predicts" if len(shares) == 1 else "predict")
    n = f"{number(len(shares))} column{'' if len(shares) == 1 else 's'}"
    return f"The model ({kind}) uses {n}: {_used(facts, names)}."


def _predictors(facts: Answer, verb: str) -> str:
    """How many columns predict the target, or may, which, and by what kind of model."""
    shares, n = facts.contributions, number(len(facts.contributions))
    columns = f"{n[0].upper()}{n[1:]} column{'' if len(shares) == 1 else 's'}"
    kind = facts.kind or in_sentence(facts.procedure)
    target = _target(facts)
    return f"{columns} {verb} {target}: {_used(facts, _named_first(shares))} ({kind})."


def _used(facts: Answer, names: list[str]) -> str:
    """The columns that are named, and how many others there are."""
    n_others = len(facts.contributions) - len(names)
    return _with_joint(facts, names, f"{n_others:,} more" if n_others else "")


def _many_columns(facts: Answer, names: list[str], kind: str) -> str:
    """The columns of a black box, the first by name where they contribute more than others."""
    shares, target = facts.contributions, _target(facts)
    together = f"{number(len(shares))} columns together predict {target}"
    if sum(shares[name] for name in names) < STANDS_OUT:
        return f"{together}, and none stands out ({kind})."
    return f"{together}, most of all {_with_joint(facts, names)} ({kind})."


def _named_first(shares: dict[str, float]) -> list[str]:
    """The columns that the first sentence names."""
    return list(shares)[:MOST_NAMED] if len(shares) > MOST_NAMED + 1 else list(shares)


def _with_joint(facts: Answer, names: list[str], more: str = "") -> str:
    """The names; columns that cancel each other stand together, where the first of them does.

    >>> _with_joint(Answer(joint=[["a", "b"]]), ["c", "a", "b"])
    'c, a and b (jointly)'
    >>> _with_joint(Answer(), ["a", "b"], "3 more")
    'a, b and 3 more'
    """
    phrases: list[str] = []
    done: set[str] = set()
    for name in names:
        group = next((group for group in facts.joint or () if name in group), [name])
        if name not in done:
            phrases.append(
                f"{listed(list(map(_column_name, group)))} (jointly)" if len(group) > 1 else _column_name(name)
            )
        done.update(group)
    if any(" (jointly)" in phrase for phrase in phrases):
        return ", ".join([*phrases, more] if more else phrases)
    return listed([*phrases, more] if more else phrases)


def _sure(facts: Answer, names: list[str]) -> str:
    """Which of the named columns are shown to add to the others; nothing where all are.

    >>> _sure(Answer(supported=["age"]), ["age", "bmi", "sex"])
    'Well supported is age; in another sample, other columns might take the place of the other two.'
    >>> _sure(Answer(supported=["age", "bmi"]), ["age", "bmi", "sex"])
    'All are well supported but sex.'
    """
    if facts.supported is None or set(names) <= set(facts.supported):
        return ""
    sure = [_column_name(name) for name in names if name in set(facts.supported)]
    doubtful = [_column_name(name) for name in names if name not in set(facts.supported)]
    if not sure:
        who = "it" if len(doubtful) == 1 else "any of them"
        return f"In another sample, another column might take the place of {who}."
    if len(doubtful) < len(sure):
        return f"All are well supported but {listed(doubtful)}."
    verb, replaced = (
        "is" if len(sure) == 1 else "are",
        "other" if len(doubtful) == 1 else f"other {number(len(doubtful))}",
    )
    replacement = "another column" if len(doubtful) == 1 else "other columns"
    doubt = f"in another sample, {replacement} might take the place of the {replaced}"
    return f"Well supported {verb} {listed(sure)}; {doubt}."


def _target(facts: Answer) -> str:
    """What is predicted: the target, of counts with exposures its rate.

    >>> _target(Answer(target="claims", exposure="years"))
    'claims per unit of years'
    """
    per = f" per unit of {facts.exposure}" if facts.exposure else ""
    return f"{_column_name(facts.target or 'the target')}{per}"


def _column_name(name: str) -> str:
    """A name as it stands in a sentence; in quotes where nothing of it would be seen."""
    return name if name.strip() else repr(name)
