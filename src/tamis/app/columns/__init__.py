"""How a table is read, corrected and checked before a study.

Read `reading` (a table in memory, for as long as somebody looks at it), `picture`, `facts` (a column as the page shows
it), `choices` (what the user said about columns and the study), `check` (what would be done, and leaks).
"""
