"""The bar on the terminal: there for who watches, gone afterwards, silent elsewhere."""

import io
import sys

import numpy as np
import pytest

from tamis.forest import ForestRegressor, progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def terminal(monkeypatch, patience=0.0):
    """A terminal in place of stderr; called inside the test, for pytest puts its own there before."""
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(progress, "PATIENCE", patience)
    monkeypatch.setenv("TERM", "xterm")
    return screen


def grow(shown):
    X = np.arange(60.0)[:, None]
    return ForestRegressor(30, max_depth=2, progress=shown).fit(X, X[:, 0])


@pytest.mark.parametrize("shown", [None, False, True])
def test_silent_where_nobody_watches(shown, capfd, monkeypatch):
    """If this fails, logs and pipes fill with bars."""
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    grow(shown)
    said, error = capfd.readouterr()
    assert said == ""
    assert error.strip() == ""


def test_a_bar_on_a_terminal_unless_refused(monkeypatch):
    """If this fails, a long fit looks like a hang, or a refused bar is drawn all the same."""
    screen = terminal(monkeypatch)
    grow(False)
    assert screen.getvalue() == ""
    grow(None)
    assert "30/30" in screen.getvalue()


def test_no_bar_before_long(monkeypatch):
    """If this fails, every short fit flashes a bar."""
    screen = terminal(monkeypatch, patience=1e9)
    grow(None)
    assert screen.getvalue() == ""


def test_the_bar_is_taken_down_when_the_fit_ends_early(monkeypatch):
    """If this fails, after Ctrl-C the bar keeps drawing over the screen as long as the error is held."""
    screen = terminal(monkeypatch)

    def interrupted():
        with progress.shown_progress(100, True) as show:
            show(5)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        interrupted()
    assert "5/100" in screen.getvalue()
    assert screen.getvalue().endswith("\x1b[2K")  # the line is cleared
    assert caught.tb is not None  # until here the frames are held, and with them what they hold


def test_an_error_of_the_bar_ends_the_fit(monkeypatch):
    """If this fails, an error raised while trees grow is lost, or leaves threads growing."""

    def broken(self, done):
        raise ZeroDivisionError

    monkeypatch.setattr(progress._Bar, "show", broken)
    with pytest.raises(ZeroDivisionError):
        grow(True)
