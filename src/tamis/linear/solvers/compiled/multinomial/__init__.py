"""The path of three classes or more: `fit` (a fit, and what it shares with its folds), `ridge_fit` (along axes)."""
