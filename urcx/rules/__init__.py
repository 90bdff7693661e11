"""The game as data: boards, paths, dice, rule sets, positions and their notation.

What is the game? Begin at `urcx.rules.model`, the objects, and at ``data/*.toml``, the built-in
ones; a user's ``--path-file`` has the same schema.

What a caller gives for a path, board, dice or rule set goes through `coerced`
(`urcx.rules.catalogue`), which takes the object or its name; a position through `as_position`
(`urcx.rules.position`), together with its rules through `placed`; a number that is compared before
anything says what is wrong with it through `whole`. What is none of these raises
`urcx.errors.WrongObjectError`, one line. A game stands for a position with its rules wherever both
are wanted; this room and those above it know it only by these two attributes (`GameLike`).
"""
