"""Better columns: each transform learns on training rows alone and keeps names, frames and missing values.

Read `base` first (how a transform is made); then one column (`scale`, `columnwise/`, `discretize`, `impute`, `encode`),
one row (`normalize`), new columns (`products`, `kernel_features`, `text`),
ordered columns (`signals`), and several transforms of some columns each (`steps`).
"""

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

_HOME = {
    "Baseline": "tamis.transform.signals",
    "Center": "tamis.transform.scale",
    "Convolve": "tamis.transform.signals",
    "Denoise": "tamis.transform.signals",
    "Derivative": "tamis.transform.signals",
    "Discretize": "tamis.transform.discretize",
    "Encode": "tamis.transform.encode",
    "Fourier": "tamis.transform.signals",
    "Impute": "tamis.transform.impute",
    "KernelFeatures": "tamis.transform.kernel_features",
    "Monomials": "tamis.transform.products",
    "Normalize": "tamis.transform.normalize",
    "Ratios": "tamis.transform.products",
    "ScatterCorrection": "tamis.transform.signals",
    "Shares": "tamis.transform.normalize",
    "Sharpen": "tamis.transform.signals",
    "Smooth": "tamis.transform.signals",
    "Standardize": "tamis.transform.scale",
    "Text": "tamis.transform.text",
    "Transforms": "tamis.transform.steps",
    "UnitRange": "tamis.transform.scale",
    "Wavelet": "tamis.transform.signals",
}

#: A file of `columnwise` holds the transform of its name.
_HOME |= {
    each.name.title().replace("_", ""): f"tamis.transform.columnwise.{each.name}"
    for each in iter_modules([str(Path(__file__).parent / "columnwise")])
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'tamis.transform' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
