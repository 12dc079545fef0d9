"""One offline page."""

from __future__ import annotations

from tamis.study.export.format import Format
from tamis.study.export.page import page_of

FORMAT = Format(".html", lambda model, program: page_of(program, model.to_text(), model.training))
