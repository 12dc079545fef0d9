"""What the outer folds show.

Read `compare` (each procedure's figures, and the one chosen), `black_box` (what reading a model costs).
"""
