"""Any penalised loss under several weightings of the rows (all rows, every fold), down one path together.

Read `state` (one fit), `working_columns` (the columns they share, and products with them), `objective` (and duality
gaps), `path` (the working set and Newton steps).
"""
