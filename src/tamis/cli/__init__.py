"""The command line: parses words, calls public functions. Nothing heavy is imported until a command runs.

Read `command` (what holds for all commands), `errors` (one sentence each), `stop` (Ctrl-C),
`encoding` (any screen), `overwrite` (files of others), `words` (arguments and options);
then the commands: `study`, `answers`, `table`, `machine`, `validity`. Exit codes: 0 done, 1 bad input, 2 bad usage,
3 an audit found a leak, 130 stopped by Ctrl-C.
"""

from tamis.cli import study

# isort: split
# the order of the imports is that of the help
from tamis.cli import answers, machine, table, validity
from tamis.cli.command import app, main
from tamis.cli.errors import BAD_INPUT
from tamis.cli.stop import STOPPED

__all__ = ["BAD_INPUT", "STOPPED", "answers", "app", "machine", "main", "study", "table", "validity"]
