"""Tables larger than memory: files that are read part by part, in a grid of rows that does not follow the files.

Read `lazy_table` (the result, and what one pass over all rows adds and checks), `read_lazy` (which sources, and those
put into Parquet first), `files` and `formats` (which files, and how rows are read from them), `grid` (partitions
and cells), `reading` (a cell as typed columns), `deciding` (kinds from a sample), `sampled` (some rows in memory).
"""
