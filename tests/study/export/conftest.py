"""Studies to export: every model of each task."""

from __future__ import annotations

import pytest
from tests.study.export.tables import run


@pytest.fixture(scope="session")
def studies(tmp_path_factory):
    """(target, procedure) -> a finished study, run when it is first asked for."""
    known = {}

    def get(target, procedure, **more):
        key = target, procedure, *more
        if key not in known:
            known[key] = run(tmp_path_factory.mktemp("export") / "study", target, procedure, **more)
        return known[key]

    return get
