"""An ONNX graph."""

from __future__ import annotations

from tamis.study.export.format import Format
from tamis.study.export.onnx import onnx_of

FORMAT = Format(".onnx", lambda model, program: onnx_of(program), is_text=False)
