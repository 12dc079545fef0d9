"""
Factors behind stocks
=====================

Returns of twenty stocks: all follow the market, and those of an industry follow their industry. Factor analysis
separates what is shared from each stock's own noise; after a varimax turn, each factor is one industry. Rows of the
picture are stocks, columns factors, and the colour is how much of the one is in the other.

The returns are simulated, so the factors are known.
"""

import numpy as np
from bokeh.models import LinearColorMapper
from bokeh.plotting import figure, show

from tamis.project import FactorAnalysis

rng = np.random.default_rng(0)
industries = ["energy"] * 7 + ["banks"] * 7 + ["software"] * 6
stocks = [f"{name} {k}" for name, size in (("energy", 7), ("banks", 7), ("software", 6)) for k in range(1, size + 1)]
kinds = ["energy", "banks", "software"]
days = 750
market, own = rng.normal(size=days), rng.normal(size=(days, 3))
member = np.array([[industry == kind for kind in kinds] for industry in industries])
returns = 0.3 * market[:, None] + own @ member.T + rng.uniform(0.6, 1.2, 20) * rng.normal(size=(days, 20))

factors = FactorAnalysis(3, rotation="varimax").fit(returns)
loadings = np.asarray(factors.components_)  # factors × stocks
belongs = np.abs(loadings).argmax(axis=0)
found = [set(belongs[member[:, k]]) for k in range(3)]
print("share of each stock's variance that the factors hold:", np.round(factors.communalities_, 2))

assert all(len(one) == 1 for one in found)  # all stocks of an industry load on one factor
assert len(set.union(*found)) == 3  # and industries on different ones
assert factors.communalities_.min() > 0.3

order = [next(iter(one)) for one in found]
cells = [(stock, f"factor {k + 1}", loadings[order[k], j]) for j, stock in enumerate(stocks) for k in range(3)]
source = {"stock": [c[0] for c in cells], "factor": [c[1] for c in cells], "value": [c[2] for c in cells]}
source["text"] = [f"{value:.2f}" for value in source["value"]]
source["ink"] = ["white" if value > 0.7 else "#1d2430" for value in source["value"]]
chart = figure(
    x_range=[f"factor {k + 1}" for k in range(3)],
    y_range=stocks[::-1],
    title="Loadings of 20 stocks on three factors",
    width=560,
    height=600,
    x_axis_location="above",
)
colour = LinearColorMapper(palette=["#ffffff", "#dbe8f6", "#aecbe9", "#7eabd9", "#4f8cc9", "#2f6fbb"], low=0, high=1.1)
chart.rect("factor", "stock", 0.96, 0.92, source=source, color={"field": "value", "transform": colour})
middle = {"text_align": "center", "text_baseline": "middle", "text_font_size": "13px"}
chart.text("factor", "stock", "text", source=source, text_color="ink", **middle)
chart.grid.visible = False
show(chart)
