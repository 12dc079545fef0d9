"""The main job: plan, run, journal, choose.

Read `study`, `settings`, `source` and `problem` (what it may look at), `plan`, `procedures` with `procedure/`, `fold`
and `journal`, then `choose`, `comparison/`, `claims/`, `results`, `model`, `prediction/`, `export/`, `disk/` (its
folder); `estimator` is what a study shares with scikit-learn.
"""

from tamis.study.comparison.studies import compare
from tamis.study.source import decisions
from tamis.study.study import Study, load

__all__ = ["Study", "compare", "decisions", "load"]
