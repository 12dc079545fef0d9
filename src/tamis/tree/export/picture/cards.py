"""What stands on the card of a node: how rows come here, what they are like, and what is asked next."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tamis.tree.export.picture import colours, ink
from tamis.tree.export.picture.colours import FAINT, INK, LINE, PAPER
from tamis.tree.export.wording import Notations, answer, combination, condition, levels_on, number, question, reply

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


WIDTH, PAD = 164, 10
ROOM = WIDTH - 2 * PAD
HEAD, BODY, SMALL = 12, 13, 11  # sizes of text
STEP = 15  # from one line to the next
BAR = 10


@dataclass(frozen=True, eq=False)
class Card:
    """A node's card: its lines of text, wrapped, and so its height."""

    node: int
    head: list[str]
    head_size: float
    head_title: str
    body: list[str]
    body_size: float
    body_title: str
    foot: list[str]
    foot_title: str
    hidden: int  # leaves below a node that is not opened

    @property
    def height(self) -> float:
        return self.head_height + self.body_height + self.foot_height

    @property
    def head_height(self) -> float:
        return len(self.head) * STEP + 6 if self.head else 0

    @property
    def body_height(self) -> float:
        return len(self.body) * STEP + BAR + STEP + 20

    @property
    def foot_height(self) -> float:
        return len(self.foot) * STEP + 9 if self.foot else 0


def card_of(model: BaseEstimator, node: int, is_open: bool, below: int, notations: Notations) -> Card:
    """The card of a node."""
    tree = model.tree_
    head: list[str] = []
    head_size, head_title = float(HEAD), ""
    if tree.parent[node] >= 0:
        parent = int(tree.parent[node])
        side = node - int(tree.left[parent])
        head, head_size = _reply_lines(tree, parent, side, notations)
        head_title = _whole_condition(tree, parent, side, notations)
    body, body_size, body_title = _body_lines(model, node)
    foot, foot_title, hidden = [], "", 0
    if is_open:
        foot_title = question(tree, node)
        if tree.feature[node] == -2:
            terms = _terms(combination(tree, node, lambda factor: f"{factor:.3g}"))
            foot = ink.wrapped(terms, ROOM, SMALL, 4, bold=True)
        else:
            foot = ink.folded(foot_title, ROOM, HEAD, 3, bold=True)
    elif below > 1:
        hidden = below
        foot, foot_title = [f"… {below:,} leaves below"], f"{below:,} leaves are not drawn: give max_depth or width"
    return Card(node, head, head_size, head_title, body, body_size, body_title, foot, foot_title, hidden)


def _terms(text: str) -> list[str]:
    """The terms of a sum, each with its sign."""
    return re.split(r" (?=[-+] )", text)


def _reply_lines(tree: Any, parent: int, side: int, notations: Notations) -> tuple[list[str], float]:
    if tree.feature[parent] == -2 or not tree.n_levels[parent]:
        return [ink.clipped(reply(tree, parent, side, notations), ROOM, HEAD, bold=True)], HEAD
    return ink.wrapped(_levels(tree, parent, side), ROOM, SMALL, 3, joint=",", bold=True), SMALL


def _levels(tree: Any, parent: int, side: int) -> list[str]:
    """The levels of a side, missing among them where it took part in the split."""
    levels = tree.levels[tree.feature[parent]] or ()
    words = [str(levels[code]) for code in levels_on(tree, parent, side)]
    first, n = int(tree.first_level[parent]), int(tree.n_levels[parent])
    if any(code >= len(levels) and where == side for code, where in tree.level[first : first + n]):
        words.append("missing")
    return words or ["no level"]


def _whole_condition(tree: Any, parent: int, side: int, notations: Notations) -> str:
    if tree.feature[parent] == -2 or not tree.n_levels[parent]:
        return condition(tree, parent, side, notations)
    words = _levels(tree, parent, side)
    return f"{question(tree, parent)}: {len(words):,} level{'s' if len(words) != 1 else ''}\n" + "\n".join(words)


