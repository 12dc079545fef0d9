"""Seeds: what a random_state stands for."""

import hashlib

import numpy as np
import pytest

from tamis.engine import drawn_seed, seed_from, seed_of, seeds_of
from tamis.engine.seed import MOST


@pytest.mark.parametrize("number", [0, 7, np.int64(2**40), -3])
def test_a_whole_number_stands_for_itself(number):
    """Folds of two calls with one seed would differ if the number were drawn from."""
    assert seed_from(number) == number
    assert type(seed_from(number)) is int


def test_a_generator_is_drawn_from_and_moves_on():
    """Two fits that share a generator would be the same fit if drawing left it where it was."""
    for make in (np.random.RandomState, np.random.default_rng):
        one, other = make(3), make(3)
        draws = [seed_from(one) for _ in range(50)]
        assert draws == [drawn_seed(other) for _ in range(50)]
        assert len(set(draws)) == 50
        assert 0 <= min(draws) <= max(draws) < MOST


def test_drawn_from_a_number_as_scikit_learn_draws():
    """Forests, projections and scores of a seed would change if it were read in another way."""
    assert [drawn_seed(seed) for seed in range(100)] == [
        np.random.RandomState(seed).randint(2**31) for seed in range(100)
    ]


def test_none_draws_anew():
    """A random_state of None would not be random."""
    assert len({seed_from(None) for _ in range(20)}) == 20


def test_what_is_no_random_state_is_refused():
    """A wrong word would be taken for a seed."""
    with pytest.raises(ValueError, match="seed"):
        seed_from("seven")


def test_seeds_of_tasks_are_fixed_for_ever():
    """Every study's numbers would change with the seeds of its tasks."""
    assert seed_of(0, "fold", 3) == int(hashlib.sha256(b"0\x1ffold\x1f3").hexdigest()[:8], 16)
    assert seeds_of(0, "fold", range(3, 4)) == (seed_of(0, "fold", 3),)
