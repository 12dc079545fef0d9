"""Uploads: read `receive` (streamed to disk, with a limit), `format` (what a file is, by its content), `workbook` and
`parquet` (whether it can be read safely), `keep` (a file becomes a table of the app's folder).
"""
