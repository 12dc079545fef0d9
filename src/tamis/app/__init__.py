"""The local page: `tamis app`.

Read `serve` (the server and its address), `folder` (what is kept, for the user alone), `guard` (who may ask for what),
`tables/` (uploads), `columns/` (how a table is read, corrected and checked), `runs/` (a study as a process of the same
command line), `predict/` (new rows), `words` (explanations), then `pages/`, which answer requests by `template/`.
"""

from tamis.app.serve import serve

__all__ = ["serve"]
