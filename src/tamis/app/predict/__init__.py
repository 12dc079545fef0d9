"""New rows: `new_rows` (a table that was dropped), `form` (the fields of one row), `reasons` (its answer, and why)."""
