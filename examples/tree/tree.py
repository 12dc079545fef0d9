"""
A pruned tree, to read
======================

Thirty measurements of a tumour, and a tree that ten folds pruned to what they can agree on. Each point is a group of
patients, larger for more of them: on the branch stands the threshold that sends them there, beside the point the next
question, or the answer. `to_text`, `to_sql` and `to_svg` write the same tree.
"""

from bokeh.plotting import show
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from tamis import TreeClassifier

data = load_breast_cancer(as_frame=True)
X, y = data.data, data.target.map({0: "malignant", 1: "benign"})
train, test, y_train, y_test = train_test_split(X, y, random_state=0)
tree = TreeClassifier(prune="cv").fit(train, y_train)
print(tree.to_text())
print(f"{tree.get_n_leaves()} leaves, accuracy on rows held out {tree.score(test, y_test):.3f}")

assert tree.get_n_leaves() <= 8
assert tree.score(test, y_test) > 0.9
show(tree.plot(width=860, height=440))
