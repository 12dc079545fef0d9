"""Penalties on coefficients: `elastic_net` holds lasso, ridge and their mixture, by column or by group.

A penalty is a strength for each coefficient; solvers read it, and it solves nothing itself.
"""