def _body_lines(model: BaseEstimator, node: int) -> tuple[list[str], float, str]:
    """The answer as lines, the size of their text, and all of it in words."""
    tree = model.tree_
    predicted, share = answer(model, node)
    rows = f"{_rows(int(tree.n_rows[node]))} ({_percent(tree.n_rows[node] / tree.n_rows[0])} of all)"
    if share is not None:
        shares = tree.value[node] / tree.value[node].sum()
        listed = [f"{label}: {100 * class_share:.1f}%" for label, class_share in zip(model.classes_, shares)]
        room = ROOM - 15 - ink.width_of(_percent(share), BODY) - 4
        size = BODY if ink.width_of(str(predicted), BODY, bold=True) <= room else SMALL
        lines = ink.folded(str(predicted), room, size, 2, bold=True)
        return lines, size, "\n".join([f"{predicted}, {rows}", *listed])
    if isinstance(predicted, list):
        lines = [short(value) for value in predicted[: 4 if len(predicted) <= 4 else 3]]
        if len(predicted) > 4:
            lines.append(f"… {len(predicted) - 3} more")
        return lines, BODY, "\n".join([*map(number, predicted), rows])
    spread = f"standard deviation {number(float(np.sqrt(max(tree.risk[node], 0) / tree.weight[node])))}"
    if getattr(model, "leaf", "constant") == "linear" and tree.left[node] < 0:
        sum_of = model.leaf_models_.words(node)
        lines = ink.wrapped(_terms(sum_of.removesuffix(" …")), ROOM, SMALL, 3, bold=True)
        return lines, SMALL, f"{sum_of}\n{rows}\n{spread}"
    return [ink.clipped(short(predicted), ROOM, BODY, bold=True)], BODY, f"{number(predicted)}\n{rows}\n{spread}"


def short(value: float) -> str:
    """A number with four digits, or all digits before the point."""
    return f"{value:,.0f}" if 1e4 <= abs(value) < 1e9 else f"{value:.4g}"


def _rows(n: int) -> str:
    return f"{n:,} row{'s' if n != 1 else ''}"


def _percent(share: float) -> str:
    """A share as whole percents; never 0% or 100% of what is a little more or less."""
    if 0 < share < 0.01:
        return "<1%"
    return ">99%" if 0.99 < share < 1 else f"{100 * share:.0f}%"


@dataclass(frozen=True, eq=False)
class Scale:
    """The values that shades and marks tell apart: all, but for the outermost hundredth of the rows at each end."""

    low: float
    high: float
    beyond_low: bool = False
    beyond_high: bool = False

    @classmethod
    def of(cls, tree: Any) -> Scale:
        """The scale of a tree's leaves, so that one far leaf of few rows does not make all others look alike."""
        leaves = np.flatnonzero(tree.left < 0)
        values, rows = tree.value[leaves, 0], tree.n_rows[leaves]
        order = np.argsort(values, kind="stable")
        up_to = np.cumsum(rows[order]) / rows.sum()
        low = float(values[order[np.searchsorted(up_to, 0.01)]])
        high = float(values[order[np.searchsorted(up_to, 0.99)]])
        return cls(low, high, bool(values.min() < low), bool(values.max() > high))

    def share(self, value: float) -> float:
        """Where a value stands, from 0 to 1."""
        return float(np.clip((value - self.low) / ((self.high - self.low) or 1.0), 0.0, 1.0))


