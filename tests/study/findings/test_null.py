"""The whole job on shuffled targets: the same job, repeats included."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tamis
from tamis.evaluate.chance.shuffle import permuted
from tamis.study.findings.null import null_score
from tamis.study.fold import FoldRules
from tamis.study.requested import chosen


def test_a_null_score_is_that_of_a_study_of_the_shuffled_target(tmp_path):
    """Nulls of one repeat spread more than a score of three, and p-values in noise were never below 0.2."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 3)), columns=list("abc")).assign(y=rng.normal(size=60))
    options = {"lock": 0, "procedures": ["stump", "lasso"], "black_box": False, "n_jobs": 1}
    study = tamis.Study(frame, target="y", folder=tmp_path / "s", **options)
    problem = study.problem
    assert problem.plan.repeats == 3
    rules = FoldRules.of(study.settings, problem)
    procedures = chosen(("stump", "lasso"))
    null = null_score(problem, rules, procedures, procedures, (), "balanced", 0, seed=0)
    shuffled = frame.assign(y=permuted(problem.y, 0, 0))
    found = tamis.Study(shuffled, target="y", folder=tmp_path / "t", **options).run().results_["comparison"]
    assert null == pytest.approx(found["score"])
