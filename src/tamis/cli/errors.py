"""Errors of the library as one sentence in the words of the command line."""

import os
import re
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

import typer

from tamis.cli.stop import STOPPED, say, say_stopped, state

#: Exit code of bad input: one sentence said what.
BAD_INPUT = 1

#: Parameters that are options of another name, and all that are options.
_CALLED = {"n_jobs": "jobs", "n_permutations": "permutations", "random_state": "seed"}
_NAMES = (
    "target|folder|seed|types|query|drop|task|scoring|prefer|rare|loss|lock|folds|repeats|groups|time|procedures|"
    "procedure|columns|transform|rows|by|combine|coverage|to|engine|address|master|missing|positive|sheet|header|"
    + "|".join(_CALLED)
)
_PARAMETER = re.compile(rf"(?<!types: )(?<![\w'\"/=.-])(?P<name>{_NAMES})=(?:'(?P<word>[\w-]+)'|(?P<other>[^\s;,]*))")
#: Ways out that only Python has, and what the command line says instead.
_NO_OPTION = {
    r",? or give delimiter= if it is not '.{1,2}'": "",
    r"give its encoding=(?:, for example encoding='latin-1')?": "save it as UTF-8",
}

#: Letters of an error: a damaged file or a strange name can hold megabytes.
MOST_LETTERS = 2_000

display = {"debug": False}


def plainly(command: Callable[..., None]) -> Callable[..., None]:
    """Errors in one sentence, without a traceback unless --debug asked for it."""

    @wraps(command)
    def wrapped(*args: Any, **kwargs: Any) -> None:
        state["said"] = False
        try:
            command(*args, **kwargs)
        except KeyboardInterrupt:
            say_stopped()
            raise typer.Exit(STOPPED) from None
        except BrokenPipeError:  # the reader (head, less) went away: not an error
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except Exception as error:
            if state["stopped"]:  # whatever a library made of the interrupt
                say_stopped()
                raise typer.Exit(STOPPED) from None
            if display["debug"] or not isinstance(error, (ValueError, TypeError, OSError, ImportError)):
                raise
            where = "".join(f"{note}: " for note in getattr(error, "__notes__", ()))
            from tamis.errors import shortened

            sentence = as_options(" ".join(str(error).split()) if where else str(error))
            say(f"error: {where}{shortened(sentence, MOST_LETTERS)}")
            raise typer.Exit(BAD_INPUT) from None

    return wrapped


def as_options(sentence: str) -> str:
    """An error of the library in the words of the command line: options instead of parameters.

    >>> as_options("n_jobs=0 is no number of threads; give task='classification', or start over with run(fresh=True)")
    '--jobs 0 is no number of threads; give --task classification, or start over with --fresh'
    """
    sentence = sentence.replace("run(fresh=True)", "--fresh").replace("run()", "`tamis run`")
    return _PARAMETER.sub(_option, without_parameters(sentence))


def without_parameters(sentence: str) -> str:
    """A sentence without the parameters that are no options.

    >>> without_parameters("the file is not utf8 text throughout; give its encoding=")
    'the file is not utf8 text throughout; save it as UTF-8'
    """
    for words, instead in _NO_OPTION.items():
        sentence = re.sub(words, instead, sentence)
    return sentence


def _option(match: re.Match[str]) -> str:
    name, word = match["name"], match["word"] or match["other"]
    return f"--{_CALLED.get(name, name)}" + (f" {word}" if word else "")
