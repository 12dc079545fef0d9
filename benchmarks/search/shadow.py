"""Shadow selection on 1,000 × 60 against boruta_py: CPU seconds on one thread, true and false columns over seeds.

python benchmarks/search/shadow.py [seeds]
"""

import sys
import time

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

import tamis

TRUE = 12


def main(seeds: int = 10) -> None:
    try:
        from boruta import BorutaPy
    except ImportError:
        BorutaPy = None
        print("boruta is absent: pip install boruta")
    totals = np.zeros((2, 3))
    for seed in range(seeds):
        X, y = make_classification(
            1000, 60, n_informative=8, n_redundant=4, shuffle=False, random_state=seed, class_sep=0.7
        )
        start = time.process_time()
        ours = tamis.ShadowSelector(random_state=seed).fit(X, y)
        totals[0] += time.process_time() - start, ours.support_[:TRUE].sum(), ours.support_[TRUE:].sum()
        if BorutaPy is not None:
            start = time.process_time()
            forest = RandomForestClassifier(max_depth=5, class_weight="balanced", n_jobs=1)  # as its README has it
            theirs = BorutaPy(forest, n_estimators="auto", random_state=seed).fit(X, y)
            totals[1] += time.process_time() - start, theirs.support_[:TRUE].sum(), theirs.support_[TRUE:].sum()
        print(f"after seed {seed}: seconds, true, false: tamis {totals[0]}, boruta_py {totals[1]}", flush=True)
    if BorutaPy is not None:
        print(f"tamis is {totals[1, 0] / totals[0, 0]:.1f} times faster than boruta_py")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
