"""The procedures of a study: those asked for, or those that the shape of its table calls for.

A study chooses among the readable ones that `compared="always"`; with prefer="best" those of "best" join in; those of
"named" are compared only by name, and users give their own. Black boxes are judged beside them. Which of them a table
calls for is decided by its shape alone, before any score is seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from sklearn.base import BaseEstimator, clone

from tamis.check import one_of
from tamis.errors import KindError, ParameterError
from tamis.study.procedures import (
    CALIBRATED,
    MAX_COLUMNS,
    MAX_WIDE_COLUMNS,
    Procedure,
    all_procedures,
    suits_wide,
)

#: Procedures of the user are fitted after the study's own of a cost below this.
CUSTOM_COST = 4


def chosen(
    requested: Iterable[str] | Mapping[str, Any] | None,
    transform: str | None = None,
    shape: tuple[int, int] | None = None,
    independent: bool = True,
    *,
    prefer: str = "balanced",
    max_columns: int | None = None,
    monotone: dict[str, int] | None = None,
) -> tuple[Procedure, ...]:
    """The procedures asked for, the baseline always among them and first.

    Parameters
    ----------
    requested : names, put in order simplest first; or name -> pipeline (a name alone stands for the procedure of that
        name), in the order given, which should be simplest first; None is all of
        `compared="always"` that suit the shape, and with prefer="best" those of "best", too.
    transform : what is done to columns before each of the study's own procedures but the baseline; a pipeline given has
        its own.
    shape : rows to learn from, and columns; None is a table that calls for all of them.
    independent : rows come neither in groups nor in time order. Else out-of-bag rows are correlated with in-bag rows of
        the same group, and a forest calibrated by them would be overconfident.
    prefer : as in `Settings`.
    max_columns : columns of a readable model at most; None is 12, or 20 for more columns than rows.
    monotone : directions of columns; procedures that cannot obey them are left out (see `left_out`).

    >>> [procedure.name for procedure in chosen(None, shape=(100, 30))]
    ['baseline', 'small-tree', 'formula', 'additive']
    """
    procedures = _requested(requested, prefer)
    if requested is None and shape is not None:
        procedures = tuple(procedure for procedure in procedures if procedure.suits(*shape))
    return _prepared(_obeying(procedures, monotone), transform, shape, independent, max_columns)


def references(
    transform: str | None,
    shape: tuple[int, int],
    independent: bool,
    named: Iterable[str],
    monotone: dict[str, int] | None = None,
) -> tuple[Procedure, ...]:
    """Black boxes that suit the shape of a table and are not among the procedures of these names."""
    suited = tuple(one for one in black_boxes() if one.suits(*shape) and one.name not in set(named))
    return _prepared(_obeying(suited, monotone), transform, shape, independent, None)


def left_out(
    requested: Iterable[str] | Mapping[str, Any] | None, prefer: str, shape: tuple[int, int]
) -> tuple[str, ...]:
    """Names of the procedures that would be compared, but cannot obey directions of columns.

    >>> left_out(["lasso", "subset"], "balanced", (100, 5)), left_out(None, "balanced", (100, 5))
    (('subset',), ())
    """
    return tuple(
        one.name
        for one in _requested(requested, prefer)
        if not one.takes_monotone and one.name != "baseline" and (requested is not None or one.suits(*shape))
    )


def _obeying(procedures: tuple[Procedure, ...], monotone: dict[str, int] | None) -> tuple[Procedure, ...]:
    """Those that can obey directions of columns, and do; and the baseline, which answers the same for all rows."""
    if not monotone:
        return procedures
    kept = tuple(one for one in procedures if one.takes_monotone or one.name == "baseline")
    if all(one.name == "baseline" for one in kept) and len(procedures) > len(kept):
        names = ", ".join(one.name for one in procedures if one.name != "baseline")
        raise ParameterError(f"monotone is not possible with {names}; give other procedures, or leave monotone out")
    return tuple(_with(one, monotone=dict(monotone)) if one.takes_monotone else one for one in kept)


def black_boxes(with_custom: bool = False) -> tuple[Procedure, ...]:
    """The black boxes that are judged beside readable models; only those also judged beside procedures that are named.

    >>> [procedure.name for procedure in black_boxes()]
    ['ridge', 'forest', 'boosting']
    """
    listed = [(one, one.reference) for one in all_procedures().values() if one.reference is not None]
    return tuple(
        replace(
            one,
            words=box.words,
            make=box.make,
            suits=box.suits,
            cost=box.cost,
            sized=False,
            takes_monotone=box.takes_monotone,
        )
        for one, box in listed
        if box.with_custom or not with_custom
    )


def _prepared(
    procedures: tuple[Procedure, ...],
    transform: str | None,
    shape: tuple[int, int] | None,
    independent: bool,
    max_columns: int | None,
) -> tuple[Procedure, ...]:
    """Procedures for a table of this shape, behind transforms."""
    largest = max_columns or (MAX_WIDE_COLUMNS if shape is not None and suits_wide(*shape) else MAX_COLUMNS)
    if shape is not None:
        procedures = tuple(_of_rows(procedure, shape[0]) for procedure in procedures)
    if not independent:
        procedures = tuple(
            _uncalibrated(procedure) if procedure.transformed or procedure.sized else procedure
            for procedure in procedures
        )
    procedures = tuple(
        _with(procedure, max_columns=largest) if procedure.by_size else procedure for procedure in procedures
    )
    if transform is None:
        return procedures
    return tuple(_after(transform, procedure) if procedure.transformed else procedure for procedure in procedures)


def _with(procedure: Procedure, **parameters: Any) -> Procedure:
    """The same procedure with parameters of its sized models, which may stand behind transforms."""

    def make(task: str, **rows: int) -> Any:
        model = clone(procedure.make(task, **rows))  # a user's own object stays as it is
        prefix = "model__" if hasattr(model, "steps") else ""
        return model.set_params(**{f"{prefix}{name}": value for name, value in parameters.items()})

    return replace(procedure, make=make)


def at_size(procedure: Procedure, size: int) -> Procedure:
    """A readable procedure with models of at most `size` columns.

    >>> at_size(all_procedures()["small-tree"], 3).name
    'small-tree[3]'
    """
    return replace(_with(procedure, size=size), name=f"{procedure.name}[{size}]")


def candidates(procedures: Iterable[Procedure], n_columns: int, max_columns: int) -> tuple[Procedure, ...]:
    """What is chosen among, simplest first: the baseline, readable models by number of columns, then the others.

    >>> [one.name for one in candidates(chosen(None, shape=(100, 2)), 2, 12)][:4]
    ['baseline', 'small-tree[1]', 'formula[1]', 'additive[1]']
    """
    from tamis.study.procedures.models.sized import sizes_up_to  # brings the models, so only when a study is run

    baseline, *models = procedures
    sized = [procedure for procedure in models if procedure.by_size]
    at_sizes = [at_size(procedure, size) for size in sizes_up_to(max_columns, n_columns) for procedure in sized]
    return (baseline, *at_sizes, *(procedure for procedure in models if not procedure.by_size))


def _of_rows(procedure: Procedure, n_rows: int) -> Procedure:
    """The same procedure for a study of so many rows to learn from."""
    return replace(procedure, make=partial(procedure.make, n_rows=n_rows)) if procedure.sized else procedure


def _uncalibrated(procedure: Procedure) -> Procedure:
    """The same procedure, its forest as sure as its trees agree."""

    def make(task: str) -> Any:
        model = procedure.make(task)
        names = model.get_params() if hasattr(model, "get_params") else ()
        calibration_names = [name for name in names if name.rsplit("__", 1)[-1] == "calibration"]
        return model.set_params(**dict.fromkeys(calibration_names)) if calibration_names else model

    return replace(procedure, make=make, words=procedure.words.removesuffix(CALIBRATED))


def _after(transform: str, procedure: Procedure) -> Procedure:
    """The same procedure behind transforms."""

    def make(task: str) -> Any:
        from tamis.study.procedures.models.transformed import Transformed

        return Transformed.of(transform, procedure.make(task))

    return replace(procedure, words=f"{procedure.words}; after {transform}", make=make)


def _requested(requested: Iterable[str] | Mapping[str, Any] | None, prefer: str) -> tuple[Procedure, ...]:
    listed = all_procedures()
    if requested is None:
        compared = ("always", "best") if prefer == "best" else ("always",)
        return tuple(procedure for procedure in listed.values() if procedure.compared in compared)
    if isinstance(requested, Mapping):
        custom = [_procedure_of(name, model) for name, model in requested.items() if name != "baseline"]
        return (listed["baseline"], *custom)
    wanted_names = {one_of("procedures", name, listed) for name in requested} | {"baseline"}
    return tuple(procedure for procedure in listed.values() if procedure.name in wanted_names)


def _procedure_of(name: Any, model: BaseEstimator) -> Procedure:
    if not isinstance(name, str) or not name.strip():
        raise KindError(f"the name {name!r} of a procedure is no text; give one word for each")
    if name != " ".join(name.split()) or name.endswith("]"):
        raise ParameterError(f"the name {name!r} of a procedure has odd spaces or ends in a bracket; give one word")
    if model is None or isinstance(model, str):
        listed = all_procedures()
        return replace(listed[one_of("procedures", model or name, listed)], name=name)
    if isinstance(model, type):
        raise KindError(f"procedures[{name!r}] is a class; give an object of it, as in {model.__name__}()")
    for verb in ("fit", "predict", "get_params"):
        if not hasattr(model, verb):
            raise KindError(f"procedures[{name!r}] has no {verb}; give a model, or a pipeline that ends in one")
    if name in all_procedures() and all_procedures()[name].is_reserved:
        raise ParameterError(f"procedures[{name!r}] has the name of a procedure there is; give it a name of its own")
    takes = "monotone" in model.get_params(deep=False)
    return Procedure(name, spoken(model), lambda task: model, cost=CUSTOM_COST, transformed=False, takes_monotone=takes)


def spoken(model: BaseEstimator) -> str:
    """A user's pipeline in words.

    >>> from sklearn.linear_model import Ridge
    >>> spoken(Ridge())
    'given: Ridge'
    """
    steps = getattr(model, "steps", None) or [("", model)]
    return f"given: {', then '.join(type(step).__name__ for _, step in steps if not isinstance(step, str))}"
