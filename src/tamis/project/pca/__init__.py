"""Principal components: estimator.py first; decompose.py and krylov.py find them, size.py says how many,
holes.py and trimmed.py take tables with missing values and outlying rows, anomaly.py judges rows.
"""
