"""Radial basis functions at landmarks: the formula, scikit-learn's kernel, and a kernel model by a linear one."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import rbf_kernel

from tamis.errors import ParameterError
from tamis.transform import KernelFeatures

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3)) * [1.0, 10.0, 0.1] + [0.0, 5.0, 2.0]


def test_features_are_the_kernel_of_scaled_rows_and_landmarks():
    """The distance would be in raw units, or the width another than gamma."""
    kernel = KernelFeatures(7, gamma=0.3).fit(X)
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    landmarks = (kernel.landmarks_ - X.mean(axis=0)) / X.std(axis=0)
    assert np.allclose(kernel.transform(X), rbf_kernel(scaled, landmarks, gamma=0.3))
    assert all(any(np.array_equal(row, point) for row in X) for point in kernel.landmarks_)
    assert len(np.unique(kernel.landmarks_, axis=0)) == 7


def test_a_linear_model_with_the_kernels_metric_is_kernel_ridge():
    """φ(x) = k(x, all rows) with the penalty wᵀKw is kernel ridge: its predictions come out."""
    y = np.sin(X[:, 0])
    gamma, alpha = 0.5, 0.1
    kernel = KernelFeatures(60, landmarks=X, gamma=gamma, standardize=False)
    K = kernel.fit_transform(X)
    expected = KernelRidge(alpha=alpha, kernel="rbf", gamma=gamma).fit(X, y).predict(X)
    values, vectors = np.linalg.eigh(K)
    root = vectors * np.sqrt(np.maximum(values, 0))
    assert np.allclose(Ridge(alpha, fit_intercept=False).fit(root, y).predict(root), expected, atol=1e-6)


def test_names_frames_and_saving():
    """Other columns would be lost, or a loaded transform give other features."""
    frame = pd.DataFrame(X, columns=list("abc")).assign(d=["u", "v"] * 30)
    kernel = KernelFeatures(4, landmarks="kmeans", keep=True)
    made = kernel.fit_transform(frame)
    assert list(made.columns) == ["kernel 1", "kernel 2", "kernel 3", "kernel 4", "a", "b", "c", "d"]
    again = KernelFeatures.from_dict(json.loads(json.dumps(kernel.to_dict())))
    pd.testing.assert_frame_equal(again.transform(frame), made)


@pytest.mark.parametrize(
    ("kernel", "sentence"),
    [
        (KernelFeatures(0), "n_landmarks=0"),
        (KernelFeatures(gamma=0), "gamma=0"),
        (KernelFeatures(landmarks="all"), "landmarks='all'"),
        (KernelFeatures(landmarks=[[1.0, 2.0]]), r"landmarks has shape \(1, 2\), but the table has 3 numeric columns"),
    ],
)
def test_bad_parameters_get_a_sentence(kernel, sentence):
    """The user would not be told what to change."""
    with pytest.raises(ParameterError, match=sentence):
        kernel.fit(X)
