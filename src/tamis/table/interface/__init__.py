"""What estimators take and give back.

Read `features` (X becomes a Table) and `target` (y becomes classes or numbers), `extreme` (what is not taken),
then `selector`, `output`, `column_groups` (answers in the form of the question).
"""
