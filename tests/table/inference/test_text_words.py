"""Texts become columns of words: which texts, which words, and the same words in other rows."""

import numpy as np
import pandas as pd
import pytest

import tamis
from tamis.errors import ParameterError
from tamis.table.inference.text_words import min_rows_of_word

MAILS = ["win a free phone now", "lunch at noon with me", "call for a free prize", "see you at lunch later"]


def mails(n: int = 40) -> list[str]:
    return [f"{MAILS[k % 4]} {'abcdefghij'[k // 4 % 10] * 3}{k}" for k in range(n)]


def test_a_column_of_messages_becomes_its_words():
    """A study of mails would answer without having read them."""
    table = tamis.read({"mail": mails(), "size": np.arange(40) * 0.5})
    decision = table.decisions[0]
    assert (decision.kind, decision.used) == ("text", True)
    assert decision.note.endswith("words are columns: those in 3 to 37 rows")
    assert table.column("mail: free").values.tolist() == [1.0, 0.0, 1.0, 0.0] * 10
    assert set(table.column("mail (words)").values.tolist()) == {6.0}
    assert {column.origin for column in table.columns} == {"mail", "size"}


def test_other_rows_are_read_by_the_same_words():
    """A model would be given other columns than it was fitted on."""
    table = tamis.read({"mail": mails(), "size": np.arange(40) * 0.5})
    new = tamis.read({"mail": ["FREE, free!", None, "noon sharp"], "size": [1.0, 2.0, 3.0]}, like=table)
    assert new.names == table.names
    assert new.column("mail: free").values.tolist() == [1.0, 0.0, 0.0]
    assert new.column("mail: noon").values.tolist() == [0.0, 0.0, 1.0]
    assert new.column("mail (words)").values.tolist() == [2.0, 0.0, 2.0]


def test_words_of_too_few_or_nearly_all_rows_are_no_columns():
    """Thousands of words of one row each, or words that tell no rows apart, would be learned from."""
    texts = [f"the patient came {'late' if k < 3 else ''} on day {'kxyzabc'[k % 7]}{k}" for k in range(60)]
    assert [name for name in tamis.read({"note": texts, "x": np.arange(60) * 0.5}).names if ":" in name] == [
        "note: late"
    ]
    assert (min_rows_of_word(600), min_rows_of_word(601)) == (3, 4)


def test_names_of_people_are_left_out_unless_they_are_called_text():
    """A model would learn who a row is."""
    first, last = ["Anna Maria", "Owen John", "Laina Eva", "Karl Emil"], ["Braund", "Heikkinen", "Meier"]
    names = [f"{last[k % 3]}{'abcdefghijklmnopqrstuvwxyz'[k % 26]}, Mr. {first[k % 4]}" for k in range(40)]
    names = [f"{name} {'xyzuvw'[k % 6]}{k}".title() for k, name in enumerate(names)]
    frame = pd.DataFrame({"name": names, "age": np.arange(40) * 0.5})
    left = tamis.read(frame).decisions[0]
    assert (left.kind, left.used) == ("text", False)
    assert "types='name=text'" in left.note
    assert "name: anna" in tamis.read(frame, types="name=text").names


def test_a_target_of_texts_stays_one_column():
    """What is predicted would be taken apart."""
    table = tamis.read({"mail": mails(), "size": np.arange(40) * 0.5}, target="mail")
    assert table.column("mail").kind == "categorical"
    with pytest.raises(ParameterError, match="cannot be text"):
        tamis.read({"mail": mails(), "size": np.arange(40) * 0.5}, target="mail", types="mail=text")


def test_a_declared_text_may_repeat():
    """A diagnosis of few different texts could not be read word by word."""
    rows = {"diagnosis": ["chronic pain", "acute pain", "fracture"] * 10, "x": np.arange(30) * 0.5}
    assert tamis.read(rows).column("diagnosis").is_categorical
    words = [name for name in tamis.read(rows, types="diagnosis=text").names if ":" in name]
    assert words == ["diagnosis: acute", "diagnosis: chronic", "diagnosis: fracture", "diagnosis: pain"]


def test_texts_in_many_files_are_read_as_the_sample_decides(tmp_path):
    """Words would be missing from a table larger than memory."""
    for k in range(2):
        frame = pd.DataFrame({"mail": mails()[20 * k : 20 * k + 20], "size": np.arange(20) * 0.5 + k})
        frame.to_parquet(tmp_path / f"part{k}.parquet")
    lazy, whole = tamis.read(tmp_path, lazy=True), tamis.read({"mail": mails()})
    assert [name for name in lazy.names if ":" in name] == [name for name in whole.names if ":" in name]
