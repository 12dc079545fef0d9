"""What a procedure scores that knows nothing.

Read in this order: `answers` (predictions and their truth, by fold), `shuffle` and `reshuffled` (chance for given
predictions); for functions that return only a number: `reference` (tables in which nothing can be found, the best
answers that know nothing of the columns, which metric it is); `level` (all of these as
what scores are compared with); `p_value` (how often shuffled targets score as well); `degrees_of_freedom` (how far
fitted values follow the target).
"""
