"""A pruned tree on the breast cancer table: printed, as rules, and drawn into tree.svg."""

from pathlib import Path

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from tamis import TreeClassifier

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
train, test, y_train, y_test = train_test_split(X, y, random_state=0)
tree = TreeClassifier(prune="cv").fit(train, y_train)
print(tree.to_text())
for rule in tree.rules():
    print(f"{rule['prediction']} when {rule['rule']} ({rule['rows']} rows, {rule['purity']:.0%} pure)")
print(f"held-out accuracy {tree.score(test, y_test):.3f}")
Path("tree.svg").write_text(tree.to_svg(), encoding="utf-8")
