"""Procedures from scripts: found by name, or refused in one sentence."""

import pytest

from tamis.errors import ParameterError
from tamis.evaluate.script import from_script


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
