"""One file a criterion: how good each column is (`interaction`: each pair), without a model.

Each holds the public function and the class behind it (see `tamis.score.criterion`); read `pearson` or `gini` first.
The compiled parts are in `tamis.score.kernels`.
"""
