"""scikit-learn, as the command imports it."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType, SimpleNamespace

import pytest


def _ends_well(code: str) -> None:
    code = f"from tamis.cli import lean_import\nlean_import.install()\n{code}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_an_estimator_is_imported_without_what_it_does_not_need():
    """Every start would wait for pandas and `scipy.stats`: longer than for all the rest."""
    _ends_well(
        "import sys\nfrom tamis.forest import ForestClassifier\nfrom tamis.linear import LinearRegressor\n"
        "LinearRegressor().fit([[0.0], [1.0], [2.0], [3.0], [4.0], [6.0]], [0, 1, 2, 3, 4, 5])\n"
        "assert not {'pandas', 'scipy.stats', 'bokeh', 'sklearn.metrics'} & set(sys.modules)\n"
    )


def test_what_was_put_aside_is_there_afterwards():
    """A program that uses pandas, SciPy's distributions or scikit-learn beside Tamis would not find them."""
    pytest.importorskip("pandas")
    _ends_well(
        "import tamis, sklearn.base, sys\nfrom tamis.cli.lean_import import _Finder\n"
        "assert not any(isinstance(one, _Finder) for one in sys.meta_path)\n"
        "from sklearn.utils.fixes import _mode\nassert _mode([[1, 1, 2]], axis=1).mode == 1\n"
        "import pandas, scipy.stats\nassert len(pandas.DataFrame({'a': [1]})) == 1\n"
        "assert scipy.stats.norm.cdf(0) == 0.5\n"
        "from sklearn.preprocessing import StandardScaler\n"
        "assert list(StandardScaler().set_output(transform='pandas').fit_transform([[1.0], [2.0]]))\n"
    )


def test_what_is_imported_already_stays():
    """A second pandas in one process would not know the frames of the first."""
    pytest.importorskip("pandas")
    _ends_well(
        "import pandas, scipy.stats, sklearn.utils.fixes as fixes, sys, scipy\n"
        "assert sys.modules['pandas'] is pandas and fixes.pd is pandas\n"
        "assert sys.modules['scipy.stats'] is scipy.stats\n"
    )


def test_other_threads_import_what_they_like():
    """A thread that imports pandas at the same moment would be told that there is none."""
    pytest.importorskip("pandas")
    _ends_well(
        "import threading, tamis\nfound = []\n"
        "other = threading.Thread(target=lambda: found.append(__import__('pandas')))\nother.start()\n"
        "import sklearn.base\nother.join()\nassert found\n"
    )


def test_a_file_that_asks_for_more_is_run_as_ever(tmp_path, monkeypatch):
    """Another version of scikit-learn may use at once what is put aside."""
    from tamis.cli.lean_import import _Loader

    file = tmp_path / "fixes.py"
    file.write_text(
        "import scipy.stats\ntry:\n    import pandas\nexcept ImportError:\n    pandas = None\n"
        "version = pandas.__name__\n"
    )
    monkeypatch.setitem(sys.modules, "pandas", ModuleType("pandas"))
    monkeypatch.setattr("tamis.cli.lean_import.sys", SimpleNamespace(modules={}))
    module = ModuleType("fixes")
    _Loader("fixes", str(file)).exec_module(module)
    assert module.version == "pandas"


def test_a_program_has_scikit_learn_as_it_is():
    """Importing Tamis must not change how other libraries are imported."""
    before = "import sys; finders = list(sys.meta_path)\nimport tamis\nassert sys.meta_path == finders\n"
    done = subprocess.run([sys.executable, "-c", before], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
