"""What the outer folds show.

Read `race` (how far a procedure is fitted inside a training part), `figures` (score, interval and losses of a
procedure), `naive` (forecasts without columns, in time order), `compare` (of all, and the one chosen), `black_box`
(what reading a model costs), `dominant` (a column that reaches as much alone), `frontier` (score against columns),
`person` (another choice than the rule's), `studies` (two studies side by side).
"""
