"""Pruning a grown tree.

Read `pruning` (the sequence, its choice by cross-validation, tests of splits), then `held_out` (what each pruning
answers on a fold's held-out rows); the core finds weakest links and judges the prunings of all folds.
"""
