"""The examples of this folder: each shows one figure, and its own assertions hold."""

from bokeh.embed import json_item


def test_it_draws_what_it_says(example, figures_of):
    """A number in the gallery that is no longer true, or an example without a figure, would teach something false."""
    (figure,) = figures_of(example)
    assert json_item(figure)["doc"]["roots"]
