"""How the site is built: `make docs`. Nothing is fetched, neither while building nor while reading."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))
# The gallery runs its examples in processes of their own, which must find the scraper, too.
os.environ["PYTHONPATH"] = os.pathsep.join([str(HERE / "_ext"), *filter(None, [os.environ.get("PYTHONPATH")])])

import tamis  # noqa: E402

project = "Tamis"
author = "The Tamis developers"
copyright = author
version = release = tamis.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "mathml",
    "public_names",
    "see_also",
    "figures",
    "offline",
]
exclude_patterns = ["_build", "_ext", "_templates", "**/GALLERY_HEADER.rst"]
templates_path = ["_templates"]
suppress_warnings = ["config.cache"]  # the gallery's settings hold functions

myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 4

autosummary_generate = True
autosummary_generate_overwrite = False
autodoc_typehints = "none"  # signatures would be longer than the text; parameters say what they take
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
highlight_language = "none"  # a block without a language holds commands
smartquotes = False  # quotes stand in code words
default_role = "code"  # one backtick in docstrings is code, as in Markdown

EXAMPLES = "../examples"
#: Sections of the gallery: the order of a lecture.
ORDER = (
    "report",
    "evaluate",
    "study",
    "score",
    "search",
    "linear",
    "tree",
    "forest",
    "boosting",
    "additive",
    "project",
    "transform",
)
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "ignore_pattern": r"__init__\.py",
    "within_subsection_order": "FileNameSortKey",
    "subsection_order": [
        *(f"{EXAMPLES}/{stage}" for stage in ORDER),
        "*",
    ],
    "image_scrapers": ("figures.scrape",),
    "reset_modules": ("figures.collect",),
    "capture_repr": (),
    "backreferences_dir": "reference/examples",
    "doc_module": ("tamis",),
    "parallel": int(os.environ.get("TAMIS_DOCS_JOBS", "2")),
    "abort_on_example_error": False,
    "only_warn_on_example_error": False,
    "show_memory": False,
    "write_computation_times": False,  # its page would fetch a script
    "show_signature": False,
    "remove_config_comments": True,
    "download_all_examples": False,
    "nested_sections": True,
    "min_reported_time": 15,
}
warnings.filterwarnings("ignore", category=DeprecationWarning)

html_theme = "pydata_sphinx_theme"
html_title = "Tamis"
html_static_path = ["_static"]
html_css_files = ["tamis.css"]
html_math_renderer = "mathml"
html_show_sourcelink = False
html_show_search_summary = False  # it would fetch pages, which files may not
html_copy_source = False
html_sidebars = {page: [] for page in ("tutorial/index", "coming-from/index", "measured/index")}
html_theme_options = {
    "navbar_end": ["theme-switcher"],
    "navbar_align": "left",
    "header_links_before_dropdown": 8,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": True,
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
}


def _further_pages(app: object, docname: str, source: list[str]) -> None:
    """Pages that lie beside this file are listed among the methods, whatever they are called."""
    if docname == "reference/index":
        pages = sorted(f"/{path.stem}" for path in HERE.glob("*.md") if path.stem != "index")
        source[0] = source[0].replace("evaluation\n", "\n".join(["evaluation", *pages, ""]), 1)


def setup(app: object) -> None:
    app.connect("source-read", _further_pages)  # type: ignore[attr-defined]
