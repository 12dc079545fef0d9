"""Where the parts of a large table are worked on: threads of this machine, a Dask cluster, or Spark; and small ones.

Read `reduce` (one value from the cells of a table, merged in the order of the grid), `use` (which engine does it), then
the engines: `local`, `dask`, `spark`; `warm` compiles kernels on a worker before the others ask for them.
`copy` is a forked copy of this process, `forked` does the tasks of small tables on some.
"""
