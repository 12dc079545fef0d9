"""A tree drawn as an SVG image, without any other program.

Read in this order: `shown` (which nodes), `places` (where), `cards` (what stands on each), `legend`, `svg` (the whole);
`ink` measures and wraps text, `colours` holds the palette.
"""

from tamis.tree.export.picture.svg import svg_of

__all__ = ["svg_of"]
