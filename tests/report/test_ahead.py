"""A page drawn by a copy of the process is the page that this one draws."""

from __future__ import annotations

import os
import re
import sys

import pytest

from tamis.engine.cluster import copy
from tamis.engine.cluster.copy import ONE_PROCESS, forking
from tamis.report import ahead, page
from tamis.report.ahead import drawing_ahead, drawn_page

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="copies are made on Linux alone")


@pytest.fixture
def drawn_by(monkeypatch):
    """The processes that draw pages, as far as this one sees them."""
    monkeypatch.setattr(copy, "cpu_count", lambda: 2)
    monkeypatch.delenv(ONE_PROCESS, raising=False)
    found = []
    monkeypatch.setattr(ahead, "page", lambda *given: found.append(os.getpid()) or page(*given))
    return found


def test_a_copy_draws_the_same_page(made, drawn_by):
    """The report would depend on the process that draws it; or none would be drawn ahead."""
    with forking(), drawing_ahead():
        text = drawn_page(made.study(), made.plan())
    assert not drawn_by
    ids = re.compile(r'"p\d+"')  # Bokeh numbers its models through the life of the process
    assert ids.sub("", text) == ids.sub("", page(made.study(), made.plan()))


def test_a_page_is_drawn_here_where_the_copy_is_gone(made, drawn_by):
    """A killed process would leave the study without a report."""
    with forking(), drawing_ahead():
        assert ahead._copy is not None
        ahead._copy.kill()
        text = drawn_page(made.study(), made.plan())
    assert drawn_by == [os.getpid()]
    assert text.startswith("<!DOCTYPE html>")


def test_an_error_of_a_page_is_the_one_that_was_met(made, drawn_by):
    """The user would read that a process has gone."""
    with forking(), drawing_ahead(), pytest.raises(KeyError, match="lock"):
        drawn_page({name: value for name, value in made.study().items() if name != "lock"}, made.plan())


def test_nobody_is_forked_who_did_not_ask(made, drawn_by):
    """A program or a notebook has threads and locks of its own, which a fork would copy."""
    with drawing_ahead():
        drawn_page(made.study(), made.plan())
    assert drawn_by == [os.getpid()]
