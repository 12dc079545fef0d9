"""The folder of a study.

Read `files` (names; written whole or not at all), `journal` (finished tasks), `loading` (a study from its folder),
`csv_cell`, `opening` (the locked rows and the ledger), `sibling_studies` (other studies of the same table beside it),
`earlier_looks` (what their ledgers know of these rows).
"""
