"""The command that gives the same study again."""

from __future__ import annotations

import ast
import dataclasses
import re
import shlex

import pytest

from tamis.metrics.loss_matrix import plain
from tamis.report.reproduce import DEFAULTS, ONLY_PYTHON, command


def parsed(text: str) -> dict[str, str]:
    """The options of a command, as a shell and the command line would read them."""
    words = shlex.split(text)
    assert words[:2] == ["tamis", "run"]
    found, rest = {"": words[2]}, iter(words[3:])
    for word in rest:
        name, _, value = word.removeprefix("--").partition("=")
        found[name] = value if "=" in word else next(rest)
    return found


def test_defaults_are_those_of_a_study():
    """An option left unsaid would mean something else to the command."""
    from tamis.study.settings import Settings

    usual = dataclasses.asdict(Settings(target="y")) | Settings(target="y").to_dict()
    assert {name: usual[name] for name in (*DEFAULTS, *ONLY_PYTHON)} == {**DEFAULTS, **ONLY_PYTHON}
    assert {*DEFAULTS, *ONLY_PYTHON, "target", "seed"} == set(usual)


def test_every_setting_that_differs_is_said(made):
    """The command would run another study."""
    changed = {
        "seed": 7,
        "task": "classification",
        "scoring": "roc_auc",
        "lock": 0.3,
        "folds": 4,
        "repeats": 2,
        "groups": "ward",
    }
    listed = {"types": {"zip": "categorical", "age": "numeric"}, "drop": ["a", "b c"], "procedures": ["tree"]}
    found = parsed(command(made.plan(**changed, **listed)))
    assert found == {
        "": "breast cancer.csv",
        "target": "diagnosis",
        **{name: str(value) for name, value in changed.items()},
        "types": "zip=categorical,age=numeric",
        "drop": "a,b c",
        "procedures": "tree",
    }


def test_a_black_box_left_out_stays_out(made):
    """The command would judge a black box that the study did not."""
    assert command(made.plan(black_box=False)).endswith(" --no-black-box")
    assert "black" not in command(made.plan(black_box=True))


def test_costs_come_back_as_they_were_given(made):
    """The command would judge by other costs; labels that the command cannot hold are said in Python."""
    costs = {"ham": {"spam": 10.0}, "spam": {"ham": 0.5}}
    assert plain(parsed(command(made.plan(loss=costs)))["loss"]) == costs
    for hard in ({"a>b": {"c": 1.0}, "c": {"a>b": 1.0}}, [[0.0, 10.0], [1.0, 0.0]]):
        text = command(made.plan(loss=hard))
        assert f"loss={hard!r}" in text


def test_a_database_keeps_its_query(made):
    """The same URL without its query is another table."""
    plan = {**made.plan(), "source": "sqlite:///x.db", "query": "select * from t where a = 'b'"}
    assert parsed(command(plan))["query"] == "select * from t where a = 'b'"


def test_hostile_targets_survive_a_shell(made):
    """A name could run a command in the reader's shell, or be taken for an option."""
    seen = [name for name in made.HOSTILE if name.isprintable()]
    for name in [*seen, "--seed", "-x", "$(rm -rf ~)", "`id`"]:
        assert parsed(command(made.plan(target=name)))["target"] == name


@pytest.mark.parametrize("name", ["two\nlines", "\x1b[31m", "\u202eround", "\ud800"])
def test_what_cannot_be_seen_is_escaped(made, name):
    """A reader would copy characters that are not what they look like."""
    text = command(made.plan(target=name))
    assert text.replace("\n", "").isprintable()
    target = re.search(r"target=('.*?'), seed", text)
    assert target is not None
    assert ast.literal_eval(target.group(1)) == name


@pytest.mark.parametrize("changed", [{"drop": ["a,b"]}, {"types": {"a=b": "numeric"}}, {"inner": 3}, {"drop": [" a"]}])
def test_what_a_command_cannot_say_is_said_in_python(made, changed):
    """A name with a comma in it would be read as two names."""
    text = command(made.plan(**changed))
    ((name, value),) = changed.items()
    assert "tamis.Study('breast cancer.csv', target='diagnosis', seed=0" in text
    assert f"{name}={value!r}" in text
    compile(text, "command", "exec")


def test_a_table_in_memory_has_no_path(made):
    """The command would name a file that does not exist."""
    text = command({**made.plan(), "source": None})
    assert "tamis.Study(frame, target='diagnosis', seed=0).run()" in text
