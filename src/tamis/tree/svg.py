"""A tree drawn as an SVG image, without any other program."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from tamis.tree.words import answer, condition, number

WIDTH, HEIGHT, GAP, BOX = 150, 92, 14, 44
BLUES = ("#f2f6fb", "#cfe0f2", "#9fc3e6", "#6aa3d8")


def svg_of(model: Any) -> str:
    """Boxes of nodes, lines to their children with the conditions on them; purer leaves are darker."""
    tree = model.tree_
    across, down = _places(tree)
    width = int(across.max()) + WIDTH + 2 * GAP
    height = int(tree.depth.max()) * HEIGHT + BOX + 2 * GAP
    lines, boxes = [], []
    for node in range(tree.n_nodes):
        x, y = across[node] + GAP + WIDTH / 2, down[node] + GAP
        if tree.left[node] >= 0:
            for side in (0, 1):
                child = int(tree.left[node]) + side
                cx, cy = across[child] + GAP + WIDTH / 2, down[child] + GAP
                lines.append(f'<line x1="{x:.1f}" y1="{y + BOX:.1f}" x2="{cx:.1f}" y2="{cy:.1f}" stroke="#7a8794"/>')
                words = _short(condition(tree, node, side), 26)
                lines.append(
                    f'<text x="{cx:.1f}" y="{cy - 6:.1f}" text-anchor="middle" fill="#33414d">{escape(words)}</text>'
                )
        boxes.append(_box(model, node, x - WIDTH / 2, y))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'font-family="sans-serif" font-size="11" role="img" aria-label="decision tree with {tree.n_leaves} leaves">'
        + "".join(lines)
        + "".join(boxes)
        + "</svg>"
    )


def _places(tree: Any) -> tuple[np.ndarray, np.ndarray]:
    """Leaves side by side from the left, every parent midway above its children."""
    across = np.zeros(tree.n_nodes)
    order = tree.preorder()
    leaves = [node for node in order if tree.left[node] < 0]
    for place, leaf in enumerate(leaves):
        across[leaf] = place * (WIDTH + GAP)
    for node in order[::-1]:
        if tree.left[node] >= 0:
            across[node] = 0.5 * (across[tree.left[node]] + across[tree.left[node] + 1])
    return across, tree.depth * float(HEIGHT)


def _box(model: Any, node: int, x: float, y: float) -> str:
    said, share = answer(model, node)
    shown = (
        ", ".join(number(v) for v in said)
        if isinstance(said, list)
        else (str(said) if share is not None else number(said))
    )
    rows = f"{int(model.tree_.n_rows[node]):,} rows"
    second = rows if share is None else f"{rows}, {100 * share:.0f}%"
    fill = BLUES[0] if share is None else BLUES[min(int(share * 4), 3)]
    middle = x + WIDTH / 2
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{WIDTH}" height="{BOX}" rx="5" fill="{fill}" stroke="#7a8794"/>'
        f'<text x="{middle:.1f}" y="{y + 18:.1f}" text-anchor="middle" font-weight="bold">'
        f"{escape(_short(shown, 20))}</text>"
        f'<text x="{middle:.1f}" y="{y + 34:.1f}" text-anchor="middle">{escape(second)}</text>'
    )


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
