"""
A pruned tree, to read
======================

Thirty measurements of a tumour, and a tree that ten folds pruned to what they can agree on. Each card is a group of
patients: above it what sends them there, on it the answer, below the line the next question. Text, rules and SQL
say the same tree.
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
