"""Draws of a target that respect groups and time."""

import numpy as np

from tamis.split.exchange import Exchange


def test_free_draws_are_permutations_and_repeat_by_seed():
    """A draw that repeats or misses rows would not have the target's distribution."""
    orders = Exchange.of(10).orders(5)
    assert all(sorted(order.tolist()) == list(range(10)) for order in orders)
    assert len({tuple(order.tolist()) for order in orders}) == 5
    assert np.array_equal(orders, Exchange.of(10).orders(5))
    assert not np.array_equal(orders, Exchange.of(10).orders(5, seed=1))


def test_targets_of_a_group_stay_together():
    """Rows of one group that took targets of several would look independent."""
    groups = np.repeat(list("abcdef"), [1, 2, 3, 4, 5, 5])
    exchange = Exchange.of(len(groups), groups=groups)
    assert not exchange.is_permutation
    moved = False
    for order in exchange.orders(20):
        for group in "abcdef":
            sources = set(groups[order[groups == group]])
            assert len(sources) == 1
            moved |= sources != {group}
        sizes = {group: (groups == group).sum() for group in "abcdef"}
        for group in "abcdef":  # no row twice while another is left
            source = order[groups == group]
            assert len(set(source.tolist())) == min(len(source), sizes[groups[source[0]]])
    assert moved
    equal = Exchange.of(12, groups=np.repeat([1, 2, 3], 4))
    assert equal.is_permutation
    assert all(sorted(order.tolist()) == list(range(12)) for order in equal.orders(20))


def test_rows_of_a_group_that_takes_its_own_targets_are_shuffled():
    """With few groups a group often takes its own targets; left in place, no association could ever be seen."""
    single = Exchange.of(6, groups=np.zeros(6)).orders(3)
    assert len({tuple(order.tolist()) for order in single}) == 3


def test_shifts_in_time_are_all_different_and_at_most_one_less_than_times():
    """More draws than shifts would make p-values smaller than the number of times can bear."""
    time = np.array([5.0, 1.0, 3.0, 2.0, 4.0])
    orders = Exchange.of(5, time=time).orders(999)
    assert len(orders) == 4
    for order in orders:
        steps = (time[order] - time) % 5
        assert len(set(steps.tolist())) == 1
        assert steps[0] != 0


def test_rows_of_one_time_stay_together_where_times_are_many():
    """A shock shared by all rows of a day is one observation, not as many as there are rows."""
    time = np.repeat(np.arange(30), 4)
    for order in Exchange.of(120, time=time).orders(5):
        assert len(set(((time[order] - time) % 30).tolist())) == 1
    few = Exchange.of(40, time=np.repeat(np.arange(4), 10))
    assert len(few.orders(99)) == 39  # rows are shifted


def test_groups_and_time_share_one_shift():
    """Shocks that hit all groups at one time would be averaged away if each group had a shift of its own."""
    time, groups = np.tile(np.arange(25), 6), np.repeat(np.arange(6), 25)
    for order in Exchange.of(150, groups=groups, time=time).orders(10):
        assert len(set(((time[order] - time) % 25).tolist())) == 1
        assert all(len(set(groups[order[groups == group]].tolist())) == 1 for group in range(6))
        assert sorted(order.tolist()) == list(range(150))
