"""Exact expectations over all games of two agents, and regret against perfect play.

How often does a game visit each state? The counts solve x = b + P'x, layer by layer from the start.
Begin at `urcx.expectations.expected`.

1. What the agents choose is found once for all states of a pair of layers: from the policies that
   games ask, so that an agent plays the same in either. Levels are looked up eight states at a
   time.
2. So is what leads to each state of the pair, its linear system.
3. Sweeps in place, in the order in which moves lead, solve it in single precision with reduced rank
   extrapolation; what is left is solved in further rounds until that bounds the error. For equal
   agents there are two systems of half the size: the mean of both sides' counts, and half of their
   difference.
4. How long games stay in a pair from any state is bounded backwards (`urcx.expectations.stays`),
   which makes of what is left a bound of every measure.
5. What happens in each state times its count gives all means.

To ask for a mean over all games: how often a side stands, moves and captures on each step are
arrays of `urcx.expectations.side_means.Side`, which `urcx.expected` returns, and `Accuracy.counted`
bounds what they are off by. To add one that does not follow from those: a sum of
`urcx.expectations.tally_kernels` (`weigh_visits`, `weigh_standing`), and a field of `Side`.

Paths crossed once go by layers (`urcx.expectations.expected_layers`), all others a state at a time
(`urcx.expectations.expected_tiles`). The moves are compared to a solution in the same pass:
`urcx.expectations.regret` is the public face of that. Which states two agents' games can come to at
all is searched without probabilities (`urcx.expectations.arrivals`).

`urcx.expectations.luck` needs no sweeps of its own: its sums are those of regret. For
`urcx.expectations.lengths` the probability that a game goes on is renewed, of all states, once for
each ply. `urcx.expectations.compare` has the figures of several rule sets in one table.
"""
