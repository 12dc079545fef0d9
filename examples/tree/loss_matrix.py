"""
Spam with a loss matrix
=======================

A letter lost as spam costs ten times a spam let through. The same tree, grown with the costs, answers "spam" only
where it is sure: more spam passes, hardly any letter is lost, and the bill is smaller. On the left what each tree
answers, on the right what it costs.
"""

import numpy as np
from bokeh.layouts import row
from bokeh.plotting import figure, show
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split

from tamis import TreeClassifier

X, codes = make_classification(4_000, 12, n_informative=6, flip_y=0.1, weights=[0.6], random_state=0)
y = np.where(codes == 1, "spam", "letter")
train, test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
LOSS = [[0, 10], [1, 0]]  # truth, then answer: letter, spam
trees = {
    "every mistake alike": TreeClassifier(prune="cv").fit(train, y_train),
    "a lost letter costs 10": TreeClassifier(prune="cv", loss_matrix=LOSS).fit(train, y_train),
}
lost, passed, cost = {}, {}, {}
for name, tree in trees.items():
    answer = tree.predict(test)
    lost[name] = int(((y_test == "letter") & (answer == "spam")).sum())
    passed[name] = int(((y_test == "spam") & (answer == "letter")).sum())
    cost[name] = (10 * lost[name] + passed[name]) / len(y_test)
    print(f"{name:<24} letters lost {lost[name]:>4}, spam let through {passed[name]:>4}, cost a mail {cost[name]:.2f}")

plain, costly = trees
assert lost[costly] < lost[plain] / 2
assert cost[costly] < 0.8 * cost[plain]

names = list(trees)
left = figure(x_range=names, title="Mistakes among 2,000 mails", width=480, height=400)
kinds = {"letters lost": list(lost.values()), "spam let through": list(passed.values())}
left.vbar_stack(
    list(kinds),
    x="name",
    width=0.6,
    color=["#c2620a", "#b8bec6"],
    source={"name": names, **kinds},
    legend_label=list(kinds),
)
left.y_range.start = 0
left.legend.location = "top_left"
right = figure(x_range=names, title="Cost a mail", width=480, height=400)
right.vbar(x=names, top=list(cost.values()), width=0.6, color="#2f6fbb")
right.y_range.start = 0
show(row(left, right))
