"""A folder of images as a table."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

import tamis
from tamis.errors import TableError

Image = pytest.importorskip("PIL.Image")


def folder_of(place, images, labels, suffix=".png"):
    for k, (image, label) in enumerate(zip(images, labels)):
        (place / label).mkdir(parents=True, exist_ok=True)
        Image.fromarray(image.astype(np.uint8)).save(place / label / f"{k:04d}{suffix}")
    return place


@pytest.mark.parametrize("suffix", [".png", ".pgm"])
def test_pixels_are_columns_and_folders_labels(tmp_path, suffix):
    """Images could not be learned from without a script."""
    images = np.arange(4 * 6).reshape(4, 2, 3) * 10
    table = tamis.read(folder_of(tmp_path, images, ["cat", "dog", "cat", "dog"], suffix), target="label")
    assert table.names[:4] == ("pixel_0_0", "pixel_0_1", "pixel_0_2", "pixel_1_0")
    assert table.n_rows == 4
    assert [table.column("label").levels[code] for code in table.column("label").values] == ["cat", "cat", "dog", "dog"]
    assert table.column("pixel_1_2").values.tolist() == [50.0, 170.0, 110.0, 230.0]


def test_colours_become_grey_and_images_without_folders_have_no_label(tmp_path):
    """Three colours would be three times as many columns."""
    for k in range(2):
        Image.fromarray(np.full((2, 2, 3), 50 * (k + 1), dtype=np.uint8)).save(tmp_path / f"{k}.png")
    table = tamis.read(tmp_path)
    assert table.names == ("pixel_0_0", "pixel_0_1", "pixel_1_0", "pixel_1_1")
    assert table.column("pixel_0_0").values.tolist() == [50.0, 100.0]


def test_other_sizes_and_damaged_files_get_a_sentence(tmp_path):
    """The reader would not know which of a thousand files to look at."""
    folder_of(tmp_path / "a", np.zeros((1, 2, 2)), ["x"])
    folder_of(tmp_path / "a", np.zeros((1, 2, 3)), ["y"])
    with pytest.raises(TableError, match=r"'.*y/0000.png' has 2 × 3 pixels, the first one 2 × 2"):
        tamis.read(tmp_path / "a")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "one.png").write_bytes(b"no image")
    with pytest.raises(TableError, match=r"'.*one.png' cannot be read"):
        tamis.read(tmp_path / "b")


def test_a_study_of_digits(tmp_path):
    """Images in a folder would have to be turned into a table first."""
    digits = load_digits()
    pair = np.isin(digits.target, [0, 1])
    place = folder_of(tmp_path / "digits", digits.images[pair][:80] * 15, [f"d{k}" for k in digits.target[pair][:80]])
    quick = {"folds": 3, "repeats": 1, "black_box": False, "procedures": ["lasso"]}
    study = tamis.Study(place, target="label", folder=tmp_path / "s", **quick).run()
    assert study.score_ > 0.9
    assert study.predict(place).shape == (80,)
