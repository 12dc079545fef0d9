"""The process that compiles kernels behind the page: `python -m tamis.app.compile`."""

from __future__ import annotations

import os
from contextlib import suppress


def main() -> None:
    """Compile what a study may need and this machine lacks; say so, with a line, only where there is something."""
    from tamis.warm import lacking, warm

    with suppress(OSError, AttributeError):
        os.nice(10)  # whoever works with the page comes first
    names = lacking()
    if names:
        print("compiling", flush=True)
        for _ in warm(names):
            pass


if __name__ == "__main__":
    main()
