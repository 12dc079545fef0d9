"""Growing the trees of a forest inside kernels, one seed a tree.

Read `build` (threads, trees in order), `grow` (one tree), `node` and `part` (rows that a split is looked for among),
`split` with `order`, `scan/` and `categories`, then `threshold` and `sets` (how splits are written); `workspace` holds
the buffers.
"""
