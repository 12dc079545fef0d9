"""Tests compute on one BLAS thread, as workers side by side should: threads of OpenBLAS that wait for a busy core spin,
and took two thirds of the processor in the tests of PCA (13.9 seconds instead of 4.6). A number that is set counts.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when NumPy is imported
