"""A study's model for places where Tamis is not installed; each export answers what `predict` answers.

Read `program` (the model as plain values) and `curves` (of additive models), then a file a language: `python` with
`runtime`, `sql`, `page` (HTML, with calculator.html, calculator.js and calculator.css), `onnx`. `format` says what a
format is, `formats/` lists them by their files, and `export` chooses among them.
"""

from tamis.study.export.export import export
from tamis.study.export.formats import formats

__all__ = ["export", "formats"]
