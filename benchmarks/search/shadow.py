"""Shadow selection beside Boruta's rule and boruta_py: columns confirmed in noise, true and false columns, CPU seconds.

Noise: 120 × 10, the target a coin. Signal: 1,000 × 60, 12 columns matter. "Boruta's rule" is binomial tests of the
rounds in which a column beats its best shadow, on the forest of Tamis; its rounds redraw shadows, not data.

python benchmarks/search/shadow.py [tables of noise] [tables of signal]
"""

import sys
import time
import warnings
from collections.abc import Callable

import numpy as np
from scipy.stats import binom
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

import tamis
from tamis.search.shadow import default_forest

TRUE = 12


def shadow_selector(X: np.ndarray, y: np.ndarray, seed: int) -> np.ndarray:
    return tamis.ShadowSelector(random_state=seed, n_jobs=1).fit(X, y).support_


def boruta_rule(X: np.ndarray, y: np.ndarray, seed: int, rounds: int = 50, alpha: float = 0.05) -> np.ndarray:
    """Hits against 1/2 with Bonferroni's correction, after 50 rounds."""
    rng, d = np.random.default_rng(seed), X.shape[1]
    hits = np.zeros(d)
    for number in range(rounds):
        shadows = rng.permuted(X, axis=0)
        model = default_forest(True).set_params(n_jobs=1, random_state=1000 * seed + number)
        weight = model.fit(np.hstack([X, shadows]), y).feature_importances_
        hits += weight[:d] > weight[d:].max()
    return binom.sf(hits - 1, rounds, 0.5) <= alpha / d


def boruta_py(X: np.ndarray, y: np.ndarray, seed: int) -> np.ndarray:
    from boruta import BorutaPy

    forest = RandomForestClassifier(max_depth=5, class_weight="balanced", n_jobs=1)  # as its README has it
    return BorutaPy(forest, n_estimators="auto", random_state=seed).fit(X, y).support_


def measured(select: Callable, n_noise: int, n_signal: int) -> str:
    noise, true, false = 0, 0, 0
    for seed in range(n_noise):
        rng = np.random.default_rng(seed)
        noise += bool(select(rng.normal(size=(120, 10)), rng.integers(0, 2, 120), seed).any())
    seconds = []
    for seed in range(n_signal):
        X, y = make_classification(
            1000, 60, n_informative=8, n_redundant=4, shuffle=False, random_state=seed, class_sep=0.7
        )
        start = time.process_time()
        support = select(X, y, seed)
        seconds.append(time.process_time() - start)
        true, false = true + int(support[:TRUE].sum()), false + int(support[TRUE:].sum())
    return (
        f"noise confirmed in {noise} of {n_noise} tables; true columns {true} of {TRUE * n_signal}, false {false}; "
        f"{np.mean(seconds):.1f} s"
    )


def main(n_noise: int = 60, n_signal: int = 5) -> None:
    warnings.simplefilter("ignore")
    ways = {"tamis.ShadowSelector": shadow_selector, "Boruta's rule": boruta_rule}
    try:
        import boruta  # noqa: F401

        ways["boruta_py"] = boruta_py
    except ImportError:
        print("boruta is absent: pip install Boruta")
    for name, select in ways.items():
        print(f"{name:21s} {measured(select, n_noise, n_signal)}", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
