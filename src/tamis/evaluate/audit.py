"""Does this way of working leak? Run all of it on shuffled targets: an honest one lands at chance."""

from __future__ import annotations

import inspect
import re
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from scipy import stats

from tamis.check import count, number
from tamis.evaluate.metrics import Metric, utility
from tamis.evaluate.nested import whole_seed
from tamis.evaluate.null import Runner, chance

__all__ = ["Audit", "audit"]

_BLANKS = 3


@dataclass(frozen=True, eq=False)
class Audit:
    """The verdict on a way of working.

    Attributes
    ----------
    leaks : True when the procedure scores above chance where there is nothing to find.
    verdict : the same in words.
    p_value : of "its mean score on shuffled targets is no better than chance", one-sided, paid for every look.
    score : on the target as it is.
    null : scores on shuffled targets.
    chance, chance_from : the score of knowing nothing, and how it was found.
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

    def to_dict(self) -> dict[str, Any]:
        """The verdict as plain values."""
        return {**asdict(self), "null": self.null.tolist()}

    def __repr__(self) -> str:
        return "\n".join([self.verdict, *(f"- {sentence}" for sentence in self.advice)])

    def figure(self, **options: Any) -> Any:
        """A Bokeh figure: scores on shuffled targets, chance, and the score claimed."""
        from tamis.evaluate.picture import null_figure

        return null_figure(self.null, self.score, self.chance, title=self.verdict, **options)


def audit(
    procedure: Any,
    X: Any,
    y: Any,
    *,
    n_permutations: int = 100,
    scoring: Any = None,
    chance_level: float | None = None,
    outer: Any = 5,
    groups: Any = None,
    time: Any = None,
    alpha: float = 0.01,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> Audit:
    """Run the whole procedure on shuffled targets and say whether it leaks.

    Choosing columns, oversampling or tuning on rows that are later judged makes a procedure score above chance even
    when the target is shuffled. A procedure that learns every step inside the folds lands at chance, or a little below.

    Parameters
    ----------
    procedure : a function (X, y) -> score that does everything, as a user wrote it, larger is better unless `scoring`
        names an error; or an estimator, which is judged in outer folds.
    X, y : the table and its target.
    n_permutations : shuffles at most; fewer are run when the verdict is clear.
    scoring : the metric of an estimator; for a function, the metric it returns, which fixes direction and chance level.
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
    most = count("n_permutations", n_permutations, low=10)
    number("alpha", alpha, low=0, high=0.5, open_low=True)
    runner = Runner(
        procedure,
        X,
        y,
        outer=outer,
        scoring=scoring,
        groups=groups,
        time=time,
        seed=whole_seed(random_state),
        n_jobs=n_jobs,
    )
    score = runner.real()
    level, source = (chance_level, "given") if chance_level is not None else _chance(runner)
    looks = sorted({look for look in (10, 20, 40, 70) if look < most} | {most})
    null = np.empty(0)
    p, clear = 1.0, False
    for look in looks:
        null = np.concatenate([null, runner.null(range(len(null), look))])
        excess = _gain(runner.metric, null, level)
        p = min(1.0, _p_value(excess) * len(looks))
        if p <= alpha or _hopeless(excess, most, alpha / len(looks)):
            clear = True
            break
    return _told(runner, score, null, level, source, p, alpha, clear and len(null) < most)


def _gain(metric: Metric | None, values: Any, level: float) -> Any:
    """How much better than chance, whichever way the metric points."""
    return values - level if metric is None else utility(metric, values) - utility(metric, level)


def _p_value(excess: np.ndarray) -> float:
    """One-sided: the mean excess is not above 0. Never below the sign test's least, however alike the scores are."""
    tiny = 1e-9 * max(1.0, float(np.abs(excess).max()))
    if excess.mean() <= tiny:
        return 1.0 if excess.std() <= tiny else float(stats.ttest_1samp(excess, 0, alternative="greater").pvalue)
    if excess.std() <= tiny:
        return float(2.0 ** -len(excess))
    return max(float(stats.ttest_1samp(excess, 0, alternative="greater").pvalue), float(2.0 ** -len(excess)))


def _hopeless(excess: np.ndarray, most: int, alpha: float) -> bool:
    """True when the shuffles still to come could not turn the verdict, even if they came as high as is plausible.

    The mean still to come is taken at its upper 95% bound and then two of its own standard errors above.
    """
    done, rest = len(excess), most - len(excess)
    if rest == 0 or done < 20:
        return False
    spread = max(float(excess.std(ddof=1)), 1e-12)
    high = excess.mean() + spread * (1.65 / np.sqrt(done) + 2 / np.sqrt(rest))
    final = (done * excess.mean() + rest * high) / most
    return bool(final / (spread / np.sqrt(most)) < stats.norm.isf(alpha))


