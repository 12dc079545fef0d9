"""Studies of tables with a text: the words are read, named in the answer, and judged as any column is."""

import importlib
import inspect
import pkgutil
import re

import numpy as np
import pandas as pd
import pytest

import tamis
from tamis.study.problem import StudyProblem
from tamis.study.settings import Settings
from tamis.table import fetch

COMMON = re.findall(
    r"\w+", "the a to you i and is for of it on me in my we at be have will not do can so just now get when"
)
SPAM = ["free", "win", "prize", "cash", "claim", "urgent", "mobile", "call"]
HAM = ["lunch", "sorry", "later", "home", "dinner", "mum", "friend"]


def mails(n: int, seed: int, *, signal: bool = True) -> pd.DataFrame:
    """Short messages; those of spam hold words of their own, or, without a signal, of either kind."""
    rng = np.random.default_rng(seed)
    share = 1 / np.arange(1, len(COMMON) + 1)
    rows = []
    for _ in range(n):
        is_spam = rng.random() < 0.4
        words = list(rng.choice(COMMON, size=rng.integers(4, 14), p=share / share.sum()))
        special = SPAM if (is_spam if signal else rng.random() < 0.5) else HAM
        words += list(rng.choice(special, size=rng.poisson(2)))
        rng.shuffle(words)
        rows.append((" ".join(words).capitalize(), "spam" if is_spam else "ham"))
    return pd.DataFrame(rows, columns=["message", "label"])


def documentation(package: str) -> list[str]:
    """The texts that document the classes and functions of a package of the standard library."""
    path = importlib.import_module(package).__path__
    modules = [importlib.import_module(f"{package}.{name}") for _, name, _ in pkgutil.iter_modules(path)
               if name != "__main__" and "windows" not in name]  # fmt: skip
    texts = set()
    for module in modules:
        for _, thing in inspect.getmembers(module, lambda one: inspect.isclass(one) or inspect.isfunction(one)):
            for _, part in [("", thing), *(inspect.getmembers(thing) if inspect.isclass(thing) else [])]:
                if (getattr(part, "__module__", "") or "").startswith(package) and len(
                    (part.__doc__ or "").split()
                ) > 7:
                    texts.add(" ".join(part.__doc__.split()))
    return sorted(texts)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    place = tmp_path_factory.mktemp("mails")
    frame = mails(160, 0)
    frame["message"] = frame["message"].mask(np.arange(160) == 7)  # one mail is empty
    return tamis.Study(frame, target="label", folder=place / "s", folds=3, repeats=1, black_box=False).run()


def test_the_answer_names_words(study):
    """200 mails would be answered with "no signal in 1 column", without having been read."""
    answer = study.results_["answer"]
    assert answer["signal"] == "captured"
    assert answer["score"] > answer["baseline"] + 0.1
    special = {f"message: {word}" for word in (*SPAM, *HAM)}
    assert len(special & set(study.selected_)) >= len(study.selected_) - 1
    assert study.selected_[0] in answer["words"]
    assert study.decisions[0].kind == "text"


def test_new_mails_are_predicted_from_their_text(study):
    """The words of new rows would have to be counted by hand."""
    new = pd.DataFrame({"message": ["Claim your FREE prize: call now", "Sorry, home later. Lunch?", None]})
    assert study.predict(new).tolist()[:2] == ["spam", "ham"]
    again = tamis.load(study.folder)
    np.testing.assert_array_equal(again.predict_proba(new), study.predict_proba(new))


def test_the_exported_file_reads_texts(study):
    """Outside of Tamis the columns of words do not exist."""
    space: dict = {}
    exec(compile(study.export("python"), "exported", "exec"), space)
    new = mails(60, 1).drop(columns="label")
    new.loc[3, "message"] = None
    rows = [{"message": None if text is None or text != text else text} for text in new["message"]]
    found = np.array([list(space["predict_proba"](row).values()) for row in rows])
    np.testing.assert_allclose(found, study.predict_proba(new), rtol=1e-9, atol=1e-12)


def test_words_that_only_judged_rows_share_leave_no_trace():
    """Which words are learned from would depend on the rows that are judged."""
    frame = mails(100, 2)
    problem = StudyProblem.of(fetch(frame), Settings("label", lock=0))
    column = "message: prize"
    rows = np.flatnonzero(problem.X.column(column).values)
    learned = np.setdiff1d(np.arange(len(problem.y)), rows[2:])  # two rows with the word are left: fewer than three
    shown = problem.model_input(learned, tamis.TreeClassifier(), learn=True)
    assert shown.column(column).values.sum() == 0
    assert problem.model_input(rows, tamis.TreeClassifier()).column(column).values.sum() == len(rows)


def test_real_texts(tmp_path):
    """The documentation of two packages of the standard library: which package a text belongs to."""
    first, second = documentation("asyncio"), documentation("email")
    n = min(len(first), len(second), 120)
    frame = pd.DataFrame({"text": [*first[:n], *second[:n]], "package": ["asyncio"] * n + ["email"] * n})
    study = tamis.Study(frame, target="package", folder=tmp_path / "s", folds=3, repeats=1, black_box=False).run()
    assert study.results_["answer"]["signal"] == "captured"
    assert study.score_ > 0.7
    assert all(name.startswith("text: ") or name == "text (words)" for name in study.selected_)
