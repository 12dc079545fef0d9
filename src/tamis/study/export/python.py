"""A model as a Python file that needs no other package."""

from __future__ import annotations

from importlib.resources import files
from pprint import pformat

import tamis
from tamis.study.export.program import Program
from tamis.task import predicts_numbers

_NUMBERS = '''

def predict(row: dict[str, Any]) -> float:
    """The predicted number of a row: a dict, column -> value, None where a value is missing."""
    return answers_of(MODEL, row)[0]
'''

_CLASSES = '''

def predict(row: dict[str, Any]) -> Any:
    """The predicted class of a row: a dict, column -> value, None where a value is missing."""
    return decide(MODEL, answers_of(MODEL, row))


def predict_proba(row: dict[str, Any]) -> dict[Any, float]:
    """The probability of every class."""
    return dict(zip(MODEL["labels"], answers_of(MODEL, row)))
'''


def python_of(program: Program, words: str) -> str:
    """The file: what it is, in comments; the model as a literal; the functions that compute with it."""
    header = [f"{program.target}, predicted by a model of Tamis {tamis.__version__}.", *words.splitlines()]
    header += [program.decision] * bool(program.decision)
    names = ", ".join(dict.fromkeys(column.get("source", column["name"]) for column in program.inputs))
    header += ["", f"predict(row) takes a dict with these columns: {names}."]
    comments = "".join(f"# {_plain(line)}".rstrip() + "\n" for text in header for line in text.splitlines() or [""])
    facts = program.to_dict()
    large = program.n_nodes > 2_000  # a literal that nobody reads: laying it out takes seconds
    literal = repr(facts) if large else pformat(facts, width=110, sort_dicts=False)
    source = (files("tamis.study.export") / "runtime.py").read_text(encoding="utf-8")
    source = source.partition("# begin\n")[2].partition("# end")[0].rstrip() + "\n"
    imports, _, functions = source.partition("\n\n\n")
    last = _NUMBERS if predicts_numbers(program.task) else _CLASSES
    written = f"{comments}{imports}\n\nMODEL: dict[str, Any] = {literal}\n\n\n{functions}{last}"
    return written.encode("utf-8", "backslashreplace").decode("utf-8")


def _plain(line: str) -> str:
    """A line without characters that could end a comment, or that no editor shows."""
    return "".join(letter if letter.isprintable() else " " for letter in line)
