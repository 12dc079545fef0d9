"""Hashes of 64 bits: known answers."""

import numpy as np

from tamis.engine.hash import GOLDEN, NAN_BITS, bytes_hash, mix, number_bits, text_hash

#: The first numbers of Vigna's splitmix64.c from the seed 1234567.
PUBLISHED = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821]


def test_splitmix64_gives_its_published_numbers():
    """Row digests of locked studies and the draws of trees would change."""
    states = np.uint64(1234567) + GOLDEN * np.arange(1, 6, dtype=np.uint64)
    assert mix(states).tolist() == PUBLISHED


def test_a_word_alone_overflows_without_a_warning():
    """A single number would be mixed with a RuntimeWarning, which is an error here."""
    assert mix(np.uint64(2**63 + 5)) == mix(np.array([2**63 + 5], dtype=np.uint64))[0]


def test_text_hash_is_the_published_blake2b():
    """Locked rows of a study would not be recognised on another machine."""
    assert bytes_hash(b"").hex() == "e4a6a0577479b2b4"
    assert text_hash("") == 0xE4A6A0577479B2B4
    assert text_hash("\ud800") != text_hash("")  # a lone surrogate, as a file name may hold


def test_number_bits_know_one_zero_and_one_missing_value():
    """Equal rows would be told apart by the sign of zero, or by the bits of NaN."""
    odd = np.array([NAN_BITS + np.uint64(5)]).view(np.float64)[0]
    found = number_bits(np.array([0.0, -0.0, np.nan, odd, 1.5]))
    assert found[:4].tolist() == [0, 0, int(NAN_BITS), int(NAN_BITS)]
    assert found[4:].view(np.float64)[0] == 1.5
    assert number_bits(np.array([np.nan]), np.uint64(9)).tolist() == [9]


def test_number_bits_leave_the_numbers_as_they_are():
    """A hash would write into the user's table."""
    values = np.array([-0.0, np.nan])
    number_bits(values)
    assert np.signbit(values[0])
    assert np.isnan(values[1])
