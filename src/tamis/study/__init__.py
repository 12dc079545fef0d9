"""The main job: plan, run, journal, choose.

Read `study` and `running` (the order of its tasks), `settings`, `source` and `problem` (what it may look at), `plan`,
`requested` and `procedures/` (one file a procedure), `fold`, then `choose`, `comparison/`, `claims/`, `findings/`,
`finished`, `results`, `published`, `model`, `prediction/`, `export/`, `disk/` (its folder and journal); `estimator` is
what a study shares with scikit-learn.
"""

from tamis.study.comparison.studies import compare
from tamis.study.disk.loading import load
from tamis.study.source import read_columns
from tamis.study.study import Study

__all__ = ["Study", "compare", "load", "read_columns"]
