"""The pictures of the concept pages are those that the examples draw today."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
_found = importlib.util.spec_from_file_location("docs_pictures_make", PICTURES / "make.py")
make = importlib.util.module_from_spec(_found)
_found.loader.exec_module(make)


@pytest.mark.parametrize("name", make.CHARTS)
def test_a_picture_is_what_the_example_draws(name):
    """A page would show another figure than the code beside it makes; `docs/pictures/make.py` renews it."""
    assert make.chart(name) == (PICTURES / f"{name}.svg").read_text(encoding="utf-8")


def test_every_picture_stands_on_a_page():
    """Pictures that no page shows grow old unseen."""
    pages = [*(PICTURES.parent).glob("*/*.md"), PICTURES.parent / "index.md", PICTURES.parents[1] / "README.md"]
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    for path in (*PICTURES.glob("*.png"), *PICTURES.glob("*.svg")):
        assert f"pictures/{path.name}" in text, path.name
