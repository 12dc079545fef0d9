"""Simulated tables whose truth is known, and how often the main job says something false about them.

A file a topic. Each has a list `CELLS` of `Cell`s, which `truth.py` finds by itself:

    from truth_cells.cell import Cell, Figure, run_study

    def claimed_in_noise(rng):                       # one table: a dict of numbers, one a figure (NaN: does not apply)
        frame = pd.DataFrame(rng.normal(size=(80, 8)), columns=list("abcdefgh")).assign(y=rng.normal(size=80))
        return {"claimed": run_study(frame, "y")["answer"]["signal"] == "captured"}

    CELLS = [Cell("noise", "80 x 8, numbers", claimed_in_noise, {"claimed": Figure(high=0.05)})]

A figure is the mean of its numbers over the tables (of true and false: a rate) and is met between `low` and `high`.
"""
