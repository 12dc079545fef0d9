"""
Traffic anomalies on network links
==================================

Forty links of a network carry the flows between eight places, so their traffic moves in a few common patterns of
day and night. The components of ordinary days hold these patterns; what a new hour has beside them, the squared
distance Q from the components, is odd. At one quiet hour a single flow rises by 15. No link leaves its usual range
by itself, yet Q stands out, and the columns that make up Q are the links on the way of that flow.

After Lakhina, Crovella and Diot (2004); the traffic here is simulated.
"""

import numpy as np
from bokeh.models import Span
from bokeh.plotting import figure, show

from tamis import PCA

rng = np.random.default_rng(0)
hours = np.arange(24 * 21)
flows, links = 8, 40
route = (rng.random((flows, links)) < 0.2).astype(float)  # which links a flow passes
daily = 1 + 0.6 * np.sin(2 * np.pi * (hours[:, None] / 24 + rng.random(flows)))
traffic = (daily * rng.uniform(20, 60, flows)) @ route + 2 * rng.normal(size=(len(hours), links))
odd = 24 * 17 + int(np.argmin(daily[24 * 17 : 24 * 18, 3]))  # the hour at which the fourth flow is usually smallest
traffic[odd] += 15 * route[3]

learned = slice(0, 24 * 14)  # two weeks of ordinary days
pca = PCA(2 * flows // 4).fit(traffic[learned])
q, limit = pca.anomaly_score(traffic), pca.anomaly_threshold(0.9999)
blamed = {int(name[1:]) for name in pca.anomaly_columns(traffic[[odd]])[0]}
print(f"Q is {q[odd] / limit:.1f} times the limit; blamed {sorted(blamed)}, route {np.flatnonzero(route[3])}")

low, high = traffic[learned].min(axis=0), traffic[learned].max(axis=0)
assert np.all((traffic[odd] > low) & (traffic[odd] < high))
assert set(np.flatnonzero(route[3])) <= blamed
assert np.argmax(q) == odd
assert q[odd] > 3 * limit

chart = figure(
    title="Three weeks on 40 links: distance from the components of ordinary days",
    x_axis_label="day",
    y_axis_label="Q",
    width=860,
    height=380,
)
chart.line(hours / 24, q, color="#2f6fbb", line_width=1.5)
chart.scatter([odd / 24], [q[odd]], size=12, color="#c2620a", legend_label="one flow rises by 15")
chart.add_layout(Span(location=limit, dimension="width", line_dash="dashed", line_color="#8a8f98", line_width=2))
chart.line(
    [0], [0], line_dash="dashed", color="#8a8f98", line_width=2, legend_label="limit for 1 ordinary hour in 10,000"
)
chart.legend.location = "top_left"
show(chart)
