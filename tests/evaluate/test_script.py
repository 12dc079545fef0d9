"""Procedures from scripts: found by name, or refused in one sentence."""

import numpy as np
import pytest

from tamis.errors import ParameterError
from tamis.evaluate.script import audit_table, from_script


def test_a_function_and_a_model_are_found(tmp_path):
    """A user's script must be run where it lies, with what lies beside it."""
    (tmp_path / "beside.py").write_text("HALF = 0.5\n", encoding="utf-8")
    script = tmp_path / "mine.py"
    script.write_text(
        "from beside import HALF\nfrom sklearn.naive_bayes import GaussianNB\n"
        "def procedure(X, y):\n    return HALF\nmodel = GaussianNB()\n",
        encoding="utf-8",
    )
    assert from_script(f"{script}:procedure")(None, None) == 0.5
    assert hasattr(from_script(f"{script}:model"), "fit")
    assert hasattr(from_script(f"{script}:GaussianNB"), "fit")


@pytest.mark.parametrize(
    ("text", "name", "says"),
    [
        ("x = 1\n", "procedure", "has no 'procedure'"),
        ("def procedur(X, y): return 1\n", "procedure", "did you mean 'procedur'"),
        ("1 / 0\n", "procedure", "cannot be run: ZeroDivisionError"),
        ("x = 1\n", "not a name", "names no procedure"),
    ],
)
def test_what_cannot_be_found_is_refused_in_one_sentence(tmp_path, text, name, says):
    """A misspelt name must be named, with the one that was meant."""
    script = tmp_path / "mine.py"
    script.write_text(text, encoding="utf-8")
    with pytest.raises(ParameterError) as caught:
        from_script(f"{script}:{name}")
    assert says in str(caught.value)
    with pytest.raises(ParameterError, match="there is no script"):
        from_script(f"{tmp_path}/other.py:procedure")
    with pytest.raises(ParameterError, match="names no procedure"):
        from_script("procedure")


PREDICTING = """
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

def peeking(X, y):
    best = np.argsort(-np.abs(np.corrcoef(X.T, y)[-1, :-1]))[:10]
    return y, cross_val_predict(LogisticRegression(), X[:, best], y, method="predict_proba")

def fineness(X, y):
    return 0.6 if len(np.unique(X[:, 0])) > 2 else 0.3
"""


def test_a_script_that_predicts_is_audited_under_the_metric_named(tmp_path):
    """Probabilities need a metric that reads them; a verdict that cannot be told is no leak."""
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.normal(size=(40, 100)).round(4), np.arange(40) % 2])
    names = [*(f"x{j}" for j in range(100)), "y"]
    np.savetxt(tmp_path / "t.csv", rows, delimiter=",", header=",".join(names), comments="", fmt="%g")
    (tmp_path / "mine.py").write_text(PREDICTING, encoding="utf-8")
    found = audit_table(f"{tmp_path}/mine.py:peeking", tmp_path / "t.csv", "y", scoring="log_loss", n_permutations=10)
    assert found.leaks
    assert "reshuffled" in found.chance_from
    untold = audit_table(f"{tmp_path}/mine.py:fineness", tmp_path / "t.csv", "y", n_permutations=10)
    assert (untold.leaks, untold.decided) == (False, False)
