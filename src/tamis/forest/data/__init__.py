"""What the trees of a forest are grown on.

Read `binned` (the table as codes), `bootstrap` (rows drawn for each tree); `row_hash` orders rows by content, `oblique`
adds random sums of columns.
"""
