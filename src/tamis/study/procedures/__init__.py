"""One file a procedure, found by its file: its `PROCEDURE` holds everything that is said and done about it.

A procedure is everything that is learned from training rows: transform, choice of columns, model and its strength. Read
`stump` or `lasso` first. `models/` holds the estimators they make and what is known of a fitted one. Which procedures a
study compares is decided in `tamis.study.requested`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

#: Columns of a readable model at most; of a table of more columns than rows.
MAX_COLUMNS, MAX_WIDE_COLUMNS = 12, 20

#: What is said of a forest, where its rows are independent.
CALIBRATED = "; its probabilities of classes are calibrated by rows that its trees did not see"


def suits_all(n_rows: int, n_columns: int) -> bool:
    """Every table."""
    return True


def suits_wide(n_rows: int, n_columns: int) -> bool:
    """Tables of more columns than rows."""
    return n_columns > n_rows


def suits_tall(n_rows: int, n_columns: int) -> bool:
    """Tables of no more columns than rows."""
    return n_columns <= n_rows


def suits_many_columns(n_rows: int, n_columns: int) -> bool:
    """Tables of more columns than a readable model may use."""
    return n_columns > MAX_COLUMNS


@dataclass(frozen=True)
class Reference:
    """A black box that is judged beside readable models: it says what reading costs.

    Attributes
    ----------
    words : str
        What it does, for people.
    noun : str
        As it stands in a sentence, with its article.
    make : callable
        task -> an unfitted model.
    suits : callable, default=`suits_all`
        (rows to learn from, columns) -> whether a table of this shape calls for it.
    cost : int, default=0
        As in `Procedure`.
    with_custom : bool, default=False
        Whether it is also judged beside procedures that are asked for by name.
    takes_monotone : bool, default=False
        As in `Procedure`.
    """

    words: str
    noun: str
    make: Callable[..., Any]
    suits: Callable[[int, int], bool] = suits_all
    cost: int = 0
    with_custom: bool = False
    takes_monotone: bool = False


@dataclass(frozen=True)
class Procedure:
    """A named procedure: how its model is made, when it is compared, and how it is called in sentences.

    Attributes
    ----------
    name : str
        One word, used in settings and results.
    words : str
        What it does, for people.
    make : callable
        task -> an unfitted model; where `sized`, also the rows of the study, as `n_rows`.
    order : int, default=1000
        Simplest first: 0 is the baseline.
    compared : {"always", "best", "named"}, default="named"
        In every study; where prefer="best"; only where it is asked for by name.
    readable : bool, default=False
        Whether a person can follow the fitted model from a row to its prediction.
    suits : callable, default=`suits_all`
        (rows to learn from, columns) -> whether a table of this shape calls for it, where none are named.
    cost : int, default=0
        When it is fitted: 0 where inner predictions come with the fit, else the dearer the later.
    sized : bool, default=False
        Whether its model depends on the number of rows of the study.
    by_size : bool, default=False
        Whether it fits a model for each number of columns (`SizedModels`), of which one is chosen.
    transformed : bool, default=True
        Whether the transforms of a study come before it.
    takes_monotone : bool, default=False
        Whether its model has a parameter `monotone`, by which predictions rise or fall with columns.
    article : {"the", "a", ""}, default=None
        Before the noun in a list of the procedures compared; None is a procedure that is called by its name in quotes.
    noun, plural, label : str, default=the name
        In a sentence, in a list of the models tried, and beside a point of a chart.
    reference : Reference, default=None
        The black box of the same name that is judged beside readable models.
    """

    name: str
    words: str
    make: Callable[..., Any]
    order: int = 1_000
    compared: str = "named"
    readable: bool = False
    suits: Callable[[int, int], bool] = suits_all
    cost: int = 0
    sized: bool = False
    by_size: bool = False
    transformed: bool = True
    takes_monotone: bool = False
    article: str | None = None
    noun: str = ""
    plural: str = ""
    label: str = ""
    reference: Reference | None = None

    @property
    def is_reserved(self) -> bool:
        """Whether a pipeline of the user may not have its name."""
        return self.compared != "named" or self.reference is not None


@lru_cache(maxsize=1)
def all_procedures() -> dict[str, Procedure]:
    """Every procedure by its name, simplest first.

    >>> list(all_procedures())[:3]
    ['baseline', 'stump', 'score-card']
    """
    names = [module.name for module in iter_modules(__path__) if not module.ispkg]
    procedures: list[Procedure] = [import_module(f"{__name__}.{name}").PROCEDURE for name in names]
    return {procedure.name: procedure for procedure in sorted(procedures, key=lambda one: (one.order, one.name))}


def in_sentence(name: str) -> str:
    """A procedure as it stands in a sentence; one of the user's by its name in quotes.

    >>> in_sentence("lasso"), in_sentence("mine"), in_sentence("small-tree[5]")
    ('the lasso', "the procedure 'mine'", 'the small tree with at most 5 columns')
    """
    base, _, size = name.partition("[")
    if size.endswith("]") and size[:-1].isdigit():
        columns = "1 column" if size == "1]" else f"{size[:-1]} columns"
        return f"{in_sentence(base)} with at most {columns}"
    return with_article(name, f"the procedure {name!r}")


def with_article(name: str, default: str) -> str:
    """A procedure with its definite article, or a default for one of the user's.

    >>> with_article("stump", "it"), with_article("boosting", "it"), with_article("mine", "it")
    ('the stump', 'gradient boosting', 'it')
    """
    procedure = all_procedures().get(name)
    if procedure is None or procedure.article is None:
        return default
    return f"the {procedure.noun or name}" if procedure.article else procedure.noun


def in_list(name: str) -> str:
    """A procedure in a list of those compared.

    >>> in_list("stump"), in_list("lasso"), in_list("boosting"), in_list("mine")
    ('a stump', 'the lasso', 'gradient boosting', 'the mine')
    """
    procedure = all_procedures().get(name)
    if procedure is not None and procedure.article == "a":
        return f"a {procedure.noun or name}"
    return with_article(name, f"the {name}")


def in_plural(name: str) -> str:
    """Several models of a procedure, in a list of the models tried.

    >>> in_plural("small-tree"), in_plural("boosting"), in_plural("mine")
    ('small trees', 'gradient boosting', 'mine')
    """
    procedure = all_procedures().get(name)
    return (procedure.plural if procedure else "") or reference_noun(name, name)


def reference_noun(name: str, default: str) -> str:
    """A black box with its article.

    >>> reference_noun("forest", "it"), reference_noun("lasso", "it")
    ('a random forest', 'it')
    """
    procedure = all_procedures().get(name)
    return default if procedure is None or procedure.reference is None else procedure.reference.noun


def label(name: str) -> str:
    """A procedure beside a point of a chart.

    >>> label("additive"), label("formula")
    ('curves', 'formula')
    """
    procedure = all_procedures().get(name)
    return (procedure.label if procedure else "") or name
