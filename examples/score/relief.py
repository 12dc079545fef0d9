"""XOR: two columns that tell nothing alone and everything together.

Run it: it ranks the columns by scores that look at one column and by scores that look at several, names the pair, and
draws what each criterion thinks of each column.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from bokeh.io import save
from bokeh.models import ColorBar, LinearColorMapper
from bokeh.plotting import figure
from bokeh.resources import INLINE

from tamis import RankSelector, score

CRITERIA = ["pearson", "stump", "mutual_information", "chi2", "anova", "relief", "interaction"]


def table(n=600, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        rng.normal(size=(n, 8)), columns=["wind", "rain", "sun", "salt", "iron", "zinc", "age", "size"]
    )
    outcome = (frame["salt"] > 0) ^ (frame["zinc"] > 0)
    frame["wind"] += 0.4 * outcome
    return frame, outcome.astype(int)


def picture(frame, ranks):
    chart = figure(
        x_range=list(frame.columns),
        y_range=CRITERIA[::-1],
        width=640,
        height=360,
        title="Rank of each column (1 is best)",
    )
    x = [column for _ in CRITERIA for column in frame.columns]
    y = [name for name in CRITERIA for _ in frame.columns]
    value = [int(rank) for name in CRITERIA for rank in ranks[name]]
    colours = LinearColorMapper(palette="Viridis256", low=frame.shape[1], high=1)
    source = {"x": x, "y": y, "rank": value, "text": list(map(str, value))}
    chart.rect("x", "y", 0.95, 0.95, source=source, color={"field": "rank", "transform": colours})
    chart.text("x", "y", "text", source=source, text_align="center", text_baseline="middle", text_color="white")
    chart.add_layout(ColorBar(color_mapper=colours), "right")
    return chart


def main():
    frame, outcome = table()
    ranks = {name: RankSelector(name).fit(frame, outcome).ranking_ for name in CRITERIA}
    print(pd.DataFrame(ranks, index=frame.columns).T.to_string())
    for pair in score.top_pairs(frame, outcome):
        print(f"{pair.first} and {pair.second} tell {pair.information:.2f} nats together that neither tells alone")
    save(picture(frame, ranks), Path("relief.html"), resources=INLINE, title="XOR")
    print("drawn: relief.html")


if __name__ == "__main__":
    main()
