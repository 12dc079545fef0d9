"""What a procedure scores that knows nothing.

Read in this order: `answers` (predictions and their truth, by fold), `shuffle` and `reshuffled` (chance for given
predictions); for functions that return only a number: `uninformed` (the best answers that know nothing of the
columns), `recognise` (which metric it is), `reference` (tables in which nothing can be found); `level` (all of these as
what scores are compared with); `p_value` (how often shuffled targets score as well); `degrees_of_freedom` (how far
fitted values follow the target).
"""
