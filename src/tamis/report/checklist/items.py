"""The items of three checklists: number, subject in our words, and the fact of a study that answers it, if any."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Item:
    """One item; `fact` names what of a study answers it, "" where only a person can."""

    number: str
    subject: str
    fact: str = ""


@dataclass(frozen=True)
class Checklist:
    """A checklist: its title, its source, its items."""

    title: str
    source: str
    items: tuple[Item, ...]


TRIPOD_AI = Checklist(
    "TRIPOD+AI",
    "Collins et al., BMJ 2024; 385: e078378",
    (
        Item("1", "Title: a prediction model is developed or evaluated, for whom and for which outcome"),
        Item("2", "Abstract, by the checklist for abstracts"),
        Item("3a", "Health context and reason for the model"),
        Item("3b", "Intended users and place in the care pathway"),
        Item("3c", "Known health inequalities between groups"),
        Item("4", "Objectives: development, evaluation, or both", "objective"),
        Item("5a", "Sources of the data, for development and for evaluation", "source"),
        Item("5b", "Dates at which the data were collected"),
        Item("6a", "Setting: number and location of centres"),
        Item("6b", "Criteria by which participants were included", "left_out"),
        Item("6c", "Treatments received, and how they were handled"),
        Item("7", "Preparation and quality checks of the data", "preparation"),
        Item("8a", "Outcome: what is predicted, and how it was determined", "outcome"),
        Item("8b", "Qualifications of those who judged the outcome, if judgement was needed"),
        Item("8c", "Blinding of the outcome's assessment"),
        Item("9a", "Choice of initial predictors", "predictors"),
        Item("9b", "Definition and measurement of predictors"),
        Item("9c", "Qualifications of those who judged predictors, if judgement was needed"),
        Item("10", "How the sample size was arrived at", "sample_size"),
        Item("11", "Missing data: how they were handled", "missing"),
        Item("12a", "Use of the data for development and evaluation: partitions", "partition"),
        Item("12b", "How predictors were handled: form, scaling, transformation", "transformation"),
        Item("12c", "Type of model, steps of building it, tuning, internal validation", "building"),
        Item("12d", "Differences between clusters (hospitals, countries), if there are any", "clusters"),
        Item("12e", "Measures of performance, and why", "measures"),
        Item("12f", "Updating of the model, such as recalibration"),
        Item("12g", "How predictions were made for evaluation", "partition"),
        Item("13", "Methods for class imbalance, and recalibration afterwards", "imbalance"),
        Item("14", "Methods to address fairness", "subgroups"),
        Item("15", "Output of the model: probabilities, classes, thresholds", "output"),
        Item("16", "Differences between development and evaluation data", "drift"),
        Item("17", "Ethical approval and consent"),
        Item("18a", "Funding"),
        Item("18b", "Conflicts of interest"),
        Item("18c", "Where the protocol can be read"),
        Item("18d", "Registration"),
        Item("18e", "Availability of the data"),
        Item("18f", "Availability of the code", "code"),
        Item("19", "Involvement of patients and the public"),
        Item("20a", "Flow of participants, with and without the outcome", "flow"),
        Item("20b", "Characteristics of participants, with missing data", "characteristics"),
        Item("20c", "Comparison of development and evaluation data", "drift"),
        Item("21", "Number of participants and events in each analysis", "events"),
        Item("22", "The full model, so that it can be used", "model"),
        Item("23a", "Performance with intervals, overall and in subgroups", "performance"),
        Item("23b", "Differences of performance between clusters", "subgroups"),
        Item("24", "Results of updating"),
        Item("25", "Interpretation, fairness included"),
        Item("26", "Limitations"),
        Item("27a", "How input of poor quality or missing input is handled in use", "use"),
        Item("27b", "Interaction of users with the model, and the expertise they need"),
        Item("27c", "Next steps for research"),
    ),
)

REFORMS = Checklist(
    "REFORMS",
    "Kapoor et al., Science Advances 2024; 10: eadk3452",
    (
        Item("1a", "Population about which the claim is made"),
        Item("1b", "Why this population"),
        Item("1c", "Why machine learning"),
        Item("2a", "Data set, so that results can be reproduced", "source"),
        Item("2b", "Code", "code"),
        Item("2c", "Computing environment", "environment"),
        Item("2d", "Instructions"),
        Item("2e", "A script that reproduces all results", "code"),
        Item("3a", "Sources of the data", "source"),
        Item("3b", "Sampling frame"),
        Item("3c", "Why the data suit the question"),
        Item("3d", "Definition of the outcome", "outcome"),
        Item("3e", "Number of rows, in total and per class", "events"),
        Item("3f", "Missing data", "missing"),
        Item("3g", "Whether the data represent the population"),
        Item("4a", "Rows that were left out, and why", "left_out"),
        Item("4b", "Impossible or corrupt values", "preparation"),
        Item("4c", "All transformations, those of units and scales included", "transformation"),
        Item("5a", "Models, in detail", "building"),
        Item("5b", "Why these models", "choice"),
        Item("5c", "Evaluation: split, folds, repeats", "partition"),
        Item("5d", "Selection of the model", "choice"),
        Item("5e", "Tuning, with the values that were tried", "building"),
        Item("5f", "Baselines", "baseline"),
        Item("6a", "Separation of training and test data in every step", "leakage"),
        Item("6b", "Dependence between rows, duplicates included", "clusters"),
        Item("6c", "Whether every column is legitimate for the task", "legitimate"),
        Item("7a", "Metrics", "measures"),
        Item("7b", "Uncertainty, and how it was computed", "performance"),
        Item("7c", "Statistical tests", "tests"),
        Item("8a", "Evidence of external validity", "drift"),
        Item("8b", "Contexts in which the results do not hold"),
    ),
)

PROBAST = Checklist(
    "PROBAST",
    "Wolff et al., Annals of Internal Medicine 2019; 170: 51",
    (
        Item("1.1", "Were appropriate data sources used?", "source"),
        Item("1.2", "Were participants included and excluded appropriately?", "left_out"),
        Item("2.1", "Were predictors defined and assessed alike for all?"),
        Item("2.2", "Were predictors assessed without knowledge of the outcome?", "legitimate"),
        Item("2.3", "Are all predictors available when the model is to be used?", "legitimate"),
        Item("3.1", "Was the outcome determined appropriately?"),
        Item("3.2", "Was a standard definition of the outcome used?", "outcome"),
        Item("3.3", "Were predictors kept out of the outcome's definition?", "legitimate"),
        Item("3.4", "Was the outcome determined alike for all?"),
        Item("3.5", "Was the outcome determined without knowledge of the predictors?"),
        Item("3.6", "Was the time between predictors and outcome appropriate?"),
        Item("4.1", "Were there enough participants with the outcome?", "events"),
        Item("4.2", "Were continuous and categorical predictors handled appropriately?", "transformation"),
        Item("4.3", "Were all enrolled participants analysed?", "flow"),
        Item("4.4", "Were missing data handled appropriately?", "missing"),
        Item("4.5", "Was selection by univariable tests avoided?", "building"),
        Item("4.6", "Were complexities of the data (censoring, competing risks, sampling) accounted for?"),
        Item("4.7", "Were discrimination and calibration evaluated?", "performance"),
        Item("4.8", "Were overfitting and optimism accounted for?", "optimism"),
        Item("4.9", "Do the weights of the final model correspond to the reported analysis?", "model"),
    ),
)

CHECKLISTS = {"tripod-ai": TRIPOD_AI, "reforms": REFORMS, "probast": PROBAST}
