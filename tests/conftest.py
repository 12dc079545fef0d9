"""Which worker runs which file: a kernel takes up to a minute to compile, and two workers would compile it twice."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

import pytest

#: Stages with kernels of their own, the longest to compile first; a study uses those of the others.
STAGES = ("forest", "linear", "tree", "search", "score", "study")


def stage(file: str) -> str:
    """The stage whose kernels a file of tests or of doctests compiles; the file itself if it compiles none."""
    path = PurePosixPath(file)
    return next((name for name in STAGES if name in path.parts or path.stem == f"test_{name}"), file)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """By file, and a worker keeps to its stage: a mark ``xdist_group`` would do, but pytest 9.2 no longer heeds it."""
    if config.getoption("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class ByStage(LoadFileScheduling):
        def _assign_work_unit(self, node: Any) -> None:
            """The next file: of the worker's own stage, else of one that no worker is at, else any."""
            at = {worker: stage(list(units)[-1]) for worker, units in self.assigned_work.items() if units}
            mine, others = at.pop(node, None), set(at.values())

            def rank(file: str) -> tuple[bool, bool, int]:
                name = stage(file)
                return name != mine, name in others, STAGES.index(name) if name in STAGES else len(STAGES)

            self.workqueue.move_to_end(min(self.workqueue, key=rank), last=False)
            super()._assign_work_unit(node)

    return ByStage(config, log)
