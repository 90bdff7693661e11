"""Learning: training networks, judging them, and perfect play in a small file.

How good can a player of so few numbers become? `urcx.contrib.learning.training` trains by any
method. A method is a session that takes one step after another, none of which depends on the clock
or on threads; a run takes the steps, with checkpoints from which a training goes on bit by bit. The
core plays by the networks.

- ``td`` (`urcx.contrib.learning.td`) learns from games against itself, then in rounds of expert
  iteration: the network's values of all states, backed up by sweeps, teach its next moves.
- ``distil`` (`urcx.contrib.learning.distil`) learns from a tablebase.
- ``alphazero`` (`urcx.contrib.learning.alphazero`) searches trees with compiled kernels and trains
  with JAX, the extra ``learn``. The other two train with our own kernels, so they need no other
  package and give the same bits on any number of threads; JAX's steps take about as long
  (``docs/performance-design.rst``).

Strength is measured in games against perfect play, by the loss of the moves, which varies far less
than the winner (`urcx.contrib.learning.strength`).

To add a method: a data class of settings (`urcx.contrib.learning.settings`), a session
(`urcx.contrib.learning.training`), an estimate of its work, and a line in `METHODS`; checkpoints,
strength and the data card come from `urcx.contrib.learning.training`. The numbers in a checkpoint
have bounds; a forged one goes into ``tests/contrib/learning/test_learning_forgery.py``.

The strategy-complexity curve (`urcx.contrib.learning.curve`) compares the bits of a player with its
strength: rules, networks, quantised tables and files of exact play.

A file of exact play has the best move in every state and for every roll, without values. Moves are
ranked by a small network and by the choices in neighbouring states, and only the surprises are
written, in blocks, by arithmetic coding. One model of the decisions serves writing, playing and
proving: begin at `urcx.contrib.learning.play_kernels`. ``data/rankers`` has networks that rank
moves.
"""

from urcx.contrib import public_names

COMMANDS = {
    "train": ("commands:train", "Train a network that plays as the agent net:FILE."),
    "bits": ("commands:bits", "Compute how many bits players take, and how well they play."),
    "compress": (
        "commands:compress",
        "Write all best moves to a small file, by which optimal:FILE plays.",
    ),
}
PUBLIC = {
    "Bits": "curve",
    "Compressed": "compressing",
    "StrengthAt": "training",
    "Trained": "training",
    "bits": "curve",
    "compress": "compressing",
    "train": "training",
}

__getattr__ = public_names(__name__, PUBLIC)
