"""Bokeh figures in the gallery: those that an example shows are put on its page, alive, with a picture beside.

An example ends in `show(figure)`. While the gallery is built, `show` keeps the figure instead of opening a browser. The
page gets the figure as JSON and a picture of it, drawn by headless Chromium, for thumbnails, paper and readers without
scripts. BokehJS is stored once, in the site's `_static`, and loaded by pages that have a figure.
"""

from __future__ import annotations

import atexit
import io
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

#: Figures shown since the last block of code.
SHOWN: list[Any] = []
#: The look of figures that do not say otherwise: large enough for a slide.
LOOK = {
    "attrs": {
        "Plot": {"outline_line_color": None, "toolbar_location": None, "min_border_right": 14},
        "Grid": {"grid_line_color": "#e3e6ea"},
        "Axis": {
            "axis_label_text_font": "sans-serif",
            "axis_label_text_font_style": "normal",
            "axis_label_text_font_size": "15px",
            "axis_label_text_color": "#3c434d",
            "major_label_text_font": "sans-serif",
            "major_label_text_font_size": "13px",
            "major_label_text_color": "#3c434d",
            "axis_line_color": "#b8bec6",
            "major_tick_line_color": "#b8bec6",
            "minor_tick_line_color": None,
        },
        "Title": {"text_font": "sans-serif", "text_font_size": "15px", "text_color": "#1d2430"},
        "Legend": {
            "border_line_color": None,
            "background_fill_alpha": 0.85,
            "label_text_font": "sans-serif",
            "label_text_font_size": "14px",
            "label_text_color": "#3c434d",
        },
    }
}


def collect(gallery_conf: dict[str, Any], fname: str | None, when: str = "before") -> None:
    """Make `show` keep figures; called before every example."""
    import bokeh.io
    import bokeh.plotting

    SHOWN.clear()
    bokeh.io.show = bokeh.plotting.show = SHOWN.append


def scrape(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """The reStructuredText of all figures that a block of code showed."""
    text = []
    while SHOWN:
        model = SHOWN.pop(0)
        place = Path(next(block_vars["image_path_iterator"]))
        photograph(model, place)
        text.append(_embedded(model, place, gallery_conf))
    return "\n".join(text)


def _embedded(model: Any, picture: Path, gallery_conf: dict[str, Any]) -> str:
    from bokeh.embed import json_item
    from bokeh.themes import Theme

    item = json.dumps(json_item(model, picture.stem, theme=Theme(json=LOOK))).replace("</", "<\\/")
    relative = picture.relative_to(gallery_conf["src_dir"]).as_posix()
    return f"""

.. image:: /{relative}
   :alt: {picture.stem}
   :class: bokeh-picture

.. raw:: html

   <div class="bokeh-figure" id="{picture.stem}"></div>
   <script type="application/json" class="bokeh-item">{item}</script>

"""


def photograph(model: Any, place: Path) -> None:
    """Draw a figure in headless Chromium and write it as PNG, without the white around it."""
    from bokeh.embed import json_item
    from bokeh.themes import Theme
    from browser import browser
    from PIL import Image, ImageChops

    place.parent.mkdir(parents=True, exist_ok=True)
    if (drawing := browser()) is None:
        Image.new("RGB", (600, 400), "white").save(place)
        return
    shot = drawing.picture(json_item(model, "place", theme=Theme(json=LOOK)))
    picture = Image.open(io.BytesIO(shot)).convert("RGB")
    box = ImageChops.difference(picture, Image.new("RGB", picture.size, "white")).getbbox()
    if box is None:
        raise RuntimeError(f"the figure of {place.name} is white")
    picture.crop((max(box[0] - 8, 0), max(box[1] - 8, 0), box[2] + 8, box[3] + 8)).save(place)


def _store_bokeh(app: Any) -> None:
    """Copy BokehJS of the installed package into the site, once."""
    if app.builder.format != "html":
        return
    import bokeh
    from browser import found
    from sphinx.util import logging

    if found() is None:
        logging.getLogger(__name__).info("no Chromium is installed: pictures for paper and thumbnails are white")
    source = Path(bokeh.__file__).parent / "server" / "static" / "js" / "bokeh.min.js"
    target = Path(app.outdir) / "_static" / "bokeh.min.js"
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists() or target.stat().st_size != source.stat().st_size:
        shutil.copyfile(source, target)


def _load_bokeh(app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    if "bokeh-item" in context.get("body", ""):
        app.add_js_file("bokeh.min.js", loading_method="defer", priority=800)
        app.add_js_file("figures.js", loading_method="defer", priority=801)


def _end_workers(app: Any) -> None:
    """End the gallery's processes, and the browsers with them, before Sphinx forks its own to read and to write.

    Idle, they would stay for five minutes, each with its browser, and every fork would inherit their pipes.
    """
    from joblib.externals.loky import get_reusable_executor

    get_reusable_executor().shutdown(wait=True, kill_workers=True)


def setup(app: Any) -> dict[str, Any]:
    profiles = tempfile.mkdtemp(prefix="tamis-docs-")  # of the browsers, which may be killed
    os.environ["TAMIS_DOCS_PROFILES"] = profiles
    atexit.register(shutil.rmtree, profiles, ignore_errors=True)
    app.connect("builder-inited", _store_bokeh)
    app.connect("builder-inited", _end_workers, priority=900)  # after the gallery
    app.connect("html-page-context", _load_bokeh)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
