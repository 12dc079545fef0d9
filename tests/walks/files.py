"""The files of five new users, rebuilt: what spreadsheets, assays, warehouses and lecture rooms really hold."""

from __future__ import annotations

import csv
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np


def heart(path: Path, n: int = 240, seed: int = 1) -> Path:
    """A clinician's export: three title rows, two sheets, 999 for "not measured", comma decimals, a leaking column."""
    import openpyxl

    rng = np.random.default_rng(seed)
    age, pressure = rng.normal(56, 9, n).round(), rng.normal(131, 17, n).round()
    rate, depression = rng.normal(150, 22, n).round(), np.abs(rng.normal(1, 1, n)).round(1)
    pain = rng.choice(["typical", "atypical", "none"], n)
    risk = 0.05 * (age - 56) - 0.04 * (rate - 150) + 1.2 * depression + 1.5 * (pain == "none") - 2.0
    ill = risk + rng.logistic(size=n) > 0
    pressure = np.where(rng.random(n) < 0.08, 999, pressure)
    book = openpyxl.Workbook()
    book.active.title = "Patients"
    book.active.append(["Cardiology, export of 3 March 2021"])
    book.active.append(["Confidential"])
    book.active.append([])
    names = [
        "Pat.-Nr.",
        "Age",
        "Blood\npressure",
        "Heart rate",
        "ST depression",
        "Chest pain",
        "Discharge",
        "Diagnosis",
    ]
    book.active.append(names)
    for k in range(n):
        words = ("cardiology ward", "disease") if ill[k] else ("home", "no disease")
        decimals = str(depression[k]).replace(".", ",")
        row = [f"P{1000 + 7 * k}", age[k], pressure[k], rate[k], decimals, pain[k], words[0], words[1]]
        book.active.append([value.item() if isinstance(value, np.generic) else value for value in row])
    codes = book.create_sheet("Codes")
    codes.append(["code", "meaning"])
    codes.append(["999", "not measured"])
    book.save(path)
    return path


def batches(path: Path, n: int = 84, d: int = 8_000, seed: int = 2) -> Path:
    """A bioinformatician's assay: few samples in six batches, thousands of genes, four of which matter."""
    rng = np.random.default_rng(seed)
    batch = np.repeat([f"B{k}" for k in range(1, 7)], n // 6)
    ill = rng.random(n) < 0.5
    genes = rng.normal(size=(n, d)) + rng.normal(0, 0.5, size=(6, d))[np.repeat(np.arange(6), n // 6)]
    genes[:, :4] += 1.6 * ill[:, None]
    names = [f"ENSG{k:08d}" for k in range(d)]
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["sample", "batch", "status", *names])
        for k in range(n):
            values = [f"{value:.3f}" for value in genes[k]]
            writer.writerow([f"S{k:03d}", batch[k], "case" if ill[k] else "control", *values])
    return path


def churn(path: Path, n: int = 4_000, d: int = 30, seed: int = 3) -> Path:
    """A data scientist's extract: many rows, 3% positives, dates, a category of many levels."""
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(n, d - 4))
    days = rng.integers(0, 1500, n)
    plan = rng.choice(["basic", "plus", "pro"], n, p=[0.6, 0.3, 0.1])
    city = rng.integers(0, 300, n)
    score = 1.1 * numbers[:, 0] - 0.9 * numbers[:, 1] + 0.8 * (plan == "basic") - 0.0008 * days
    churned = score + rng.logistic(size=n) > np.quantile(score + rng.logistic(size=n), 0.97)
    names = ["signed_up", "plan", "city", *(f"usage_{k:02d}" for k in range(d - 4)), "churned"]
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(names)
        for k in range(n):
            begun = date(2018, 1, 1) + timedelta(days=int(days[k]))
            values = [f"{value:.4g}" for value in numbers[k]]
            writer.writerow([begun.isoformat(), plan[k], f"city {city[k]}", *values, int(churned[k])])
    return path


def loans(path: Path, n: int = 900, seed: int = 4) -> Path:
    """A bank analyst's book of loans, semicolons between cells: paid or default, one in six."""
    rng = np.random.default_rng(seed)
    income, amount = rng.lognormal(10.3, 0.4, n).round(), rng.lognormal(9.2, 0.6, n).round()
    late = rng.poisson(0.5, n)
    purpose = rng.choice(["car", "house", "other"], n)
    risk = 0.9 * late + 0.8 * np.log(amount / income) - 0.4 * (purpose == "house") - 0.6
    default = risk + rng.logistic(size=n) > 0
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, delimiter=";")
        writer.writerow(["loan_id", "income", "amount", "late_payments", "purpose", "status"])
        for k in range(n):
            status = "default" if default[k] else "paid"
            writer.writerow([f"L{k:05d}", int(income[k]), int(amount[k]), int(late[k]), purpose[k], status])
    return path


def waves(n: int = 200, seed: int = 5) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A lecturer's data: two columns, two classes in half moons, and a noisy sine."""
    rng = np.random.default_rng(seed)
    angle, upper = rng.uniform(0, np.pi, n), rng.random(n) < 0.5
    x = np.where(upper, np.cos(angle), 1 - np.cos(angle))
    y = np.where(upper, np.sin(angle), 0.5 - np.sin(angle))
    X: Any = np.column_stack([x, y]) + rng.normal(0, 0.15, size=(n, 2))
    return X, upper.astype(int), np.sin(3 * X[:, 0]) + rng.normal(0, 0.2, n)
