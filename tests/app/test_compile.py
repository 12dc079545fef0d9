"""Kernels compiled behind the page: said only where there is something to compile."""

from __future__ import annotations

from tamis import warm
from tamis.app import compile as behind


def test_what_is_there_is_not_compiled_again(monkeypatch, capsys):
    """Every start of the page would cost a minute of both processors, and say so."""
    asked = []
    monkeypatch.setattr(behind.os, "nice", lambda by: by)
    monkeypatch.setattr(warm, "warm", lambda names: asked.extend(names) or iter(()))
    monkeypatch.setattr(warm, "lacking", list)
    behind.main()
    assert (asked, capsys.readouterr().out) == ([], "")
    monkeypatch.setattr(warm, "lacking", lambda: ["trees"])
    behind.main()
    assert (asked, capsys.readouterr().out) == (["trees"], "compiling\n")


def test_what_is_lacking_are_jobs(monkeypatch):
    """A name that is no job could not be compiled."""
    monkeypatch.setattr("tamis.engine.kernel.is_kept", lambda kernel: False)
    assert set(warm.lacking()) <= set(warm.JOBS)
    assert len(warm.lacking()) == len(warm._KERNEL)
    monkeypatch.setattr("tamis.engine.kernel.is_kept", lambda kernel: True)
    assert warm.lacking() == []
