"""
Filter, wrapper, embedded and hybrid, side by side
==================================================

Four families of selectors on one table: 120 rows, 60 columns, of which six matter and have near copies.

* **Filter**: rank columns by a score, without a model.
* **Wrapper**: search for the set on which a model does best.
* **Embedded**: a model that leaves columns out as it is fitted, the lasso.
* **Hybrid**: filter to twenty, then search among these.

`tamis.search.compare` fits each on the training rows of every fold and judges the model that follows on the others:
which columns, how stable, how good on new rows. Here the filter keeps copies beside their originals and misses a
true column; the hybrid inherits what the filter missed; the search and the lasso hold all six, and the lasso holds
nothing else.
"""

import numpy as np
from bokeh.models import ColumnDataSource, LabelSet, Whisker
from bokeh.plotting import figure, show
from sklearn.feature_selection import SelectFromModel
from sklearn.pipeline import make_pipeline

import tamis
from tamis import LinearRegressor, RankSelector, SubsetSelector

rng = np.random.default_rng(0)
X = rng.normal(size=(120, 60))
X[:, 10:16] = 0.8 * X[:, :6] + 0.6 * X[:, 10:16]  # near copies of the true columns
y = X[:, :6] @ [2.0, -2.0, 1.5, -1.5, 1.0, 1.0] + 2 * rng.normal(size=120)

selectors = {
    "filter": RankSelector("pearson", k=12),
    "wrapper": SubsetSelector(LinearRegressor(None), search="forward", rule="1se"),
    "embedded": SelectFromModel(LinearRegressor("lasso", cv=5)),
    "hybrid": make_pipeline(
        RankSelector("pearson", k=20), SubsetSelector(LinearRegressor(None), search="backward", rule="1se")
    ),
}
found = tamis.search.compare(selectors, X, y, repeats=2, scoring="r2")
print(found.to_text())

true = {name: len(set(found[name].columns) & set(range(6))) for name in selectors}

assert true == {"filter": 5, "wrapper": 6, "embedded": 6, "hybrid": 5}
assert found["embedded"].columns == (0, 1, 2, 3, 4, 5)
assert found["filter"].mean < min(found["wrapper"].mean, found["embedded"].mean) - 0.1

rows = [found[name] for name in selectors]
data = {"stability": [row.stability for row in rows], "score": [row.mean for row in rows]}
data |= {"low": [row.mean - row.error for row in rows], "high": [row.mean + row.error for row in rows]}
data["words"] = [f"{r.name}: {true[r.name]} of 6 true in {len(r.columns)}" for r in rows]
source = ColumnDataSource(data)
chart = figure(
    title="Four families of selectors in the same folds",
    x_axis_label="stability of the chosen set (1: always the same)",
    y_axis_label="R² on rows not seen",
    x_range=(0.59, 0.9),
    y_range=(0.5, 0.76),
    width=760,
    height=440,
)
chart.add_layout(Whisker(source=source, base="stability", lower="low", upper="high", line_color="#8a8f98"))
chart.scatter("stability", "score", source=source, size=14, color="#2f6fbb")
chart.add_layout(LabelSet(x="stability", y="score", text="words", source=source, x_offset=12, y_offset=-8))
show(chart)
