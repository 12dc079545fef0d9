"""What is predicted.

Read `decide` (classes, ordered classes, numbers or counts, and why), then `several` (one study of each target).
"""
