"""The whole picture: legend, cards and the lines between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tamis import check
from tamis.tree.export.picture import colours, ink, legend
from tamis.tree.export.picture.cards import WIDTH, Card, Painter, Scale, card_of
from tamis.tree.export.picture.colours import EDGE, FAINT, PAPER
from tamis.tree.export.picture.places import across
from tamis.tree.export.picture.shown import best_first, leaves_below, to_depth

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


DEFAULT_WIDTH, MARGIN, GAP, DROP = 1500, 20, 16, 40  # eight cards side by side
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, 'DejaVu Sans', sans-serif"
LEAST, THICKEST = 1.25, 9.0  # of lines: as wide as the share of rows that goes along


def svg_of(model: BaseEstimator, max_depth: int | None = None, width: int | None = None) -> str:
    """The picture as text; the same for the same tree, to the byte."""
    if max_depth is not None:
        check.count("max_depth", max_depth, low=0)
    if width is not None:
        check.count("width", width, low=100)
    tree = model.tree_
    room = (width or DEFAULT_WIDTH) - 2 * MARGIN

    def fits(opened: np.ndarray) -> bool:
        middles = across(tree, tree.preorder(opened).tolist(), opened, WIDTH, GAP)
        return max(middles.values()) + WIDTH / 2 <= room

    opened = best_first(tree, fits) if max_depth is None else to_depth(tree, max_depth)
    nodes = tree.preorder(opened).tolist()
    below = leaves_below(tree)
    notations = getattr(model, "notations_in_", {})
    cards = {node: card_of(model, node, bool(opened[node]), int(below[node]), notations) for node in nodes}
    painter = _painter(model)
    middles = across(tree, nodes, opened, WIDTH, GAP)
    inside = max(max(middles.values()) + WIDTH / 2, min(520.0, room))
    middles = _centred(middles, inside)
    if painter.palette:
        key, key_height = legend.of_classes(model, painter.palette, inside)
    elif tree.value.shape[1] == 1:
        key, key_height = legend.of_numbers(painter.scale)
    else:
        key, key_height = "", 0.0
    tops, bottom = _rows(tree, cards, MARGIN + key_height + 14)
    lines = [_line(tree, cards, middles, tops, node) for node in nodes[1:]]
    drawn = [painter.draw(cards[node], MARGIN + middles[node] - WIDTH / 2, tops[node]) for node in nodes]
    summary = _summary(model, nodes, opened, max_depth is None)
    height = bottom + 30
    body = (
        f'<rect width="100%" height="100%" rx="10" fill="{PAPER}"/>'
        f'<g transform="translate({MARGIN} {MARGIN})">{key}</g>'
        f'<g class="lines" fill="none" stroke="{EDGE}" stroke-linejoin="round">{"".join(lines)}</g>'
        + "".join(drawn)
        + ink.write(MARGIN, bottom + 14, summary, 11, colour=FAINT)
    )
    return _sheet(body, inside + 2 * MARGIN, height, width, summary)


def _sheet(body: str, natural: float, height: float, width: int | None, summary: str) -> str:
    scale = 1.0 if width is None else min(1.0, width / natural)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{natural * scale:.0f}" height="{height * scale:.0f}" '
        f'viewBox="0 0 {natural:.1f} {height:.1f}" font-family="{FONT}" role="img" aria-label="{ink.clean(summary)}">'
        f"{body}</svg>"
    )


def _painter(model: BaseEstimator) -> Painter:
    is_class = hasattr(model, "classes_")
    palette = colours.of_classes(model.tree_.value[0]) if is_class else []
    return Painter(model, palette, Scale(0.0, 1.0) if is_class else Scale.of(model.tree_))


def _centred(middles: dict[int, float], room: float) -> dict[int, float]:
    """The cards in the middle, when the legend is wider than the tree."""
    shift = (room - max(middles.values()) - WIDTH / 2) / 2
    return {node: x + shift for node, x in middles.items()}


def _rows(tree: Any, cards: dict[int, Card], top: float) -> tuple[dict[int, float], float]:
    """The top of every card, one row a depth; and the bottom of the lowest."""
    tallest: dict[int, float] = {}
    for node, card in cards.items():
        depth = int(tree.depth[node])
        tallest[depth] = max(tallest.get(depth, 0.0), card.height)
    starts, at = {}, top
    for depth in sorted(tallest):
        starts[depth] = at
        at += tallest[depth] + DROP
    return {node: starts[int(tree.depth[node])] for node in cards}, at - DROP + 8


def _line(tree: Any, cards: dict[int, Card], middles: dict[int, float], tops: dict[int, float], node: int) -> str:
    """From the bottom of the parent to the top of the child, bent midway between their rows: no card is there."""
    parent = int(tree.parent[node])
    x, y = MARGIN + middles[parent], tops[parent] + cards[parent].height
    to, end = MARGIN + middles[node], tops[node] - 4
    bend, share = tops[node] - 0.5 * DROP, float(tree.n_rows[node] / tree.n_rows[0])
    return (
        f'<path d="M{x:.1f} {y:.1f}V{bend:.1f}H{to:.1f}V{end:.1f}" stroke-width="{max(LEAST, THICKEST * share):.2f}"/>'
    )


def _summary(model: BaseEstimator, nodes: list[int], opened: np.ndarray, best: bool) -> str:
    tree = model.tree_
    if tree.n_leaves == 1:
        return f"{int(tree.n_rows[0]):,} rows, one leaf"
    leaves = sum(not opened[node] and tree.left[node] < 0 for node in nodes)
    text = f"{int(tree.n_rows[0]):,} rows, {tree.n_leaves:,} leaves"
    if leaves == tree.n_leaves:
        return text
    return f"{text}; {leaves:,} are drawn" + (", where splits improve most" if best else "")
