"""Small trees by search instead of greed: of at most three levels and eight leaves, the one with the least impurity.

Method. Each column is cut into a few bins, with the cuts of the greedy tree among them. The best tree over these cuts
is found by branch and bound for every number of leaves (`_core.optimal_trees`). Then each split is moved to the best
exact value, the other splits unchanged, until none improves. So the tree is never worse on its training rows than the
greedy one with as many leaves and levels. `proved` says whether it is the best over the binned cuts.

References
----------
Demirović et al. (2022), MurTree: optimal decision trees via dynamic programming and search.
Briţa, van der Linden, Demirović (2025), Optimal classification trees for continuous feature data using dynamic
programming with branch-and-bound.

axes.py    columns in the orders in which they can be cut, and the cuts that are searched
search.py  the best tree of every size
build.py   a tree from its splits
size.py    the number of leaves by cross-validation
"""

from tamis.tree.optimal.search import search_trees
from tamis.tree.optimal.size import choose_size, size_table, sized_trees

__all__ = ["choose_size", "search_trees", "size_table", "sized_trees"]
