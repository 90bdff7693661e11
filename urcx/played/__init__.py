"""Games played move by move: their record and notation, reviews, hints, and dice with a seed.

Start with `urcx.played.record`. A `PlayedGame` is a start and its plies. It contains no rules,
because `urcx.Game.play` and `urcx.Game.passed` made each ply. Its methods return a new game. A roll
depends only on the seed and the number of the ply. So a resumed game goes on as it would have, and
a move taken back keeps its roll. Win probabilities come from any object with ``probe``, ``rules``
and ``bound`` (`urcx.played.values`): a tablebase, or a small game solved now. They stay fractions
of the stored numbers, so luck and losses of a review add up to the result exactly.

To add a line to the notation, put its name into `KEYS` of `urcx.played.notation`, read and write it
there, and describe it in the docstring. Add a broken text for each error to
``tests/played/test_notation.py``.
"""
