"""The game as data: boards, paths, dice, rule sets, positions and their notation.

Begin at `urcx.rules.model`, the objects, and at ``data/*.toml``, the built-in ones. A user's
``--path-file`` has the same schema.

Public functions check their arguments here. `resolve_entry` (`urcx.rules.catalogue`) takes a path,
board, dice or rule set, or its name; `as_position` (`urcx.rules.position`) takes a position or its
notation; `resolve_position` takes a position together with its rules; `as_integer` takes a number
before anything is compared with it. They raise `urcx.errors.WrongObjectError`, one line, for
anything else. A game can stand for a position with its rules: this package and those above it know
a game by these two attributes alone (`GameLike`).
"""
