"""A fitted tree for people and other programs.

Read `reading` (what every tree offers) and `wording`, then `text`, `rules`, `sql`, `save` (plain values and back) and
`picture/` (SVG).
"""
