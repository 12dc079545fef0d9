"""A study as a process of its own, which no closed tab and no killed server ends.

Read `command` (choices to the words of `tamis run`), `process` (started, found again, stopped), `progress` (the journal
as facts), `forecast` (how long it will take).
"""
