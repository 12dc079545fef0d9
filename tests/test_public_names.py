"""Of other libraries only public names are used, and nothing of them is changed."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import tamis

PACKAGE = Path(tamis.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))

#: What may be imported from these libraries: a module, and names of it. A new one is added here on purpose.
ALLOWED = {
    "sklearn": "get_config linear_model manifold metrics",
    "sklearn.base": (
        "BaseEstimator ClassifierMixin MetaEstimatorMixin RegressorMixin TransformerMixin clone is_classifier "
        "is_regressor"
    ),
    "sklearn.cluster": "KMeans",
    "sklearn.covariance": "ledoit_wolf",
    "sklearn.dummy": "DummyClassifier DummyRegressor",
    "sklearn.exceptions": "NotFittedError",
    "sklearn.feature_extraction.text": "CountVectorizer HashingVectorizer",
    "sklearn.feature_selection": "SelectorMixin",
    "sklearn.linear_model": "LinearRegression LogisticRegression MultiTaskLasso Ridge",
    "sklearn.metrics": "check_scoring get_scorer_names",
    "sklearn.model_selection": (
        "GridSearchCV GroupKFold GroupShuffleSplit KFold LeaveOneGroupOut LeaveOneOut ShuffleSplit "
        "StratifiedShuffleSplit check_cv"
    ),
    "sklearn.neighbors": "KNeighborsClassifier KNeighborsRegressor",
    "sklearn.pipeline": "Pipeline make_pipeline",
    "sklearn.preprocessing": "StandardScaler normalize",
    "sklearn.utils": (
        "ClassifierTags RegressorTags assert_all_finite check_consistent_length "
        "check_random_state column_or_1d get_tags"
    ),
    "sklearn.utils.metaestimators": "available_if",
    "sklearn.utils.multiclass": "check_classification_targets",
    "sklearn.utils.validation": "check_is_fitted has_fit_parameter validate_data",
    "bokeh": "models",
    "bokeh.colors": "named",
    "bokeh.document": "Document",
    "bokeh.models": (
        "BasicTickFormatter ColorBar ColumnDataSource FixedTicker HoverTool LabelSet Legend LegendItem "
        "LinearAxis LinearColorMapper NumeralTickFormatter PlainText Range1d Span Whisker"
    ),
    "bokeh.layouts": "gridplot",
    "bokeh.models.sources": "ColumnDataSource",
    "bokeh.palettes": "Category10_10 RdBu11",
    "bokeh.plotting": "ColumnDataSource figure",
    "bokeh.resources": "Resources",
    "bokeh.transform": "linear_cmap",
    "distributed": "",
    "joblib": "Parallel delayed",
    "joblib.parallel": "get_active_backend",
}
LIBRARIES = {module.partition(".")[0] for module in ALLOWED} | {"dask"}


def _tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def _imports(tree: ast.AST) -> Iterator[tuple[str, str, str]]:
    """Module, name of it ("" for the module itself) and the name it is bound to, of other libraries."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module is not None:
            found = [(node.module, alias.name, alias.asname or alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            found = [(alias.name, "", alias.asname or alias.name.partition(".")[0]) for alias in node.names]
        else:
            continue
        for module, name, bound in found:
            if module.partition(".")[0] not in {*sys.stdlib_module_names, "tamis"}:
                yield module, name, bound


def _is_private(name: str) -> bool:
    return any(part.startswith("_") and not part.startswith("__") for part in name.split("."))


def _root(node: ast.expr) -> str | None:
    """The name at the start of a chain of attributes."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _faults(tree: ast.AST) -> Iterator[str]:
    imported = list(_imports(tree))
    bound = {name for _, _, name in imported}
    for module, name, _ in imported:
        if _is_private(module) or _is_private(name):
            yield f"private: {module} {name}"
        if module.partition(".")[0] in LIBRARIES and not _is_allowed(module, name):
            yield f"not in the list: {module} {name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and _root(node) in bound:
            if _is_private(node.attr):
                yield f"private attribute {node.attr} of {_root(node)}"
            if not isinstance(node.ctx, ast.Load):
                yield f"attribute {node.attr} of {_root(node)} is changed"
        called = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else None
        if called in ("setattr", "delattr") and _root(node.args[0]) in bound:
            yield f"{called} of {_root(node.args[0])}"


def _is_allowed(module: str, name: str) -> bool:
    return name in ALLOWED.get(module, "").split() or (not name and module in ALLOWED) or f"{module}.{name}" in ALLOWED


def test_only_public_names_of_other_libraries():
    """A private name goes without notice, and a patched one breaks programs that use the library beside Tamis."""
    found = {file.relative_to(PACKAGE).as_posix(): list(_faults(_tree(file))) for file in FILES}
    assert not {file: faults for file, faults in found.items() if faults}


@pytest.mark.parametrize(
    "code",
    [
        "from sklearn.utils._param_validation import Interval",
        "import sklearn._loss",
        "from sklearn.base import _fit_context",
        "from sklearn.ensemble import RandomForestClassifier",
        "import joblib; joblib.parallel._backend = None",
        "import numpy as np; np.core._internal",
        "from bokeh import models; models.Span = None",
        "import pyarrow as pa; setattr(pa, 'array', None)",
    ],
)
def test_the_faults_are_seen(code):
    """A check that sees nothing would pass anything."""
    assert list(_faults(ast.parse(code)))


def test_the_list_holds_nothing_else():
    """A name that nobody imports any more would be free for whoever comes next."""
    used = {(module, name) for file in FILES for module, name, _ in _imports(_tree(file))}
    for module, names in ALLOWED.items():
        for name in names.split():
            assert (module, name) in used, f"{module} {name}"
