"""Every figure of a report by its name, and the files they are saved in."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tamis.check import one_of
from tamis.errors import ParameterError
from tamis.report.figures.chart import chart_picture
from tamis.report.figures.drawing import drawing_picture
from tamis.report.figures.picture import Picture
from tamis.report.figures.png import png_of
from tamis.results.results import Results
from tamis.saved import naming, write_whole

#: What figures are saved as.
FORMATS = ("svg", "png")

#: Letters of a column's name in the name of a file.
MOST_LETTERS = 40


def every_figure(
    results: dict[str, Any], plan: dict[str, Any] | None = None, looks: Sequence[dict[str, Any]] = ()
) -> dict[str, Picture]:
    """The charts, the ladder, the model's drawings and the cards of columns, by the names of their files.

    Parameters
    ----------
    results : as in results.json, finished.
    plan, looks : as in the report.
    """
    from tamis.report.charts.drawn import captions, drawn
    from tamis.report.short_names import with_short_names

    record = Results.from_dict(with_short_names(results))
    charts = {name: chart_picture(figure, captions()[name]) for name, figure in drawn(record).items()}
    return {
        **_drawings(record, plan or {"source": None, "query": None, "settings": record.settings}, looks),
        **charts,
    }


def _drawings(results: Results, plan: dict[str, Any], looks: Sequence[dict[str, Any]]) -> dict[str, Picture]:
    """The drawings of the page that are no charts."""
    from tamis.report.facts import facts as facts_of
    from tamis.report.page import drawing_macros

    facts, macros = facts_of(results, plan, looks), drawing_macros()
    pictures: dict[str, Picture] = {}

    def add(name: str, svg: Any, around: str, words: str, heading: str = "", key: Any = ()) -> None:
        named = [(one["text"], one["css"]) for one in key]
        pictures[_free(name, pictures)] = drawing_picture(str(svg).strip(), around, words, heading, named)

    if facts.get("ladder"):
        alt = facts["ladder"]["alt"]
        wide = next(one for one in facts["ladder"]["pictures"] if one["css"] == "wide")
        add("ladder", macros.ladder_svg(wide, alt), "ladder", alt)
    drawn = (facts.get("model") or {}).get("picture") or {"kind": None}
    if drawn["kind"] == "tree":
        sentence, labels = drawn["tree"]["sentence"], (facts["model"]["try"] or {"labels": ()})["labels"] or ()
        key = [{"text": label, "css": f"c{k}"} for k, label in enumerate(labels[:7])]
        svg = macros.tree_svg(drawn["tree"]["picture"], sentence)
        add("model-tree", svg, "drawing tree-picture", sentence, key=key)
    elif drawn["kind"] == "additive":
        key = drawn["curves"]["legend"]
        for curve in drawn["curves"]["curves"]:
            if not curve["levels"]:
                name = f"model-{_plain(curve['whole'])}"
                add(name, macros.curve_svg(curve), "curve", curve["alt"], curve["name"], key)
        for pair in drawn["curves"]["pairs"]:
            first, second = pair["names"]
            name, heading = f"model-{_plain(first)}-{_plain(second)}", f"{first} (across), {second} (up)"
            add(name, macros.pair_svg(pair), "curve map", pair["alt"], heading)
    cards = facts.get("cards") or {"listed": (), "legend": ()}
    for card in cards["listed"]:
        if not card["words"]:
            name = f"column-{_plain(card['name'])}"
            add(name, macros.column_svg(card), "column-card", card["alt"], card["short"], cards["legend"])
    return pictures


def _plain(name: str) -> str:
    """A name as part of a file's name.

    >>> _plain("mean radius / µm"), _plain("../..")
    ('mean-radius-µm', 'column')
    """
    return re.sub(r"[^\w]+", "-", name).strip("-_")[:MOST_LETTERS].rstrip("-_") or "column"


def _free(name: str, taken: dict[str, Picture]) -> str:
    """The name, or with a number behind it, where letters of either case are the same."""
    lower, number, free = {one.lower() for one in taken}, 2, name
    while free.lower() in lower:
        free, number = f"{name}-{number}", number + 1
    return free


def export_figures(pictures: dict[str, Picture], folder: Path, to: Sequence[str] | None = None) -> list[Path]:
    """Write the figures into a folder, one file per figure and format; the paths of the files.

    Parameters
    ----------
    to : "svg", "png" or both; both, where Pillow is installed.
    """
    formats = formats_of(to)
    with naming(folder):
        folder.mkdir(parents=True, exist_ok=True)
    return [save_picture(picture, folder / f"{name}.{kind}") for name, picture in pictures.items() for kind in formats]


def formats_of(to: Sequence[str] | str | None) -> tuple[str, ...]:
    """The formats asked for, checked."""
    if to is None:
        return FORMATS if find_spec("PIL") else FORMATS[:1]
    formats = tuple(part.strip() for part in to.split(",")) if isinstance(to, str) else tuple(to)
    for kind in formats:
        one_of("to", kind, FORMATS)
    return formats


def save_picture(picture: Picture, path: str | os.PathLike[str]) -> Path:
    """Write a picture to a file whose name ends in .svg or .png."""
    file_path = Path(path)
    kind = file_path.suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        raise ParameterError(f"a figure is saved as .svg or .png, but the path is {str(path)!r}; give such a name")
    if kind == "svg":
        write_whole(file_path, picture.svg())
        return file_path
    content = png_of(picture)
    with naming(file_path):
        file_path.write_bytes(content)
    return file_path
