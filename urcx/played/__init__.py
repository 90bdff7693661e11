"""Games played move by move: their record and notation, reviews, hints, and dice with a seed.

What was played, and what did it cost? Begin at `urcx.played.record`. A `PlayedGame` is a start and
its plies, and knows no rule: each ply was made by `urcx.Game.play` or `urcx.Game.passed`. Who
plays, reviews or shows a game gets another one back. What the dice give follows from the seed and
the number of the ply alone, so a resumed game goes on as it would have, and a move taken back keeps
its roll. Chances come from whatever has ``probe``, ``rules`` and ``bound`` (`urcx.played.values`):
a tablebase, or a small game solved at once. They are kept as fractions of the stored numbers, so
that luck and regret of a review add up to the result exactly.

To add what can be said of a game in notation: a line's name in `KEYS` of `urcx.played.notation`,
read and written there and described in its docstring, with a broken text for each error in
``tests/played/test_notation.py``.
"""
