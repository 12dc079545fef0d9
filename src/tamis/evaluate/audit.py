"""Does this procedure leak? Run all of it on shuffled targets: an honest one lands at chance.

Chance is measured. Where predictions are known it is what the same predictions score against their truth reshuffled;
for a function that returns only a number it is what the function scores on tables in which nothing can be found.
"""

import inspect
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from tamis.check import count, number
from tamis.engine import seed_from
from tamis.evaluate.chance.level import Level, constant
from tamis.evaluate.chance.p_value import shuffle_p_value
from tamis.evaluate.chance.permuted_target import Run, Runner
from tamis.evaluate.chance.reference import (
    almost_equal_rows,
    blind,
    coin_table,
    equal_rows,
    noise_table,
    recognised,
    telling_table,
    unequal,
)
from tamis.metrics import Metric, utility
from tamis.table.like import TableLike
from tamis.typing import Folding, RandomState, Scoring

_REFERENCES = 10  # runs on each of the two reference tables
_NEVER_NEGATIVE = ("f1",)  # of the metrics that equal rows may leave open
_BETTER_ON_FEW_ROWS = ("average_precision",)  # by how much depends on folds that only the function knows

#: A score on the real target is above those on shuffled ones if at most this share of them is as good; fewer shuffles
#: than this cannot show it, for the share counts the real target too.
ALPHA, ENOUGH = 0.05, 19

#: Advice where it cannot be told.
OPEN = (
    "let it return its predictions instead of a score, (truth, prediction) or a list of such pairs, one a fold, and "
    "name the metric as scoring; or give chance_level"
)
NO_VALUE = (
    "give a scoring that has a value for constant answers too, such as r2 or mae for numbers, accuracy for classes"
)


@dataclass(frozen=True, eq=False)
class Audit:
    """The verdict on a procedure.

    Attributes
    ----------
    leaks : True when the procedure scores above chance where there is nothing to find.
    decided : False where it cannot be told; `leaks` is False then, which is no acquittal.
    verdict : the same in words.
    p_value : of "its mean score on shuffled targets is no better than chance", one-sided, paid for every look.
    score : on the target as it is.
    null : scores on shuffled targets.
    chance, chance_from : the score of knowing nothing, and how it was found.
    chances : where predictions are known, chance for those of each shuffled target; else None.
    score_p_value : share of shuffled targets that score at least as well, (1 + hits) / (1 + shuffles).
    n_permutations, stopped_early : shuffles run, and whether the verdict was clear before all were.
    promise : for a procedure that promises a score of itself, the mean promise on shuffled targets; else None.
    advice : what to look for, in sentences.
    """

    leaks: bool
    verdict: str
    p_value: float
    score: float
    null: np.ndarray
    chance: float
    chance_from: str
    score_p_value: float
    n_permutations: int
    stopped_early: bool
    promise: float | None = None
    advice: list[str] = field(default_factory=list)
    name: str = "procedure"
    decided: bool = True
    chances: np.ndarray | None = None

    def to_dict(self) -> dict[str, Any]:
        """The verdict as plain values."""
        chances = None if self.chances is None else self.chances.tolist()
        return {**asdict(self), "null": self.null.tolist(), "chances": chances}

    def __repr__(self) -> str:
        return "\n".join([self.verdict, *(f"- {sentence}" for sentence in self.advice)])

    def figure(self, **options: Any) -> Any:
        """A Bokeh figure: scores on shuffled targets, chance, and the score claimed."""
        from tamis.evaluate.picture import null_figure

        return null_figure(self.null, self.score, self.chance, title=self.verdict, **options)


