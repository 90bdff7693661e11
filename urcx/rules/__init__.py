"""The game as data: boards, paths, dice, rule sets, positions and their notation.

Start at `urcx.rules.model`, which has the classes, and at ``data/*.toml``, the built-in entries. A
user's ``--path-file`` has the same schema.

Public functions check their arguments with these functions:

- `resolve_entry` (`urcx.rules.catalogue`) takes a path, board, dice or rule set, or its name.
- `as_position` (`urcx.rules.position`) takes a position or its notation.
- `resolve_position` takes a position together with its rules.
- `as_integer` takes a number, before it is compared with anything.

They raise `urcx.errors.WrongObjectError`, with one line, for anything else. A game can stand for a
position with its rules. This package and the packages above it use only these two attributes of a
game (`GameLike`).
"""
