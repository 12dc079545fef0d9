"""Good subsets by splicing: the least useful columns inside change places with the most useful outside."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tamis.linear.design import Design
from tamis.linear.fit import Job
from tamis.linear.penalties.elastic_net import Penalty
from tamis.linear.solvers.compiled.path_fit import compiled_solution

_EXCHANGE = 5  # columns exchanged at most at a time
_RIDGE = 1e-6  # keeps separated classes finite; the squared loss needs none


@dataclass(frozen=True, eq=False)
class Refit:
    """A model on some columns: its mean loss, what each column inside is worth and each outside promises."""

    value: float
    coef: np.ndarray  # p × outputs, units of the columns
    intercept: np.ndarray
    inside: np.ndarray  # one a unit
    outside: np.ndarray


class Splicer:
    """Subsets of units (columns, or groups of indicators that enter whole) of growing size.

    References
    ----------
    Zhu, Wen, Zhu, Zhang, Wang (2020), A polynomial algorithm for best-subset selection, PNAS 117.
    """

    def __init__(self, job: Job, starts: np.ndarray) -> None:
        self.job, self.starts = job, starts
        self.units = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        self.design = Design(job.X)
        self.share = job.weights / job.weights.sum()
        self.centre, inverse = (a[:, 0] for a in self.design.units(self.share[:, None], True, job.fit_intercept))
        self.inverse = inverse
        middle = job.loss.start(self.share) if job.fit_intercept else np.zeros(job.loss.outputs)
        middle = np.atleast_1d(middle)
        start = np.broadcast_to(middle, (len(job.loss.y), len(middle)))
        start = start if job.loss.offset is None else start + job.loss.offset
        # of the empty model: counts have a unit, classes have none
        self.curvature = float((self.share @ job.loss.curvature(start)).mean()) if job.loss.target == "numbers" else 1.0
        self.alive = np.bincount(self.units, weights=inverse > 0, minlength=len(starts) - 1) > 0

    def path(self, most: int) -> list[tuple[np.ndarray, Refit]]:
        """The subset found for every size from 0 to `most`, each begun from the one before."""
        inside = np.zeros(0, dtype=np.int64)
        out = [(inside, self.refit(inside))]
        for _ in range(most):
            promise = np.where(self.alive, out[-1][1].outside, -1.0)
            promise[inside] = -1.0
            best = int(np.argmax(promise))
            if promise[best] < 0:
                break
            inside = np.sort(np.append(inside, best))
            inside, fitted = self._exchange(inside, self.refit(inside))
            out.append((inside, fitted))
            if fitted.value < 1e-3 * out[0][1].value:  # all rows fitted: more columns only follow noise
                break
        return out

    def _exchange(self, inside: np.ndarray, now: Refit) -> tuple[np.ndarray, Refit]:
        for _ in range(20):
            outside = np.setdiff1d(np.flatnonzero(self.alive), inside)
            weak = inside[np.argsort(now.inside[inside], kind="stable")]
            strong = outside[np.argsort(-now.outside[outside], kind="stable")]
            for size in range(1, min(_EXCHANGE, len(weak), len(strong)) + 1):
                tried = np.sort(np.concatenate([np.setdiff1d(inside, weak[:size]), strong[:size]]))
                fitted = self.refit(tried)
                if fitted.value < now.value - 1e-10 * abs(now.value):
                    inside, now = tried, fitted
                    break
            else:
                return inside, now
        return inside, now

    def refit(self, inside: np.ndarray, sharp: bool = False) -> Refit:
        """The unpenalised model on some units, and the gradients of all columns; `sharp` to the last digits."""
        which = np.flatnonzero(np.isin(self.units, inside))
        job = self.job
        sub = job.X[:, which] if which.size else np.zeros((job.X.shape[0], 1))
        penalty = Penalty(0.0, np.ones(sub.shape[1]))
        ridge = 1e-12 if job.loss.constant_curvature else _RIDGE * self.curvature
        part = replace(job, X=sub, penalty=penalty, standardize=True)
        small, intercept, _ = compiled_solution(part, ridge, 1e-14 if sharp else 1e-9, 1e-10 if sharp else 1e-8)
        eta = np.asarray(sub @ small) + intercept
        eta = eta if job.loss.offset is None else eta + job.loss.offset
        residual = self.share[:, None] * job.loss.residual(eta)
        coef = np.zeros((job.X.shape[1], job.loss.outputs))
        if which.size:
            coef[which] = small
        gradient = self.design.score(residual) - np.outer(self.centre, residual.sum(axis=0))
        gradient = ((gradient * self.inverse[:, None]) ** 2).sum(axis=1)
        curvature = max(float((self.share @ job.loss.curvature(eta)).mean()), 1e-12 * self.curvature)
        scale = np.divide(1.0, self.inverse, out=np.zeros_like(self.inverse), where=self.inverse > 0)
        worth = ((coef * scale[:, None]) ** 2).sum(axis=1) * curvature
        n = len(self.starts) - 1
        return Refit(
            float(self.share @ job.loss.value(eta)),
            coef,
            intercept,
            np.bincount(self.units, weights=worth, minlength=n),
            np.bincount(self.units, weights=gradient / curvature, minlength=n),
        )