def audit(
    procedure: BaseEstimator,
    X: TableLike,
    y: Any = None,
    *,
    n_permutations: int = 100,
    scoring: Scoring = None,
    chance_level: float | None = None,
    outer: Folding = 5,
    groups: ArrayLike | None = None,
    time: ArrayLike | None = None,
    alpha: float = 0.003,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> Audit:
    """Run the whole procedure on shuffled targets and say whether it leaks.

    Choosing columns, oversampling or tuning on rows that are later judged makes a procedure score above chance even
    when the target is shuffled. A procedure that learns every step inside the folds lands at chance, or a little below.

    No shuffle can show columns that were chosen on the real target before X was handed over: do the choosing inside the
    procedure.

    Parameters
    ----------
    procedure : an estimator, which is judged in outer folds; or a function (X, y) that does everything, as a user wrote
        it, and returns its predictions, (truth, prediction) or a list of such pairs, one a fold; or only its score,
        larger is better unless `scoring` names an error. With predictions chance is known for any metric; with a bare
        score the function is also run on two tables in which nothing can be found, and where these leave chance open
        the verdict is that it cannot be told.
    X, y : the table and its target; or X is a `Problem`, which has both.
    n_permutations : shuffles at most; fewer are run when the verdict is clear.
    scoring : the metric of an estimator or of predictions; for a function that returns a score, the metric of it.
    chance_level : the score of knowing nothing, when it is known better.
    outer : outer folds of an estimator.
    groups, time : one value a row; targets are then swapped between groups, or shifted in time.
    alpha : how often an honest procedure may be flagged.
    random_state : fixes the shuffles.
    n_jobs : threads over shuffles.

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> audit(GaussianNB(), *load_iris(return_X_y=True), n_permutations=20).leaks
    False
    """
    max_permutations = count("n_permutations", n_permutations, low=10)
    number("alpha", alpha, low=0, high=0.5, open_low=True)
    runner = Runner(
        procedure,
        X,
        y,
        outer=outer,
        scoring=scoring,
        groups=groups,
        time=time,
        seed=seed_from(random_state),
        n_jobs=n_jobs,
        paired=chance_level is None,
    )
    real = runner.real()
    level = _level(runner, real, chance_level)
    runs: list[Run] = []
    p, p_low = 1.0, 1.0
    for look, share in _looks(max_permutations):
        runs += runner.shuffled(range(len(runs), look))
        if level.is_certain and not all(_has_value(run) for run in runs):
            level = replace(level, source=_without_value(runner, runs), is_certain=False)
        if not level.is_certain:
            break
        scores = _compared(runner, runs)
        scale = max(abs(run.score) for run in runs)
        p, p_low = (min(1.0, value / share) for value in level.p_values(scores, scale))
        if p <= alpha:
            break
        settled = p_low <= alpha or _hopeless(scores - level.low, max_permutations, alpha * share)
        if settled and _hopeless(scores - level.high, max_permutations, alpha * share):
            break
    leaks = level.is_certain and p <= alpha
    return _result(
        runner,
        real.score,
        runs,
        level,
        p,
        leaks,
        leaks or (level.is_certain and p_low > alpha),
        len(runs) < max_permutations,
    )


def _looks(max_permutations: int) -> list[tuple[int, float]]:
    """Shuffles after which the verdict is looked at, and the share of alpha each look may spend: in all, 1.

    The first may spend half: what leaks at all mostly shows there.

    >>> _looks(20)
    [(10, 0.5), (20, 0.5)]
    """
    looks = [look for look in (10, 20, 40, 70) if look < max_permutations] + [max_permutations]
    return [(look, 1.0 if len(looks) == 1 else 0.5 / (1 if i == 0 else len(looks) - 1)) for i, look in enumerate(looks)]


def _has_value(run: Run) -> bool:
    return bool(np.isfinite(run.score) and np.isfinite(run.chance or 0.0))


def _without_value(runner: Runner, runs: list[Run]) -> str:
    """Why chance is open where some runs have no score: a mean without them would be one of chosen targets."""
    lacking = sum(not _has_value(run) for run in runs)
    what = "the score it returns" if runner.metric is None else f"scoring={runner.metric.name}"
    return f"{what} has no value on {lacking} of them"


def _compared(runner: Runner, runs: list[Run]) -> np.ndarray:
    """What is held against the level, larger is better: scores, or how far each is above its own chance."""
    return np.array([_turned(runner, run.score) - _turned(runner, run.chance or 0.0) for run in runs])


def _turned(runner: Runner, value: object) -> Any:
    """A score turned so that larger is better, or turned back."""
    return value if runner.metric is None else utility(runner.metric, value)


def _level(runner: Runner, real: Run, chance_level: float | None) -> Level:
    if chance_level is not None:
        return constant([float(_turned(runner, chance_level))], "given")
    if real.chance is not None:
        return constant([0.0], "the same predictions against their truth reshuffled")
    if runner.metric is None and _falls(runner):
        return constant([0.0], "unknown: it falls where the target can be learned, so name the error it is", False)
    metrics = [metric for metric in _metrics(runner) if metric.needs != "model"]
    labels = runner.task.classes
    values = [float(_turned(runner, value)) for metric in metrics for value in blind(metric, runner.y, labels)]
    values = [value for value in values if np.isfinite(value)]  # a correlation has none for constant answers
    if values and all(metric.base not in _BETTER_ON_FEW_ROWS for metric in metrics):
        names = " or ".join(sorted({metric.base for metric in metrics}))
        return constant(values, f"answers that know nothing of the columns, under {names}")
    return _measured(runner, values)


def _falls(runner: Runner) -> bool:
    """True when a function scores less on a table that tells the target than on equal rows: it returns an error."""
    labels = runner.task.classes
    y = runner.y if labels is None else unequal(len(runner.y), labels)[0]
    alike = runner.elsewhere(equal_rows, [y])[0]
    telling_score = runner.elsewhere(lambda X, seed, number: telling_table(X, y, labels, seed, number), [y])[0]
    return bool(telling_score < alike - 1e-9 * max(abs(telling_score), abs(alike)))


def _metrics(runner: Runner) -> list[Metric]:
    """The metric of a function that returns only its score, as named; else those its scores on equal rows fit."""
    if runner.metric is not None:
        return [runner.metric]
    scores = [_on(runner, almost_equal_rows), _on(runner, equal_rows)]
    metrics = recognised(scores, runner.y, runner.task.classes)
    if len(metrics) > 1 and any(metric.base in _NEVER_NEGATIVE for metric in metrics):
        coin_scores = runner.elsewhere(coin_table, runs=_REFERENCES)
        if (coin_scores < -1e-9 * np.abs(coin_scores).max()).any():
            metrics = [metric for metric in metrics if metric.base not in _NEVER_NEGATIVE]
    return metrics


def _on(runner: Runner, make: Any) -> Callable[[np.ndarray], float]:
    return lambda y: float(runner.elsewhere(make, [y])[0])


def _measured(runner: Runner, blind_scores: list[float]) -> Level:
    """Chance as the scores of the function itself where nothing can be found; no less than those of blind answers."""
    samples: list[np.ndarray] = []
    words: list[str] = []
    tables: list[tuple[Any, str]] = [(coin_table, "coin flips"), (noise_table, "noise")]
    if not blind_scores:  # a metric nobody knows: what constant answers score must be measured too
        tables += [(equal_rows, "equal rows"), (almost_equal_rows, "one column of noise")]
    for make, name in tables:
        scores = runner.elsewhere(make, runs=_REFERENCES)
        if np.isfinite(scores).all():
            samples.append(np.asarray(_turned(runner, scores)))
            words.append(f"{name} {scores.mean():.3g}")
    if not samples and not blind_scores:
        return constant([0.0], "unknown: it fails on tables in which nothing can be found", is_certain=False)
    best_blind = max(blind_scores, default=-np.inf)
    samples = [sample for sample in samples if sample.mean() > best_blind]
    if best_blind > -np.inf:
        samples.append(np.array([best_blind]))
        words.append(f"blind answers {_turned(runner, best_blind):.3g}")
    return Level(tuple(samples), f"its own scores on tables in which nothing can be found: {', '.join(words)}")


def _hopeless(excess: np.ndarray, n_total: int, alpha: float) -> bool:
    """True when the shuffles still to come could not turn the verdict, even if they came as high as is plausible.

    The mean still to come is taken at its upper 95% bound and then two of its own standard errors above.
    """
    done, n_left = len(excess), n_total - len(excess)
    if n_left == 0 or done < 20:
        return False
    spread = max(float(excess.std(ddof=1)), 1e-12 * float(np.abs(excess).max()), np.finfo(float).tiny)
    high = excess.mean() + spread * (1.65 / np.sqrt(done) + 2 / np.sqrt(n_left))
    final = (done * excess.mean() + n_left * high) / n_total
    return bool(final / (spread / np.sqrt(n_total)) < scipy.stats.norm.isf(alpha))


def _result(
    runner: Runner, score: float, runs: list[Run], level: Level, p: float, leaks: bool, decided: bool, early: bool
) -> Audit:
    name = getattr(runner.procedure, "__name__", type(runner.procedure).__name__)
    null = np.array([run.score for run in runs])
    chances = np.array([run.chance for run in runs]) if runs[0].chance is not None else None
    at = float(_turned(runner, level.high)) if chances is None else float(chances.mean())
    mean = float(null.mean())
    p_shuffled = _share_as_good(_turned(runner, null), _turned(runner, score))
    scored = f"it scores {mean:.3g} on average, chance is " if np.isfinite(mean) else "chance is "
    words = f"on {len(null)} shuffled targets {scored}"
    words += f"{at:.3g} (p = {p:.2g})" if decided else f"open ({level.source})"
    verdict = {
        (True, True): f"{name} leaks: {words}",
        (False, True): f"{name} shows no leak: {words}",
        (False, False): f"cannot tell whether {name} leaks: {words}",
    }[leaks, decided]
    inner_scores = [value for shuffle, value in runner.inner_scores.items() if shuffle >= 0]
    promise = (
        float(utility(runner.metric, np.mean(inner_scores))) if inner_scores and runner.metric is not None else None
    )
    has_values = all(_has_value(run) for run in runs)
    advice = _advice(runner, leaks, mean, at, promise)
    if not has_values:
        advice = [NO_VALUE, *advice]
    elif not decided:
        advice = [OPEN, *advice]
    elif not leaks:
        advice = [*_against_shuffled(p_shuffled, len(null)), *advice]
    source = level.source
    return Audit(
        leaks,
        verdict,
        p,
        score,
        null,
        at,
        source,
        p_shuffled,
        len(null),
        early,
        promise,
        advice,
        name,
        decided,
        chances,
    )


def _share_as_good(null: np.ndarray, score: float) -> float:
    """(1 + shuffled targets that score at least as well) / (1 + shuffled targets); NaN where a score is none."""
    if not (np.isfinite(score) and np.isfinite(null).all()):
        return float("nan")
    return shuffle_p_value(None, null, score)


def _against_shuffled(p_shuffled: float, shuffles: int) -> list[str]:
    """What the score on the real target says, where it is not above those of shuffled ones beyond chance."""
    if np.isnan(p_shuffled):
        return ["on the target as it is the score has no value"]
    if p_shuffled <= ALPHA:
        return []
    if 1 / (1 + shuffles) > ALPHA:
        beaten = round((1 + shuffles) * (1 - p_shuffled))
        return [
            f"{shuffles} shuffled targets cannot tell whether it finds something: it beat {beaten} of them, but p is "
            f"never below {1 / (1 + shuffles):.2g} with so few; give n_permutations={ENOUGH} or more"
        ]
    return [
        f"on the real target it does no better than on shuffled ones (p = {p_shuffled:.2g}): there may be nothing "
        "to find"
    ]


def _advice(runner: Runner, leaks: bool, mean: float, level: float, promise: float | None) -> list[str]:
    advice = []
    if leaks:
        advice += [
            f"of the score it claims, {abs(mean - level):.3g} comes from leaking alone",
            *_suspects(runner.procedure),
            "look for anything learned before the rows are split: columns chosen with the target, rows oversampled or "
            "copied, values imputed or encoded with the target, parameters tuned on the rows that judge them",
            "put every such step into one pipeline and score it with nested_score",
        ]
    else:
        advice.append(
            "columns chosen on this target before the audit was given the table cannot be detected by any shuffle: "
            "choose them inside the procedure"
        )
    if promise is not None and runner.metric is not None:
        too_good = _turned(runner, promise) - _turned(runner, level)
        spread = abs(mean - level)
        if too_good > 2 * spread and too_good > 1e-3 * max(1.0, abs(level)):
            advice.append(
                f"its own promise on shuffled targets is {promise:.3g}, chance is {level:.3g}: report the outer score, "
                "never the promise"
            )
    return advice


_PATTERNS: tuple[tuple[str, str], ...] = (
    (r"\.fit_resample\(", "resamples rows; done before the split, copies of a row fall on both sides"),
    (r"Select\w*\(|RankSelector\(|SubsetSelector\(", "chooses columns; it must happen inside the folds"),
    (r"\.fit_transform\([^)]*,\s*\w*y\w*\)", "learns from the target; it must happen inside the folds"),
    (r"\.(best_score_|cv_results_)", "is the best of many scores on the same rows; it is no estimate"),
    (r"\.corr(with)?\(|corrcoef\(|f_classif\(|f_regression\(|mutual_info", "compares columns with the target"),
)


def _suspects(procedure: BaseEstimator) -> list[str]:
    """Lines of a user's function that often leak, by number."""
    if hasattr(procedure, "fit"):
        return []
    try:
        lines, start = inspect.getsourcelines(procedure)
    except (OSError, TypeError):
        return []
    suspects = []
    for offset, line in enumerate(lines):
        for pattern, words in _PATTERNS:
            hit = re.search(pattern, line)
            if hit and not line.lstrip().startswith(("#", "def ")):
                suspects.append(f"line {start + offset}: {line.strip()[:60]!r} {words}")
                break
    return suspects[:5]
