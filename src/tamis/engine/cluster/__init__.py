"""Where the parts of a large table are worked on: threads of this machine, a Dask cluster, or Spark.

Read `reduce` (one value from the cells of a table, merged in the order of the grid), `use` (which engine does it), then
the engines: `local`, `dask`, `spark`.
"""
