"""Exact expectations over all games of two agents, and regret against optimal play.

How often does a game visit each state? The counts solve x = b + P'x, layer by layer from the start.
Begin at `urcx.expectations.flow`, which follows games and bounds the errors; `urcx.expected` is its
public face.

1. What the agents choose is computed once for all states of a pair of layers
   (`urcx.expectations.choices`): from the policies that games ask, so that an agent plays the same
   in either. Levels are looked up eight states at a time.
2. So is what leads to each state of the pair, its linear system (`urcx.expectations.layers`).
3. Sweeps in place, in the order in which moves lead, solve it in single precision with reduced rank
   extrapolation; what is left is solved in further rounds until that bounds the error. For equal
   agents there are two systems of half the size: the mean of both sides' counts, and half of their
   difference.
4. How long games stay in a pair from any state is bounded backwards, which makes of what is left a
   bound of every measure.
5. What happens in each state times its count gives all means (`urcx.expectations.tally`).

Paths that are crossed twice go a state at a time (`urcx.expectations.tiles`). The moves are
compared to a solution in the same pass (`urcx.expectations.losses`), which regret, luck and
mistakes ask. Which states two agents' games can come to at all is searched without probabilities
(`urcx.expectations.arrivals`).

To ask for a mean over all games: how often a side stands, moves and captures on each step are
arrays of `urcx.expectations.tally.Side`, which `urcx.expected` returns, and `Accuracy.counted`
bounds what they are off by. To add one that does not follow from those: a sum of
`urcx.expectations.tally_kernels` (`weigh_visits`, `weigh_standing`), and a field of `Side`.

For `urcx.expectations.lengths` the probability that a game goes on is updated, of all states, once
for each ply. `urcx.expectations.compare` has the figures of several rule sets in one table.
"""
