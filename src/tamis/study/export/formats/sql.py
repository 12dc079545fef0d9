"""One SELECT."""

from __future__ import annotations

from tamis.study.export.format import Format
from tamis.study.export.sql import sql_of

FORMAT = Format(".sql", lambda model, program: sql_of(program))
