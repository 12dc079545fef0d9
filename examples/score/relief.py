"""
Relief sees what ranking does not
=================================

The outcome is an XOR of salt and zinc: neither says anything alone. Criteria that look at one column at a time put
them anywhere; Relief, which compares each row with its nearest rows of both classes, puts them first, and so does
the interaction of pairs.
"""

import numpy as np
import pandas as pd
from bokeh.models import LinearColorMapper
from bokeh.plotting import figure, show

from tamis import RankSelector, score

rng = np.random.default_rng(0)
X = pd.DataFrame(rng.normal(size=(600, 8)), columns=["wind", "rain", "sun", "salt", "iron", "zinc", "age", "size"])
y = ((X["salt"] > 0) ^ (X["zinc"] > 0)).astype(int)
X["wind"] += 0.4 * y

criteria = ["pearson", "stump", "mutual_information", "chi2", "anova", "relief", "interaction"]
ranks = {name: RankSelector(name).fit(X, y).ranking_ for name in criteria}
(pair,) = score.top_pairs(X, y)
print(f"{pair.first} and {pair.second} tell {pair.information:.2f} nats together that neither tells alone")

assert {pair.first, pair.second} == {"salt", "zinc"}
for name in ("relief", "interaction"):
    assert set(X.columns[ranks[name] <= 2]) == {"salt", "zinc"}
assert ranks["pearson"][0] == 1  # wind, which says a little alone

colours = LinearColorMapper(palette="Blues256", low=-3, high=len(X.columns) + 1)
source = {
    "column": [column for _ in criteria for column in X.columns],
    "criterion": [name for name in criteria for _ in X.columns],
    "rank": [int(rank) for name in criteria for rank in ranks[name]],
}
source["text"] = [str(rank) for rank in source["rank"]]
source["ink"] = ["white" if rank <= 2 else "#3c434d" for rank in source["rank"]]
chart = figure(
    x_range=list(X.columns),
    y_range=criteria[::-1],
    title="Rank of each column (1 is best); the truth is salt with zinc",
    width=760,
    height=400,
)
fill = {"field": "rank", "transform": colours}
chart.rect("column", "criterion", 0.94, 0.9, source=source, color=fill)
centred = {"text_align": "center", "text_baseline": "middle", "text_font_size": "15px"}
chart.text("column", "criterion", "text", source=source, text_color="ink", **centred)
chart.grid.visible = False
show(chart)
