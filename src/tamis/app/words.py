"""Words of statistics, each explained in a sentence or two that need no other."""

from __future__ import annotations

WORDS = {
    "target": "The column you want to predict: the outcome, the diagnosis, the price.",
    "column": "One property of every row: age, blood pressure, colour. Also called variable or feature.",
    "row": "One case: a patient, a sample, a house.",
    "kind": "What the values of a column are: numbers, categories, dates. It decides what can be computed with them.",
    "missing values": "Cells without a value. They are kept as missing and never filled in when the table is read.",
    "groups": "A column whose equal values belong together, such as the patient when each has several rows. All rows "
    "of a group stay on the same side, so that no score is earned by recognising a patient.",
    "time": "A column that orders the rows. The past then learns, and what came later judges.",
    "exposure": "How long or how much each row was observed: years at risk, an area, a number of persons. Counts are "
    "then predicted as rates, per unit of it.",
    "direction": "What you know before: that predictions may only rise, or only fall, as a column rises with all "
    "others equal. Every model of the study is held to it.",
    "subgroups": "Scores and calibration of the rows of each value, as of men and of women. Where none is chosen, "
    "columns of 2 to 6 values are judged so.",
    "costs": "What each kind of mistake costs. To miss a disease may be ten times as bad as a false alarm; answers are "
    "then those of least expected cost.",
    "class that is looked for": "Of two classes the one a finding is about: the disease, the default. Sensitivity is "
    "the share of its rows that are detected, specificity that of the other rows that are cleared.",
    "leak": "Something in the table that gives the answer away but will not be there for new cases, such as a column "
    "filled in after the diagnosis. Scores are then too good.",
    "locked rows": "A part of the rows that is put away before anything is learned, and scored once at the very end. "
    "Their score shows whether the expected one was honest.",
    "fold": "The rows are divided into parts. Each part in turn is held out while a model learns from the others, so "
    "that every score comes from held-out rows.",
    "repeat": "The division into folds is done several times, because with few rows a single one depends on luck.",
    "procedure": "A complete way from a table to a model, its choice of columns included: a decision tree, a linear "
    "model, a forest.",
    "baseline": "What you get without looking at any column: always the most frequent class, or the mean.",
    "black box": "A model nobody can read (gradient boosting). It is judged beside the others, so that you know what a "
    "readable model costs.",
    "accuracy": "The share of rows whose class is predicted rightly.",
    "interval": "A range that says how sure a number is. A 95% interval holds the true value in 95 of 100 studies.",
    "first known here": "No earlier look at these rows is recorded beside this study. The first score of rows that "
    "nobody has looked at, here or elsewhere, is independent of every choice, even of yours.",
    "unlike": "A row that differs from all rows the model learned from, such as an age above all of theirs. Its "
    "prediction is a guess beyond what was seen.",
    "reason": "What the prediction would be if this one value were not known. The difference is what the value does.",
    "seed": "A number that fixes every random choice. The same seed gives the same result again.",
    "p-value": "How often chance alone would bring a difference this large. Below 0.05 it is usually called "
    "significant.",
    "standard error": "How far a mean would scatter if the study were done again.",
    "score": "How good predictions of held-out rows are, by the measure that is named beside it.",
}
