"""The commands, a module for each group of the help.

What does the user want? A command is a typer function: its parameters are the options, its
docstring is the help, and its body asks before long work, calls the public function of its name and
shows the result. `urcx.commands.table` says in which module each command is. Options that several
commands share are declared once in `urcx.commands.options`, and command lines that the parser
refuses are turned into the option that was probably meant.

Before long work a command estimates how long and large it will be: it counts states, games and
plies by closed forms, and `urcx.engine.costs` has the measured costs of one
(`urcx.commands.estimates` counts for games of agents). `urcx.commands.consent` is silent about
quick and small work, asks on a terminal before long or large work, and elsewhere refuses it without
``--yes``. Work that would take over a year or more memory than is free is refused. The functions
behind the commands never ask; they refuse before they allocate.

The help of a number states its range. The fuzz test finds commands and options by itself; typical
values of a new option go to ``USUAL`` of ``tests/fuzzing.py``. An option that users may confuse
with another is a case in `urcx.commands.parsing`.
"""
