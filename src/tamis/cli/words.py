"""Arguments and options that several commands share, and what becomes of their words."""

import re
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Annotated, Any

import typer

#: Names that --help lists: procedures, metrics and criteria. A test holds them to those that exist.
PROCEDURES = (
    "stump small-tree tree optimal-tree score-card formula panel lasso log-lasso elastic-net subset forward rank svm "
    "additive ridge model-tree forest booster boosting knn"
)
SCORINGS = (
    "accuracy error balanced_accuracy roc_auc average_precision log_loss brier precision recall f1 matthews kappa; of "
    "several classes also precision_macro, _micro, _weighted, likewise recall and f1; of ordered ones "
    "ranked_probability_score mean_rank_error weighted_kappa; of numbers r2 mse rmse mae mape poisson_deviance"
)
CRITERIA = (
    "anova chi2 dispersion gain_ratio gini interaction mutual_information pearson relief stump "
    "symmetric_uncertainty variance"
)

TableArgument = Annotated[
    str,
    typer.Argument(
        metavar="TABLE", help="a file (CSV, Parquet, Excel, …), many ('data/*.parquet', a folder), or a database URL"
    ),
]
TargetOption = Annotated[str, typer.Option("--target", "-t", help="the column to predict")]
FolderArgument = Annotated[Path, typer.Argument(metavar="STUDY", help="the folder of a study")]
TypesOption = Annotated[
    str | None, typer.Option("--types", help="kinds by hand: zip=categorical,age=numeric, or a TOML file")
]
QueryOption = Annotated[str | None, typer.Option("--query", help="the SQL query, when TABLE is a database URL")]
EngineOption = Annotated[
    str, typer.Option("--engine", help="where many files are worked on: local (threads), dask or spark")
]
AddressOption = Annotated[
    str | None, typer.Option("--address", help="of a Dask scheduler, as in tcp://host:8786; else one is started here")
]
MissingOption = Annotated[
    str | None,
    typer.Option("--missing", help='values that mean missing: 999 in every column, "age=999,-1; bp=0" in some'),
]
SheetOption = Annotated[str | None, typer.Option("--sheet", help="of an Excel workbook, the name of the sheet")]
HeaderOption = Annotated[
    str | None,
    typer.Option(
        "--header", help="the row with the names: 3, or 2,3 for two rows that are joined, or no; else guessed"
    ),
]
MasterOption = Annotated[str | None, typer.Option("--master", help="of Spark, as in spark://host:7077; else local[*]")]
JsonOption = Annotated[bool, typer.Option("--json", help="print machine-readable JSON instead of words")]


def engine_of(name: str, jobs: int, address: str | None, master: str | None) -> AbstractContextManager[Any]:
    """The engine for many files: threads of this machine unless another is named."""
    from tamis.engine import use

    return use(name, n_jobs=jobs if name == "local" else None, address=address, master=master)


def naming_file(path: Path) -> AbstractContextManager[None]:
    from tamis.saved import naming

    return naming(path)


def replacing_file(path: Path) -> AbstractContextManager[Any]:
    from tamis.saved import replacing

    return replacing(path)


def listed(text: str | None) -> tuple[str, ...] | None:
    """Names separated by commas."""
    return None if text is None else tuple(item.strip() for item in text.split(",") if item.strip())


def seconds(text: str) -> float:
    """A time such as 60, 60s, 5m or 1.5h in seconds."""
    from tamis.errors import ParameterError

    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(s|m|h)?\s*", text)
    if match is None:
        raise ParameterError(f"--budget {text!r} is no time; give seconds, minutes or hours, as in 60s, 5m or 1.5h")
    return float(match[1]) * {"s": 1, "m": 60, "h": 3600}[match[2] or "s"]


def with_scripts(names: Any) -> Any:
    """Procedures by name; those of scripts, my_script.py:name, as the pipelines they are."""
    if names is None or not any(":" in name for name in names):
        return names
    from tamis.evaluate.script import from_script

    return {name.rpartition(":")[2]: from_script(name) if ":" in name else name for name in names}
