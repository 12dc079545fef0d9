"""What a study may say.

Read `scoring` (the score of rows), `rare_classes`, `held_out` (tests of losses and ranks), `claim` (is there a signal
beyond chance), `association` (is there one in columns alone), `sentences` (the answer in words), `price` (what it says
of the black box), `methods` (the paragraph of a paper).
"""
