"""Better columns: each transform learns on training rows alone and keeps names, frames and missing values.

Read `base` first (how a transform is made); then one column (`scale`, `clip`, `log`, `sigmoid`, `rank`, `symmetrize`,
`discretize`, `impute`, `encode`), one row (`normalize`, `trim`), new columns (`products`, `kernel_features`, `text`),
ordered columns (`signals`), and several transforms of some columns each (`steps`).
"""

from tamis.transform.clip import Clip
from tamis.transform.discretize import Discretize
from tamis.transform.encode import Encode
from tamis.transform.impute import Impute
from tamis.transform.kernel_features import KernelFeatures
from tamis.transform.log import Log
from tamis.transform.normalize import Normalize, Shares
from tamis.transform.products import Monomials, Ratios
from tamis.transform.rank import Rank
from tamis.transform.scale import Center, Standardize, UnitRange
from tamis.transform.sigmoid import Sigmoid
from tamis.transform.signals import (
    Baseline,
    Convolve,
    Denoise,
    Derivative,
    Fourier,
    ScatterCorrection,
    Sharpen,
    Smooth,
    Wavelet,
)
from tamis.transform.steps import Transforms
from tamis.transform.symmetrize import Symmetrize
from tamis.transform.text import Text
from tamis.transform.trim import Trim

__all__ = [
    "Baseline",
    "Center",
    "Clip",
    "Convolve",
    "Denoise",
    "Derivative",
    "Discretize",
    "Encode",
    "Fourier",
    "Impute",
    "KernelFeatures",
    "Log",
    "Monomials",
    "Normalize",
    "Rank",
    "Ratios",
    "ScatterCorrection",
    "Shares",
    "Sharpen",
    "Sigmoid",
    "Smooth",
    "Standardize",
    "Symmetrize",
    "Text",
    "Transforms",
    "Trim",
    "UnitRange",
    "Wavelet",
]
