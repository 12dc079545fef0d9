"""Signs of components: a direction and its opposite are the same, so one of the two is fixed."""

import numpy as np

TIE = 1e-8  # loadings this close to the largest count as equal: rounding must not decide


def fixed_signs(components: np.ndarray, order: np.ndarray | None = None) -> np.ndarray:
    """+1 or -1 for each component (a row): what makes its largest loading positive.

    Of loadings equally large the first in `order` decides (positions of the columns, by name where they have names), so
    the order of the columns in the table does not matter.

    >>> fixed_signs(np.array([[0.6, -0.8], [-0.7, 0.7]]))
    array([-1., -1.])
    """
    if not components.size:
        return np.ones(len(components))
    sizes = np.abs(components)
    large = sizes >= sizes.max(axis=1, keepdims=True) * (1 - TIE)
    rank = np.arange(components.shape[1])
    if order is not None:
        rank = np.empty(components.shape[1], dtype=np.int64)
        rank[order] = np.arange(components.shape[1])
    first = np.where(large, rank, components.shape[1]).argmin(axis=1)
    return np.where(components[np.arange(len(components)), first] < 0, -1.0, 1.0)