def _chance(runner: Runner) -> tuple[float, str]:
    """The score of knowing nothing, and how it was found."""
    if runner.metric is not None:
        return chance(
            runner.metric, runner.y, runner.task.labels
        ), f"the best constant answer under {runner.metric.name}"
    blanks = _blanks(runner)
    labels = runner.task.labels
    if labels is not None:
        share = float(np.bincount(np.searchsorted(labels, runner.y)).max() / len(runner.y))
        even = 1 / len(labels)
        if len(blanks) and np.abs(blanks - even).max() < 1e-9:
            return even, f"what the procedure itself scores on a table of equal rows, 1 / {len(labels)}"
        return share, "the share of the largest class"
    spread, width = float(np.var(runner.y)), float(np.abs(runner.y - np.median(runner.y)).mean())
    best = float(blanks.max()) if len(blanks) else 0.0
    for limit, words in ((-spread, "minus the target's variance"), (-np.sqrt(spread), "minus the target's deviation")):
        if abs(best - limit) < 0.2 * abs(limit):
            return float(limit), words
    if abs(best + width) < 0.2 * width:
        return -width, "minus the target's mean distance from its median"
    return max(0.0, best), "0, the R² or correlation of knowing nothing" if best <= 0 else "a table of equal rows"


def _blanks(runner: Runner) -> np.ndarray:
    """Scores on a table of equal rows; none when the procedure cannot take one."""
    found = []
    for draw in range(_BLANKS):
        try:
            found.append(runner.blank(draw))
        except Exception:  # whatever a user's function raises on such a table only means that it cannot help here
            return np.empty(0)
    return np.array(found)


def _told(
    runner: Runner, score: float, null: np.ndarray, level: float, source: str, p: float, alpha: float, early: bool
) -> Audit:
    name = getattr(runner.procedure, "__name__", type(runner.procedure).__name__)
    mean, leaks = float(null.mean()), p <= alpha
    hits = int((_gain(runner.metric, null, level) >= _gain(runner.metric, score, level) - 1e-12).sum())
    own = (1 + hits) / (1 + len(null))
    words = f"on {len(null)} shuffled targets it scores {mean:.3g} on average, chance is {level:.3g} (p = {p:.2g})"
    verdict = f"{name} leaks: {words}" if leaks else f"{name} shows no leak: {words}"
    promises = [value for shuffle, value in runner.promises.items() if shuffle >= 0]
    promise = float(utility(runner.metric, np.mean(promises))) if promises and runner.metric is not None else None
    advice = _advice(runner, leaks, mean, level, own, promise)
    return Audit(leaks, verdict, p, score, null, level, source, own, len(null), early, promise, advice, name)


def _advice(runner: Runner, leaks: bool, mean: float, level: float, own: float, promise: float | None) -> list[str]:
    said = []
    if leaks:
        said += [
            f"of the score it claims, {abs(mean - level):.3g} comes from leaking alone",
            *_suspects(runner.procedure),
            "look for anything learned before the rows are split: columns chosen with the target, rows oversampled or "
            "copied, values imputed or encoded with the target, parameters tuned on the rows that judge them",
            "put every such step into one pipeline and score it with nested_score",
        ]
    elif own > 0.05:
        said.append(
            f"on the real target it does no better than on shuffled ones (p = {own:.2g}): there may be nothing to find"
        )
    if promise is not None and runner.metric is not None:
        too_good = _gain(runner.metric, promise, level)
        spread = abs(_gain(runner.metric, mean, level))
        if too_good > 2 * spread and too_good > 1e-3 * max(1.0, abs(level)):
            said.append(
                f"its own promise on shuffled targets is {promise:.3g}, chance is {level:.3g}: report the outer score, "
                "never the promise"
            )
    return said


_PATTERNS: tuple[tuple[str, str], ...] = (
    (r"\.fit_resample\(", "resamples rows; done before the split, copies of a row fall on both sides"),
    (r"Select\w*\(|RankSelector\(|SubsetSelector\(", "chooses columns; it must happen inside the folds"),
    (r"\.fit_transform\([^)]*,\s*\w*y\w*\)", "learns from the target; it must happen inside the folds"),
    (r"\.(best_score_|cv_results_)", "is the best of many scores on the same rows; it is no estimate"),
    (r"\.corr(with)?\(|corrcoef\(|f_classif\(|f_regression\(|mutual_info", "compares columns with the target"),
)


def _suspects(procedure: Any) -> list[str]:
    """Lines of a user's function that often leak, by number."""
    if hasattr(procedure, "fit"):
        return []
    try:
        lines, start = inspect.getsourcelines(procedure)
    except (OSError, TypeError):
        return []
    found = []
    for offset, line in enumerate(lines):
        for pattern, words in _PATTERNS:
            hit = re.search(pattern, line)
            if hit and not line.lstrip().startswith(("#", "def ")):
                found.append(f"line {start + offset}: {line.strip()[:60]!r} {words}")
                break
    return found[:5]
