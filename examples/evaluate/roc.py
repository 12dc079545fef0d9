"""
A ROC curve and the area under it
=================================

Breast cancer, held-out rows: each threshold on the predicted probability trades detected cancers (true positives)
against false alarms. The area under the curve is the probability that a malignant case is ranked above a benign one.
"""

import numpy as np
from bokeh.plotting import figure, show
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from tamis import LinearClassifier
from tamis.metrics import roc, score

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
train, test, y_train, y_test = train_test_split(X, 1 - y, random_state=0, stratify=y)
probability = LinearClassifier("ridge", alpha=0.1).fit(train, y_train).predict_proba(test)[:, 1]
curve = roc(y_test, probability)
area = score("roc_auc", y_test, probability)
pairs = probability[y_test == 1][:, None] - probability[y_test == 0][None, :]
ranked = (pairs > 0).mean() + 0.5 * (pairs == 0).mean()
print(f"area {area:.3f}, pairs in the right order {ranked:.3f}")

assert np.isclose(area, ranked)
assert np.isclose(area, np.trapezoid(curve["true_positive"], curve["false_positive"]))
assert area > 0.98
chart = figure(
    title=f"ROC curve: area {area:.3f}", x_axis_label="false positive rate", y_axis_label="true positive rate"
)
chart.line([0, 1], [0, 1], color="#8a8f98", line_dash="dashed")
chart.step(curve["false_positive"], curve["true_positive"], color="#2f6fbb", line_width=3, mode="after")
show(chart)
