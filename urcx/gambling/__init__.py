"""The gambling game: rules, counts, agents, simulation, matches and statistics.

How is the game of the tablet of 177 BC played, and how large is it? It has labelled pieces, rolls
to enter by, a second die at a player's risk and counters, little of which is a race game's; so it
has a room of its own. Begin at `urcx.gambling.rules`: the game (``data/gamble.toml``, with what the
source states), and `CHOICES`, what the source leaves open, each an option of ``urcx gamble``.

Rules, agents with their search, and whole games are kernels; the rest are functions over them. The
closed form and the enumerator of labelled diagrams know nothing of each other, and
`urcx.gambling.state_counts` puts both side by side. ``tests/naive_gamble.py`` replays whole games.

To add a rule that the text leaves open: a `Choice` in `urcx.gambling.rules`, its number in
`urcx.gambling.rule_arrays` and the kernels, its plain version in the naive replay, its option of
``urcx gamble``.
"""
