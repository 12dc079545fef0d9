"""What a study finds out about its columns and its model, for people to read: none of it decides anything.

Read `marginal` (each column alone), `stability`, `interchangeable` and `pairs/` and `sure` (which columns, how sure),
`distribution` and `effect` (what a column does), `terms` and `complexity` (what a fit looks like inside), `learning`
(would more rows help), `readable` (a small model that a page can compute), `findings` (all of it, for results.json),
`null` (the same study on shuffled targets, where asked for).
"""
