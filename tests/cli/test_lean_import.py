"""scikit-learn, as the command imports it."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType, SimpleNamespace

import pyarrow.csv
import pyarrow.parquet
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
        "import tamis, sklearn.base\n"
        "from sklearn.utils.fixes import _mode\nassert _mode([[1, 1, 2]], axis=1).mode == 1\n"
        "import pandas, scipy.stats\nassert len(pandas.DataFrame({'a': [1]})) == 1\n"
        "assert scipy.stats.norm.cdf(0) == 0.5\n"
        "from sklearn.preprocessing import StandardScaler\n"
        "assert list(StandardScaler().set_output(transform='pandas').fit_transform([[1.0], [2.0]]))\n"
    )


def test_a_study_is_imported_without_the_distributions_of_scipy():
    """Every run would wait for `scipy.stats`, of which it calls nothing."""
    _ends_well(
        "import sys, tamis.study, sklearn.ensemble\nassert not {'pandas', 'scipy.stats'} & set(sys.modules)\n"
        "tamis.metrics.find('roc_auc', classes=True)\nassert 'scipy.stats' not in sys.modules\n"
    )


@pytest.mark.parametrize(
    "asked",
    [
        "from sklearn.preprocessing import PowerTransformer as P; P('box-cox').fit_transform([[1.0], [2.0], [4.0]])",
        "from sklearn.feature_selection import f_regression as f; import numpy as np; f(np.eye(4), np.arange(4.0))",
        "from sklearn.metrics import label_ranking_average_precision_score as s; s([[1, 0, 0]], [[0.75, 0.5, 1]])",
        "from sklearn.covariance import MinCovDet as M; M(random_state=0).fit([[i % 7, i % 5] for i in range(30)])",
        "from sklearn.isotonic import check_increasing as c; assert c([1, 2, 3, 4], [1, 2, 3, 5])",
        "from sklearn._loss.link import MultinomialLogit as M; import numpy as np; M().link(np.array([[0.2, 0.8]]))",
    ],
)
def test_a_function_that_needs_the_distributions_finds_them(asked):
    """A user's own procedure may well call one of the few functions that they are imported for."""
    _ends_well(f"import sys\n{asked}\nassert 'scipy.stats' in sys.modules\n")


def test_a_search_over_parameters_finds_its_ranks():
    """Scores of a grid are ranked by a function that is put aside until then."""
    _ends_well(
        "from sklearn.model_selection import GridSearchCV\nfrom sklearn.linear_model import Ridge\n"
        "found = GridSearchCV(Ridge(), {'alpha': [1.0, 1e6]}, cv=2).fit([[1.0], [2.0], [3.0], [4.0]], [1, 2, 3, 4])\n"
        "assert found.cv_results_['rank_test_score'].tolist() == [1, 2]\n"
    )


def test_a_file_is_read_without_pandas(tmp_path):
    """pyarrow would load it, in case it meets one of its frames; and the file must be read all the same."""
    pytest.importorskip("pandas")
    table, parquet = tmp_path / "table.csv", tmp_path / "table.parquet"
    table.write_text("a,b,day\n1,x,2024-01-01\n,y,2024-02-01\n3,,\n", encoding="utf-8")
    pyarrow.parquet.write_table(pyarrow.csv.read_csv(table), parquet)
    _ends_well(
        "import sys, tamis\nlean_import.without_pandas()\n"
        f"for path in ({str(table)!r}, {str(parquet)!r}):\n"
        "    table = tamis.read(path)\n    assert table.columns[1].levels == ('x', 'y')\n"
        "    assert table.columns[0].values[2] == 3 and table.columns[0].missing.tolist() == [False, True, False]\n"
        "assert 'pandas' not in sys.modules\n"
    )


def test_pandas_that_is_imported_already_is_not_refused():
    """A script that was read before has its frames."""
    pytest.importorskip("pandas")
    _ends_well("import pandas, sys\nlean_import.without_pandas()\nimport pandas as again\nassert again is pandas\n")


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


def test_a_program_that_calls_the_command_is_neither_copied_nor_without_pandas(tmp_path):
    """Its own threads and locks would be copied, and its own frames refused later."""
    pytest.importorskip("pandas")
    table = tmp_path / "table.csv"
    table.write_text("a,b,t\n" + "".join(f"{i % 7},{i % 5},{'xy'[i % 7 > 3]}\n" for i in range(60)), encoding="utf-8")
    call = ["run", str(table), "--target", "t", "--folder", str(tmp_path / "s"), "--procedures", "stump", "--json"]
    program = (
        "import os, sys\nfrom typer.testing import CliRunner\nfrom tamis.cli import app\n"
        "finders, copies = list(sys.meta_path), []\nos.register_at_fork(before=lambda: copies.append(1))\n"
        f"done = CliRunner().invoke(app, {call!r}, catch_exceptions=False)\nassert done.exit_code == 0, done.output\n"
        "assert sys.meta_path == finders and not copies\nimport pandas, pyarrow\n"
        "assert len(pyarrow.table({'a': [1]}).to_pandas()) == 1\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
