"""
Score against the number of columns
===================================

A study compares procedures in the same outer folds, each with its own choice of columns made inside them, and takes
the simplest one that gives away hardly anything. The picture shows what each uses and gets, from models of a single
column up to a dozen; the chosen one is orange. Somebody who needs a shorter list can take another point:
`study.choose(columns=3)` refits, and says that a person chose.
"""

from importlib.resources import files
from tempfile import mkdtemp

from bokeh.plotting import show

import tamis

table = files("tamis") / "demo" / "breast_cancer.csv"
study = tamis.Study(str(table), target="diagnosis", folder=mkdtemp(), black_box=False, repeats=1).run()
print(study.answer_)
for point in study.results_["frontier"]:
    print(f"{point['procedure']:<10} {point['columns']:5.1f} columns, {point['score']:.3f}")

points = {point["procedure"]: point for point in study.results_["frontier"]}
single = next(rung["score"] for rung in study.results_["ladder"] if rung["columns"] == 1)
assert study.score_ > 0.93
assert single < points[study.results_["answer"]["procedure"]]["score"]
chart = study.plot.frontier()
chart.width, chart.height, chart.sizing_mode = 740, 420, "fixed"
show(chart)
