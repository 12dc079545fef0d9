"""Groups of a problem reach the steps of a procedure that ask for them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import tamis
from tamis.transform import Encode, Transforms


def patients(n_patients=60, visits=5):
    """Every patient has a clinic of their own, and one answer at all visits: of new patients nothing is known."""
    who = np.repeat(np.arange(n_patients), visits)
    answer = np.random.default_rng(0).integers(0, 2, n_patients)[who]
    return pd.DataFrame({"clinic": [f"c{k}" for k in who]}), answer, who


MODEL = LogisticRegression(C=1000.0)
PROCEDURES = {
    "encode": make_pipeline(Encode("target"), MODEL),
    "words": make_pipeline(Transforms("clinic: encode(target)"), MODEL),
    "pipeline in a pipeline": make_pipeline(make_pipeline(Encode("target")), MODEL),
    "search": GridSearchCV(make_pipeline(Encode("target"), MODEL), {"logisticregression__C": [1000.0]}, cv=2),
}


@pytest.mark.parametrize("procedure", PROCEDURES.values(), ids=PROCEDURES)
def test_a_target_is_encoded_by_other_groups(procedure):
    """Training rows would be encoded by their own group's answers, which no new group has: sure and wrong."""
    X, y, groups = patients()
    found = tamis.nested_score(procedure, X, y, groups=groups, outer=4, scoring="neg_log_loss")
    assert found.mean == pytest.approx(-np.log(2), abs=0.05)


def test_a_study_keeps_its_groups_together(tmp_path, monkeypatch):
    """The main job would learn from encodings that hold the answers of the same patient."""
    X, y, groups = patients()
    table = X.assign(who=groups, visit=np.arange(len(y)) % 5, state=np.where(y == 1, "ill", "well"))
    table.to_csv(tmp_path / "table.csv", index=False)
    drawn, plain = [], Encode._folds

    def folds(self, n_rows, groups):
        found = plain(self, n_rows, groups)
        drawn.append((found[0], groups))
        return found

    monkeypatch.setattr(Encode, "_folds", folds)
    settings = {"procedures": "lasso", "folds": 2, "repeats": 1, "transform": "clinic: encode(target)"}
    tamis.Study(tmp_path / "table.csv", target="state", groups="who", folder=tmp_path / "study", **settings).run()
    assert drawn
    for fold, groups in drawn:
        pairs = set(zip(np.asarray(groups).tolist(), fold.tolist()))
        assert len(pairs) == len(set(np.asarray(groups).tolist()))
