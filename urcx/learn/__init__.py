"""Learning: training networks, and judging them.

How good can a player of so few numbers become? Begin at `urcx.learn.training`: it trains by any
method of `urcx.learn.methods`. A method is a session that takes one step after another, none of
which depends on the clock or on threads; `urcx.learn.runs` takes the steps, with checkpoints from
which a training goes on bit by bit.

- ``td`` (`urcx.learn.td`) learns from games against itself, then in rounds of expert iteration: the
  network's values of all states, backed up by sweeps, teach its next moves (`urcx.learn.rounds`).
- ``distil`` (`urcx.learn.distil`) learns from a tablebase.
- ``alphazero`` (`urcx.learn.alphazero`) searches trees with compiled kernels and trains with JAX,
  the extra ``learn``. The other two train with our own kernels, so that they need no further
  package and give the same bits on any number of threads; JAX's steps take about as long
  (``benchmarks/RESULTS.md``).

Strength is measured in games against perfect play, by what the moves lose, which varies far less
than who wins (`urcx.learn.strength`). `urcx.learn.curve` holds players of all kinds against what
they must know.

To add a method: a data class of settings (`urcx.learn.settings`), a session (`urcx.learn.methods`),
an estimate of what it needs, and a line in `METHODS`; checkpoints, strength and the data card come
from `urcx.learn.training`. What a checkpoint keeps has bounds of its numbers; a forged one goes
into ``tests/solving/files/test_forgery.py``.
"""
