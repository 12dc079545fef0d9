"""Multiplicative scatter correction: every signal at the level and scale of a reference."""

import warnings
from dataclasses import field
from typing import Any

import numpy as np

from tamis import check, saved
from tamis.errors import DamagedError, TableError, TamisWarning
from tamis.table.interface.takes_table import parameters
from tamis.transform.signals.base import SignalTransform

HOW = ("msc", "snv")
REFERENCES = ("mean", "median")


@parameters
class ScatterCorrection(SignalTransform):
    r"""Remove the offset and scale that each signal has relative to a reference learned in `fit`.

    .. math:: x \mapsto \frac{x - a}{b}, \qquad (a, b) = \arg\min \sum_i (x_i - a - b\, r_i)^2

    where the reference r is the mean signal of the rows of `fit`. "snv", the standard normal variate, needs none: it
    subtracts the signal's own mean and divides by its standard deviation (1/(n - 1)).

    A flat signal has no scale: it becomes the mean of the reference (0 with snv). So does, with a warning, one that has
    nothing in common with the reference (b = 0). A flat reference corrects the level alone (b = 1), with a warning.

    Parameters
    ----------
    how : "msc" or "snv".
    reference : "mean" or "median" of the signals of `fit`, position by position.
    columns, missing, n_jobs : as in `Smooth`.

    Attributes
    ----------
    references_ : dict, name of a block -> its reference signal (none with snv).
    blocks_ : dict, name of a block -> positions of its columns.

    References
    ----------
    P. Geladi, D. MacDougall and H. Martens, "Linearization and scatter-correction for near-infrared reflectance spectra
    of meat", Applied Spectroscopy 39, 1985. R. Barnes, M. Dhanoa and S. Lister, "Standard normal variate transformation
    and de-trending of near-infrared diffuse reflectance spectra", Applied Spectroscopy 43, 1989.

    >>> ScatterCorrection().fit([[0.0, 1.0, 2.0]]).transform([[5.0, 7.0, 9.0]])
    array([[0., 1., 2.]])
    """

    min_positions = 2
    squares = True

    how: str = field(default="msc", kw_only=False)
    reference: str = "mean"

    def _check(self) -> None:
        super()._check()
        check.one_of("how", self.how, HOW)
        check.one_of("reference", self.reference, REFERENCES)

    def _learn(self, X: np.ndarray, y: Any) -> None:
        self.references_: dict[str, np.ndarray] = {}
        super()._learn(X, y)

    def _learn_block(self, name: str, signals: np.ndarray) -> None:
        if self.how == "snv":
            return
        observed = signals[~np.isnan(signals[:, 0])]
        if not len(observed):
            raise TableError(f"block {name!r} has no signal with a value in the rows of fit; give rows that have some")
        reference = observed.mean(axis=0) if self.reference == "mean" else np.median(observed, axis=0)
        if np.ptp(reference) == 0:
            warnings.warn(
                f"the {self.reference} signal of block {name!r} is flat, so only the level of signals is corrected, "
                "not their scale; give other rows or how='snv'",
                TamisWarning,
                stacklevel=6,
            )
        self.references_[name] = reference

    def _transformed(self, name: str, signals: np.ndarray) -> np.ndarray:
        results = self._by_rows(lambda rows: self._corrected(name, rows), signals)
        lost = np.flatnonzero(np.concatenate([unlike for _, unlike in results]))
        if len(lost):
            warnings.warn(
                f"{len(lost):,} signal(s) of block {name!r}, the first in row {lost[0] + 1:,}, have nothing in common "
                "with the reference (slope 0) and become its mean; leave them out or give how='snv'",
                TamisWarning,
                stacklevel=5,
            )
        return np.concatenate([corrected for corrected, _ in results])

    def _corrected(self, name: str, signals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Corrected signals, and which of them are not flat but have a slope of 0."""
        centred = signals - signals.mean(axis=1, keepdims=True)
        flat = np.ptp(signals, axis=1) == 0
        if self.how == "snv":
            level = 0.0
            scale = np.sqrt(np.square(centred).sum(axis=1) / (signals.shape[1] - 1))
        else:
            reference = self.references_[name]
            level = float(reference.mean())
            if np.ptp(reference) == 0:
                return level + centred, np.zeros(len(signals), dtype=bool)
            direction = reference - level
            scale = (centred * direction).sum(axis=1) / np.square(direction).sum()
        unlike = ~flat & (scale == 0)
        centred[flat | unlike] = 0.0
        scale[flat | unlike] = 1.0
        return np.asarray(level + centred / scale[:, None]), unlike

    def _state(self) -> dict[str, Any]:
        references = [[name, reference.tolist()] for name, reference in self.references_.items()]
        return {**super()._state(), "references": references}

    def _restore(self, state: dict[str, Any]) -> None:
        super()._restore(state)
        references = {saved.text("a block", name): values for name, values in saved.read_entry(state, "references")}
        if set(references) != (set(self.blocks_) if self.how == "msc" else set()):
            raise DamagedError("its references are not those of its blocks")
        self.references_ = {
            name: saved.numbers(f"the reference of {name!r}", references[name], shape=(len(columns),))
            for name, columns in self.blocks_.items()
            if self.how == "msc"
        }
