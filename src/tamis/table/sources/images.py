"""Folders of images: a row per image, a column per pixel, and the name of its folder as label."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from tamis.errors import TableError, TamisError

#: Endings of files that are read as images.
SUFFIXES = (".png", ".pgm", ".ppm", ".pbm", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff")

#: Pixels of an image at most: each is a column.
MAX_PIXELS = 65_536

#: The column of the folders' names.
LABEL = "label"


def is_image_folder(source: Any) -> bool:
    """Whether a path is a folder whose files, in folders of their own or not, are images."""
    if not isinstance(source, (str, os.PathLike)) or not os.path.isdir(source):
        return False
    files = (path for path in Path(source).rglob("*") if path.is_file() and not path.name.startswith("."))
    first = next(files, None)
    return first is not None and first.suffix.lower() in SUFFIXES


def read_images(folder: str | os.PathLike[str]) -> pa.Table:
    """The images of a folder, in the order of their paths: grey values of pixels, row by row.

    Columns are `pixel_ROW_COLUMN`, numbers padded with zeros, values 0 to 255 (to 65,535 of images of 16 bits). Images
    in folders of their own have the folder's name in a last column, `label`.
    """
    paths = sorted(path for path in Path(folder).rglob("*") if path.suffix.lower() in SUFFIXES and path.is_file())
    images = [_grey(path) for path in paths]
    height, width = images[0].shape
    for path, image in zip(paths, images):
        if image.shape != (height, width):
            raise TableError(
                f"the image {str(path)!r} has {image.shape[0]} × {image.shape[1]} pixels, the first one {height} × "
                f"{width}; give images of one size"
            )
    if height * width > MAX_PIXELS:
        raise TableError(
            f"images of {height} × {width} have {height * width:,} pixels, more than {MAX_PIXELS:,} columns; make them "
            "smaller"
        )
    table = np.array(images).reshape(len(images), -1)
    down, across = len(str(height - 1)), len(str(width - 1))
    names = [f"pixel_{row:0{down}d}_{column:0{across}d}" for row in range(height) for column in range(width)]
    columns = {name: pa.array(np.ascontiguousarray(table[:, j])) for j, name in enumerate(names)}
    labels = [path.parent.relative_to(folder).as_posix() for path in paths]
    if set(labels) != {"."}:
        columns[LABEL] = pa.array(["" if label == "." else label for label in labels])
    return pa.table(columns)


def _grey(path: Path) -> np.ndarray:
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError as error:
        raise TamisError("images need the package pillow; install tamis[image]") from error
    try:
        with Image.open(path) as image:
            grey = image if image.mode in ("L", "I;16", "I") else image.convert("L")
            return np.asarray(grey, dtype=np.float64)
    except (OSError, UnidentifiedImageError, SyntaxError, ValueError) as error:
        raise TableError(f"the image {str(path)!r} cannot be read; mend the file, or take it out") from error
