"""Pair maps without main effects."""

import numpy as np

from tamis.additive.fit import purified


def test_a_pure_map_has_no_main_effect_and_nothing_is_lost():
    """Map, curves and mean add up to what they were made from, in every cell with rows."""
    rng = np.random.default_rng(0)
    cells, weight = rng.normal(size=(5, 7, 2)), rng.integers(0, 4, size=(5, 7)).astype(float)
    weight[:, 6] = 0.0  # missing values that no row had
    pure, first, second, mean = purified(cells, weight)
    total = pure + first[:, None] + second[None] + mean
    np.testing.assert_allclose(total[weight > 0], cells[weight > 0], atol=1e-10)
    np.testing.assert_allclose(np.einsum("xy,xyk->xk", weight, pure), 0, atol=1e-9)
    np.testing.assert_allclose(np.einsum("xy,xyk->yk", weight, pure), 0, atol=1e-9)
    assert (pure[:, 6] == 0).all()
    additive = np.add.outer(np.arange(5.0), np.arange(7.0))[:, :, None]
    np.testing.assert_allclose(purified(additive, np.ones((5, 7)))[0], 0, atol=1e-12)
