"""The forest that keeps the columns that matter."""

import numpy as np
import pytest

from tamis.study.sifted import SiftedForest
from tamis.table import Table


@pytest.mark.parametrize("task", ["classes", "numbers"])
def test_noise_is_sifted_out_and_an_interaction_is_kept(task):
    """A column that tells only together with another must stay, though 27 columns of noise stand around."""
    random = np.random.default_rng(1)
    X = random.normal(size=(800, 30))
    signal = X[:, 7] * X[:, 22] + X[:, 3]
    y = (signal > 0).astype(int) if task == "classes" else signal
    model = SiftedForest(task, 0).fit(Table.of(X), y)
    found = {int(name.removeprefix("x")) for name in model.selected_columns_}
    assert {3, 7, 22} <= found
    assert len(found) <= 10
    assert "200 trees" in model.to_text()


def test_where_nothing_stands_out_one_column_speaks():
    """Noise must not end in a forest without columns, nor in one with half of them."""
    random = np.random.default_rng(2)
    kept = [
        len(
            SiftedForest("numbers", 0)
            .fit(Table.of(random.normal(size=(80, 30))), random.normal(size=80))
            .selected_columns_
        )
        for _ in range(10)
    ]
    assert min(kept) >= 1
    assert np.mean(kept) <= 4


def test_plain_values_give_the_same_answers():
    """A forest that changes on its way through the disk is another forest."""
    random = np.random.default_rng(3)
    table = Table.of(random.normal(size=(120, 5)))
    y = table.numbers()[:, 0] + random.normal(size=120)
    model = SiftedForest("numbers", 0).fit(table, y)
    again = SiftedForest.from_dict(model.to_dict())
    assert (model.predict(table) == again.predict(table)).all()
    assert model.to_text() == again.to_text()
