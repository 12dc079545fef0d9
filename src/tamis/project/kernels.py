"""Kernels of two sets of rows: inner products in a space of more dimensions."""

from dataclasses import dataclass

import numpy as np
import scipy

KERNELS = ("rbf", "laplacian", "poly", "sigmoid", "cosine", "linear")


@dataclass(frozen=True)
class Kernel:
    """A kernel by name; called with rows A and B it gives k(a, b) of every pair.

    >>> Kernel("rbf", 0.5)(np.array([[0.0]]), np.array([[0.0], [2.0]])).round(3)
    array([[1.   , 0.135]])
    """

    name: str
    gamma: float = 1.0
    degree: int = 3
    coef0: float = 1.0

    def __call__(self, A: np.ndarray, B: np.ndarray) -> np.ndarray:
        if self.name == "laplacian":
            return np.exp(-self.gamma * scipy.spatial.distance.cdist(A, B, "cityblock"))
        if self.name == "rbf":
            out = squared_distances(A, B)
            out *= -self.gamma
            return np.exp(out, out=out)
        if self.name == "cosine":
            A, B = _of_length_one(A), _of_length_one(B)
        products = A @ B.T
        if self.name == "poly":
            return (self.gamma * products + self.coef0) ** self.degree
        if self.name == "sigmoid":
            return np.tanh(self.gamma * products + self.coef0)
        return np.asarray(products)


def squared_distances(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """‖a − b‖² of every pair, by one product of the rows about their common middle.

    >>> squared_distances(np.array([[1e9, 0.0]]), np.array([[1e9, 2.0], [1e9 + 1, 0.0]]))
    array([[4., 1.]])
    """
    middle = B.mean(axis=0)
    A, B = A - middle, B - middle
    out = A @ B.T
    out *= -2.0
    out += np.einsum("ij,ij->i", A, A)[:, None]
    out += np.einsum("ij,ij->i", B, B)
    return np.maximum(out, 0.0, out=out)


def _of_length_one(X: np.ndarray) -> np.ndarray:
    lengths = np.sqrt(np.einsum("ij,ij->i", X, X))[:, None]
    return np.divide(X, lengths, out=np.zeros_like(X), where=lengths > 0)