@dataclass(frozen=True, eq=False)
class Painter:
    """Draws cards: knows the colour of each class, or the scale of the values."""

    model: Any
    palette: list[str]  # of the classes; empty for numbers
    scale: Scale

    def draw(self, card: Card, x: float, y: float) -> str:
        """A card whose upper left corner stands at (x, y)."""
        tree, elements = self.model.tree_, ['<g class="node">']
        top = y + card.head_height
        height = card.height - card.head_height
        if card.head:
            elements.append("<g>" + ink.title(card.head_title))
            for k, line in enumerate(card.head):
                at = y + 11 + k * STEP
                elements.append(
                    ink.write(x + WIDTH / 2, at, line, card.head_size, anchor="middle", colour=INK, bold=True)
                )
            elements.append("</g>")
        if card.hidden:  # cards below this one
            for shift in (6, 3):
                elements.append(_box(x + shift, top + shift, WIDTH, height, PAPER, "card behind"))
        elements.append("<g>" + ink.title(card.body_title) + _box(x, top, WIDTH, height, PAPER, "card"))
        drawn = self._answer(card, x, top)
        rows = int(tree.n_rows[card.node])
        caption = f"{_rows(rows)} · {_percent(rows / tree.n_rows[0])}"
        elements += [drawn, ink.write(x + PAD, top + card.body_height - 9, caption, SMALL, colour=FAINT), "</g>"]
        if card.foot:
            elements.append(self._foot(card, x, top + card.body_height))
        return "".join(elements) + "</g>"

    def _answer(self, card: Card, x: float, top: float) -> str:
        node, tree = card.node, self.model.tree_
        bar = top + len(card.body) * STEP + 12
        if self.palette:
            _, share = answer(self.model, node)
            which = int((tree.value[node] @ self.model.loss_).argmin())
            colour = self.palette[which]
            return (
                f'<rect x="{x + PAD:.1f}" y="{top + 10:.1f}" width="10" height="10" rx="2" fill="{colour}"/>'
                + "".join(_line(x + PAD + 15, top + 19 + k * STEP, line, card) for k, line in enumerate(card.body))
                + ink.write(x + WIDTH - PAD, top + 19, _percent(share or 0.0), BODY, anchor="end", colour=INK)
                + self._shares(node, x + PAD, bar)
            )
        if len(tree.value[node]) > 1:
            return "".join(_line(x + PAD, top + 19 + k * STEP, line, card) for k, line in enumerate(card.body))
        return self._value(card, x, top, bar)

    def _shares(self, node: int, x: float, y: float) -> str:
        """The stacked bar of class shares, the classes in their order."""
        weight = self.model.tree_.value[node]
        elements, at = [], 0.0
        for colour, share in zip(self.palette, weight / weight.sum()):
            if share > 0:
                elements.append(
                    f'<rect class="share" x="{x + at * ROOM:.2f}" y="{y:.1f}" width="{share * ROOM:.2f}" '
                    f'height="{BAR}" fill="{colour}"/>'
                )
                at += float(share)
        frame = f'<rect x="{x:.1f}" y="{y:.1f}" width="{ROOM}" height="{BAR}" fill="none" stroke="{LINE}"/>'
        return "".join(elements) + frame

    def _value(self, card: Card, x: float, top: float, bar: float) -> str:
        """The value on its shade; below it, where it stands between the smallest and the largest, ± one deviation."""
        node, tree = card.node, self.model.tree_
        value = float(tree.value[node, 0])
        shade = colours.of_number(self.scale.share(value))
        patch = len(card.body) * STEP + 6
        elements = [
            f'<rect class="shade" x="{x + 4:.1f}" y="{top + 4:.1f}" width="{WIDTH - 8}" height="{patch}" rx="4" '
            f'fill="{shade}"/>'
        ]
        for k, line in enumerate(card.body):
            at = top + 18 + k * STEP
            ink_colour = colours.readable_on(shade)
            elements.append(
                ink.write(x + WIDTH / 2, at, line, card.body_size, anchor="middle", colour=ink_colour, bold=True)
            )
        middle = bar + BAR / 2 + 2
        spread = float(np.sqrt(max(tree.risk[node], 0.0) / tree.weight[node]))
        a, b = (self.scale.share(value + sign * spread) * ROOM for sign in (-1, 1))
        at = self.scale.share(value) * ROOM
        left = x + PAD
        elements.append(
            f'<rect x="{left:.1f}" y="{middle - 1:.1f}" width="{ROOM}" height="2" rx="1" fill="{LINE}"/>'
            f'<rect class="spread" x="{left + a:.1f}" y="{middle - 2.5:.1f}" width="{max(b - a, 1):.1f}" height="5" '
            f'rx="2.5" fill="#8FA3B5"/>'
            f'<circle cx="{left + at:.1f}" cy="{middle:.1f}" r="4.5" fill="{shade}" stroke="{INK}"/>'
        )
        return "".join(elements)

    def _foot(self, card: Card, x: float, y: float) -> str:
        elements = ["<g>" + ink.title(card.foot_title)]
        elements.append(f'<rect x="{x + 1:.1f}" y="{y:.1f}" width="{WIDTH - 2}" height="1" fill="{LINE}"/>')
        for k, line in enumerate(card.foot):
            colour, bold = (FAINT, False) if card.hidden else (INK, True)
            at, size = y + 16 + k * STEP, SMALL if self.model.tree_.feature[card.node] == -2 else HEAD
            elements.append(ink.write(x + WIDTH / 2, at, line, size, anchor="middle", colour=colour, bold=bold))
        return "".join(elements) + "</g>"


def _line(x: float, y: float, text: str, card: Card) -> str:
    return ink.write(x, y, text, card.body_size, colour=INK, bold=True)


def _box(x: float, y: float, width: float, height: float, fill: str, kind: str) -> str:
    return (
        f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="7" '
        f'fill="{fill}" stroke="{colours.EDGE}"/>'
    )
