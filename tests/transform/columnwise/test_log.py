"""Log against tables worked out by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from tamis.errors import TableError
from tamis.transform import Log

E = np.e


def test_the_offset_is_added_before_the_logarithm():
    """log(b + x) would be something else."""
    np.testing.assert_allclose(Log(offset=1).fit_transform([[0.0], [E - 1], [E**2 - 1]]).ravel(), [0, 1, 2])


def test_a_learned_offset_leaves_nothing_below_0():
    """Columns with zeros or negative values would have no logarithm: b is 1, or 1 minus the smallest value."""
    made = Log().fit([[0.0, -3.0], [5.0, 2.0]])
    np.testing.assert_array_equal(made.offset_, [1, 4])
    np.testing.assert_allclose(made.transform([[E - 1, E - 4]]), [[1, 1]])


def test_a_value_without_a_logarithm_is_named_by_column_and_row():
    """The user would have to search for it."""
    X = pd.DataFrame({"age": [1.0, 2.0], "dose": [3.0, -2.0]})
    with pytest.raises(TableError, match=r"column 'dose' holds -2\.0 in row 2.*log\(1 \+ x\).*above -1"):
        Log(1).fit(X)
    made = Log().fit(X)
    with pytest.raises(TableError, match=r"column 'dose' holds -5\.0 in row 1"):
        made.transform(pd.DataFrame({"age": [1.0], "dose": [-5.0]}))


def test_below_lowest_reads_such_a_value_as_the_lowest_of_fit():
    """A study would end at a held-out row that is smaller than all training rows."""
    made = Log(below="lowest").fit([[-3.0], [2.0]])
    np.testing.assert_array_equal(made.transform([[-50.0]]), made.transform([[-3.0]]))
    given = Log(1, below="lowest").fit([[-3.0], [2.0], [0.5]])
    np.testing.assert_array_equal(given.transform([[-3.0]]), np.log([[1.5]]))


def test_a_sparse_matrix_stays_sparse_with_offset_1():
    """A wide table of counts would be made dense."""
    X = sparse.csc_array(np.array([[0.0, 3.0], [E - 1, 0.0]]))
    np.testing.assert_allclose(Log(1).fit_transform(X).toarray(), [[0, np.log(4)], [1, 0]])
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        Log(2).fit(X)
