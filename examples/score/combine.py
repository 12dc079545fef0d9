"""
Combined ranks beat combined scores when a criterion shouts
===========================================================

Thirty columns; ten matter: nine a little, in mean and in spread, and one strongly. Three criteria each know a part:
the F ratio sees means, a function of our own sees spreads, mutual information a bit of both. The two F ratios give
the strong column so much that, standardised, all the others look alike: combining scores throws away what they know
of the weak columns. Combining ranks keeps it, and beats each criterion alone.

In the rank–score graph a criterion that shouts falls at once.
"""

import numpy as np
from bokeh.plotting import show

from tamis import score

TRUE = 10


def table(seed, n=150, d=30):
    """One strong column, nine weak ones, twenty of noise."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, d))
    X[:, 0] += 15 * y
    X[:, 1:TRUE] += 0.35 * y[:, None]
    X[:, 1:TRUE] *= np.where(y, 1.35, 1.0)[:, None]
    return X, y


def spread(X, y):
    """F ratio of the distances from the median: whether the classes differ in spread (Brown and Forsythe)."""
    return score.anova(np.abs(X - np.median(X, axis=0)), y)


def opinions(X, y):
    return {"anova": score.anova(X, y), "spread": spread(X, y), "mutual information": score.mutual_information(X, y)}


def found(scores):
    """How many of the true columns are among the first ten."""
    return (np.argsort(-scores)[:TRUE] < TRUE).sum()


totals = {}
for seed in range(100):
    scores = opinions(*table(seed))
    for name, alone in scores.items():
        totals.setdefault(f"{name} alone", []).append(found(alone))
    for how in ("standardised", "borda", "median", "reciprocal"):
        totals.setdefault(f"combined: {how}", []).append(found(score.combine(list(scores.values()), how)))
for way, counts in totals.items():
    print(f"{way:<28}{np.mean(counts):5.2f} of {TRUE} ± {np.std(counts) / 10:.2f}")

means = {way: np.mean(counts) for way, counts in totals.items()}
assert means["combined: borda"] > max(value for way, value in means.items() if "alone" in way) + 0.5
assert means["combined: borda"] > means["combined: standardised"] + 0.7
chart = score.rank_score_graph(opinions(*table(0)))
chart.width, chart.height = 720, 420
show(chart)
