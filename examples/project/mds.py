"""
A map from distances
====================

Given only how far twelve cities are from each other along great circles, multidimensional scaling puts them on a
map. It cannot know north, so the map is turned; distances agree to a few in a hundred. The rest is the curvature of
the earth, which no flat map can show.
"""

import numpy as np
from bokeh.models import ColumnDataSource, LabelSet
from bokeh.plotting import figure, show

from tamis.project import MDS

cities = {
    "Lisbon": (38.7, -9.1),
    "Madrid": (40.4, -3.7),
    "Paris": (48.9, 2.4),
    "London": (51.5, -0.1),
    "Dublin": (53.3, -6.3),
    "Rome": (41.9, 12.5),
    "Berlin": (52.5, 13.4),
    "Oslo": (59.9, 10.8),
    "Stockholm": (59.3, 18.1),
    "Warsaw": (52.2, 21.0),
    "Athens": (38.0, 23.7),
    "Helsinki": (60.2, 24.9),
}
latitude, longitude = np.radians(np.array(list(cities.values()))).T
turn = np.sin((latitude[:, None] - latitude) / 2) ** 2
turn += np.cos(latitude[:, None]) * np.cos(latitude) * np.sin((longitude[:, None] - longitude) / 2) ** 2
distance = 2 * 6371 * np.arcsin(np.sqrt(turn))

scaling = MDS(2, metric="precomputed", kind="metric").fit(distance)
place = scaling.embedding_
flat = np.hypot(*(place[:, None] - place).T)
away = np.abs(flat - distance)[np.triu_indices(12, 1)] / distance[np.triu_indices(12, 1)]
print(f"stress {scaling.stress_:.4f}; a distance on the map is off by {np.median(away):.1%} in the median")

assert scaling.stress_ < 0.02
assert np.median(away) < 0.01

angle = np.arctan2(*(place[list(cities).index("Oslo")] - place[list(cities).index("Rome")])[::-1])
turned = place @ np.array([[np.sin(angle), np.cos(angle)], [-np.cos(angle), np.sin(angle)]])  # Oslo above Rome
if turned[0, 0] > turned[4, 0] and turned[0, 0] > turned[9, 0]:
    turned[:, 0] *= -1  # a map from distances may be a mirror image
source = ColumnDataSource({"x": turned[:, 0], "y": turned[:, 1], "name": list(cities)})
chart = figure(title="Twelve cities, placed by their distances alone", width=620, height=560, match_aspect=True)
chart.scatter("x", "y", source=source, size=10, color="#2f6fbb")
chart.add_layout(LabelSet(x="x", y="y", text="name", source=source, x_offset=8, y_offset=4))
chart.xaxis.axis_label, chart.yaxis.axis_label = "km", "km, Oslo above Rome"
chart.x_range.range_padding = 0.45  # room for the names
show(chart)
