"""What the app answers: a page and the changes it asks for, one file each.

Read `base` (what all share), `routes`, then `enter`, `start`, `columns`, `run`, `answer`, `predict`, `compare`;
`upload` is a file on its way in, `static` the script and the style.
"""
