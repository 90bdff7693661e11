"""The commands, in a module for each group of the help.

A command is a typer function. Its parameters are the options, and its docstring is the help. Its
body asks before long work, calls the public function of the same name and shows the result.
`urcx.commands.table` lists the commands with their modules. Options that several commands share are
declared once in `urcx.commands.options`. If the parser refuses a command line,
`urcx.commands.parsing` suggests the option that was probably meant.

Before long work, a command estimates its time and size. It counts states, games and plies by closed
forms, and `urcx.engine.costs` has the measured cost of each. `urcx.commands.estimates` does this
for games of agents. `urcx.commands.consent` starts quick and small work without a word. It asks
before long or large work on a terminal, and requires ``--yes`` elsewhere. Work that would take over
a year, or more memory than is free, is refused. The functions behind the commands never ask: they
refuse before they allocate.

The help of a number states its range. The fuzz test finds commands and options by itself. Add
typical values of a new option to ``USUAL`` in ``tests/fuzzing.py``. If users may confuse an option
with another one, add a case to `urcx.commands.parsing`.
"""
