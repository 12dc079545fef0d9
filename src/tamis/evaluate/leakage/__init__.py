"""What in a table would make any score too good: `leaks` asks every other file, and says it in words.

`univariate`: how much of the target one column tells. `made_from_target`: encodings and fills. `duplicates`: equal and
nearly equal rows. `equal_rows`: copies of one case, told from coincidences, and the groups they form. `near_twins`:
rows as points, some far nearer to another than to the next ones, which share its target. `file_order`: neighbours in
the file with similar targets.
"""
