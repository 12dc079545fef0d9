"""Pruning a grown tree.

Read `cost_complexity` (weakest links), `pruning` (the sequence, its choice by cross-validation, tests of splits), then
`held_out` (what each pruning answers on a fold's held-out rows).
"""
