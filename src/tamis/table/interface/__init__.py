"""What estimators take and give back.

Read `features` (X becomes a Table) and `target` (y becomes classes or numbers), `refusal` and `extreme` (what is not
taken), then `selector`, `output`, `names`, `column_groups` (answers in the form of the question).
"""
