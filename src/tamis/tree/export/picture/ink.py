"""Text in a picture: how wide it is, how it is wrapped, and how it is written into SVG."""

from __future__ import annotations

import re
from html import escape

NARROW, WIDE = set("iIjlft.,:;'|!()[]{}/\\ `r-"), set("mwMW@%—…≤≥<>+=~±·")
_UNPRINTABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def width_of(text: str, size: float, bold: bool = False) -> float:
    """About how many pixels a line takes: that of DejaVu Sans or a little more, the widest of the usual fonts."""
    units = 0.0
    for letter in text:
        if letter in NARROW:
            units += 0.41
        elif letter in WIDE:
            units += 1.0
        elif ord(letter) >= 0x1100:  # Korean, Chinese, Japanese, emoji
            units += 1.1
        else:
            units += 0.78 if letter.isupper() else 0.64
    return units * size * (1.1 if bold else 1.0)


def clipped(text: str, room: float, size: float, bold: bool = False) -> str:
    """The text, its end cut off with … when it would take more room."""
    if width_of(text, size, bold) <= room:
        return text
    while text and width_of(text + "…", size, bold) > room:
        text = text[:-1]
    return text.rstrip() + "…"


def wrapped(
    words: list[str], room: float, size: float, max_lines: int, *, joint: str = "", bold: bool = False
) -> list[str]:
    """Words as at most so many lines, `joint` behind each but the last; those left out are counted: `… 7 more`.

    >>> wrapped(["one", "two", "three", "four"], 90, 10, 1, joint=",")
    ['one, … 3 more']
    """
    lines: list[list[str]] = []
    for k, word in enumerate(words):
        piece = clipped(word if k == len(words) - 1 else word + joint, room, size, bold)
        if lines and width_of(" ".join([*lines[-1], piece]), size, bold) <= room:
            lines[-1].append(piece)
        elif len(lines) < max_lines:
            lines.append([piece])
        else:
            left = len(words) - k
            while lines[-1] and width_of(" ".join([*lines[-1], f"… {left} more"]), size, bold) > room:
                lines[-1].pop()
                left += 1
            lines[-1].append(f"… {left} more")
            break
    return [" ".join(line) for line in lines]


def folded(text: str, room: float, size: float, max_lines: int, *, bold: bool = False) -> list[str]:
    """A name as at most so many lines, broken behind a space, _, -, . or / where there is one; the rest is cut off.

    >>> folded("mean_corpuscular_volume", 80, 10, 2)
    ['mean_', 'corpuscular_…']
    """
    lines: list[str] = []
    while text and len(lines) < max_lines - 1 and width_of(text, size, bold) > room:
        end = len(text)
        while end > 1 and width_of(text[:end], size, bold) > room:
            end -= 1
        seam = max(text.rfind(mark, 0, end) for mark in " _-./") + 1
        end = seam if seam > 1 else end
        lines.append(text[:end].rstrip())
        text = text[end:].lstrip()
    return [*lines, clipped(text, room, size, bold)]


def clean(text: str) -> str:
    """Text that XML can hold: escaped, on one line, without control characters."""
    return escape(_UNPRINTABLE.sub("\ufffd", text).replace("\n", " ").replace("\r", " "))


def write(
    x: float, y: float, text: str, size: float, *, anchor: str = "start", colour: str = "", bold: bool = False
) -> str:
    """One line of text; y is its baseline."""
    extra = (f' text-anchor="{anchor}"' if anchor != "start" else "") + (f' fill="{colour}"' if colour else "")
    extra += ' font-weight="600"' if bold else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}"{extra}>{clean(text)}</text>'


def title(text: str) -> str:
    """A tooltip; its lines stay apart."""
    return "<title>" + "\n".join(clean(line) for line in text.split("\n")) + "</title>"
