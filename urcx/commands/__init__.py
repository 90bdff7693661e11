"""The commands, a module for each group of the help.

What does the user want? A command is a typer function: its parameters are the options, its
docstring is the help, and its body asks before long work, calls the public function of its name and
shows the result. `urcx.commands.table` says in which module each command is. Options that several
commands share are declared once in `urcx.commands.options`, and command lines that the parser
refuses are turned into the option that was probably meant.

Before long work a command asks about how long and large it will be: counts of states, games and
plies by the closed forms, times rates that were measured once; each estimate, ``cost``, stands
beside the work. `urcx.commands.consent` says nothing
of what is quick and small, asks on a terminal for what is long or large, and elsewhere refuses it
without ``--yes``; what would take over a year or more memory than is free is refused. The functions
behind the commands never ask; they refuse what does not fit before they allocate.

The help of a number states its range. The fuzz test finds commands and options by itself; typical
values of a new option go to ``USUAL`` of ``tests/fuzzing.py``. An option that users may confuse
with another is a case in `urcx.commands.corrections`.
"""
