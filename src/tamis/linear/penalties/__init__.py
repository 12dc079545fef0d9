"""Penalties on coefficients: `elastic_net` holds lasso, ridge and their mixture, by column or by group.

`units` are those in which strengths are chosen, `strength` gives them by a bound or a prior, `across_targets` is the
lasso of several targets. A penalty is a strength for each coefficient; solvers read it, and it solves nothing itself.
"""
