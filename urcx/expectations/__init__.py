"""Exact expectations over all games of two agents, and losses against optimal play.

How often does a game visit each state? The expected visit counts solve x = b + P'x, layer by layer
from the start. Begin at `urcx.expectations.flow`, which follows games and bounds the errors. Its
public function is `urcx.expected`.

1. The agents' choices are computed once for all states of a pair of layers
   (`urcx.expectations.choices`). They come from the same policies as in games, so an agent plays
   the same in both. Depth-k value tables are read eight states at a time.
2. The moves that lead to each state of the pair are computed once too. They are a linear system
   (`urcx.expectations.layers`).
3. In-place sweeps, in the order in which moves lead, solve the system in single precision with
   reduced rank extrapolation. The residual is solved in more rounds until it bounds the error. For
   equal agents there are two systems of half the size: for the mean of both sides' counts, and for
   half of their difference.
4. A backward computation bounds the number of plies that games stay in a pair from any state. This
   turns the residual into an error bound of every measure.
5. The count in each state times its expected visits gives all means (`urcx.expectations.tally`).

Paths that cross tiles twice are followed one state at a time (`urcx.expectations.tiles`). The same
pass compares the moves with a solution (`urcx.expectations.losses`), for regret, luck and mistakes.
A search without probabilities finds the states that two agents' games can reach
(`urcx.expectations.arrivals`).

To get a mean over all games: arrays of `urcx.expectations.tally.Side`, which `urcx.expected`
returns, have the frequencies with which a side stands, moves and captures on each step, and
`Accuracy.counted` bounds their errors. To add another mean, add a sum to
`urcx.expectations.tally_kernels` (`weigh_visits`, `weigh_standing`), and a field to `Side`.

`urcx.expectations.lengths` updates the probability that a game goes on, for all states, once for
each ply. `urcx.expectations.compare` shows the figures of several rule sets in one table.
"""
