"""Penalties on coefficients: `elastic_net` holds lasso, ridge and their mixture, by column or by group.

`units` are those in which strengths are chosen. A penalty is a strength for each coefficient; solvers read it,
and it solves nothing itself.
"""
