"""The main job: plan, run, journal, choose."""

from tamis.study.source import decisions
from tamis.study.study import Study, load

__all__ = ["Study", "decisions", "load"]
