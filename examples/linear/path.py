"""
Paths: the lasso drops columns, ridge only shrinks them
=======================================================

Coefficients of the diabetes table against the strength of the penalty, strongest on the left. Along the lasso's
path columns enter one after the other, at corners; along ridge's all are there from the beginning and grow
together. The dashed line is the strength that ten folds and the one-standard-error rule choose.
"""

from bokeh.layouts import row
from bokeh.plotting import show
from sklearn.datasets import load_diabetes

from tamis import LinearRegressor

X, y = load_diabetes(return_X_y=True, as_frame=True)
lasso = LinearRegressor("lasso").fit(X, y)
ridge = LinearRegressor("ridge").fit(X, y)
print(lasso.to_text())
print(f"the lasso uses {len(lasso.selected_columns_)} of {X.shape[1]} columns, ridge {len(ridge.selected_columns_)}")

assert len(lasso.selected_columns_) < 7
assert len(ridge.selected_columns_) == X.shape[1]
assert lasso.path_.n_columns[0] == 0
assert ridge.path_.n_columns[0] == X.shape[1]

charts = []
for name, model in (("lasso", lasso), ("ridge", ridge)):
    chart = model.plot_path(width=520, height=420)
    chart.title.text = f"{name}: {len(model.selected_columns_)} columns at the strength chosen"
    charts.append(chart)
show(row(*charts))
