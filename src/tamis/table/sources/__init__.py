"""Bytes, files, databases, frames and arrays: each becomes one Arrow table, nothing is decided yet.

Read `file`, then text files (`dialect`, `csv`), typed sources (`arrow`, `excel`, `sql`), and what is in
memory already (`frame`, `matrix`).
"""
