"""What one fold leaves behind.

Read `outcome` (scores and answers of a fold), `inner_score` (what the procedure said of itself on its training rows),
`selection_stability` (how alike the columns chosen in different folds are).
"""
