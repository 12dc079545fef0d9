"""
A validation set wears out
==========================

Eight hundred coin tosses. Somebody tries one random rule after another, turns it round where the validation rows
say that it is worse than a coin, and joins all rules by a vote: fifty rounds of honest-looking work. The validation
score climbs. Rows that nobody looked at, the locked set, stay at one half. The reusable holdout answers from the
training rows as long as both agree, and with a little noise otherwise, so it cannot be climbed.

Each look at a set of rows that guides the next step turns it into training rows. A study therefore locks a fifth of
the rows, opens them once, and counts every opening.
"""

import numpy as np
from bokeh.models import Span
from bokeh.plotting import figure, show

from tamis.evaluate import ReusableHoldout

rng = np.random.default_rng(3)
n, d, rounds = 800, 400, 50
X, y = rng.normal(size=(3 * n, d)), rng.integers(0, 2, 3 * n)
train, validation, locked = np.split(np.arange(3 * n), 3)


def vote(rules, rows):
    """The answer of all rules together: each is a column and a sign."""
    columns, signs = np.array([c for c, _ in rules]), np.array([s for _, s in rules])
    return ((X[np.ix_(rows, columns)] > 0) * 2 - 1) @ signs > 0


def climb(ask):
    """Keep each random rule that the rows asked judge better than half; scores after each round."""
    rules, seen = [], []
    for column in range(rounds):
        sign = 1 if ask(lambda A, b, c=column: (A[:, c] > 0) == (b == 1)) >= 0.5 else -1
        rules.append((column, sign))
        seen.append(np.mean(vote(rules, validation) == (y[validation] == 1)))
    return np.array(seen), np.mean(vote(rules, locked) == (y[locked] == 1))


naive, truth = climb(lambda right: right(X[validation], y[validation]).mean())
guard = ReusableHoldout(X, y, train=train, holdout=validation, threshold=0.08, noise=0.01, budget=20)
careful, _ = climb(guard.query)
print(
    f"the validation rows say {naive[-1]:.2f}, the locked rows {truth:.2f}; asked through the holdout {careful[-1]:.2f}"
)

assert naive[-1] > 0.6
assert abs(truth - 0.5) < 0.04
assert careful[-1] < naive[-1] - 0.05

chart = figure(
    title="Fifty looks at 800 coin tosses",
    x_axis_label="rules tried",
    y_axis_label="accuracy on the validation rows",
    width=740,
    height=420,
)
steps = np.arange(1, rounds + 1)
chart.line(
    steps, naive, color="#c2620a", line_width=3, legend_label="each look at the validation rows guides the next rule"
)
chart.line(steps, careful, color="#2f6fbb", line_width=3, legend_label="asked through a reusable holdout")
chart.add_layout(Span(location=truth, dimension="width", line_dash="dashed", line_color="#3d8b5f", line_width=2))
chart.line([1], [truth], line_dash="dashed", color="#3d8b5f", line_width=2, legend_label="locked rows, opened once")
chart.legend.location = "top_left"
show(chart)
