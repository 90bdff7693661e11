"""Learning: training networks, judging them, and optimal play in a small file.

How good can a player with few numbers become? `urcx.contrib.learning.training` trains networks by
any method. A method is a session that takes steps, and no step depends on the clock or on threads.
A run takes the steps and writes checkpoints. A training that resumes from a checkpoint gives the
same network, bit by bit. The core plays with the networks.

- ``td`` (`urcx.contrib.learning.td`) learns from games against itself, then in rounds of expert
  iteration: the network's values of all states, backed up by sweeps, teach its next moves.
- ``distil`` (`urcx.contrib.learning.distil`) learns from a tablebase.
- ``alphazero`` (`urcx.contrib.learning.alphazero`) searches trees with compiled kernels and trains
  with JAX, from the extra ``learn``. The other two methods train with our own kernels, so they need
  no other package and give the same bits on any number of threads. JAX's steps take about as long
  (``docs/performance-design.rst``).

Strength is measured in games against optimal play, by the losses of moves, which vary far less than
the winner (`urcx.contrib.learning.strength`).

To add a method, write a data class of settings (`urcx.contrib.learning.settings`), a session
(`urcx.contrib.learning.training`), an estimate of its work, and a line in `METHODS`. Checkpoints,
strength and the data card come from `urcx.contrib.learning.training`. The numbers in a checkpoint
have bounds: add a forged checkpoint to ``tests/contrib/learning/test_learning_forgery.py``.

The strategy-complexity curve (`urcx.contrib.learning.curve`) compares the bits of players with
their strength: rules, networks, quantised tables and files of exact play.

A file of exact play has the best move for every state and roll, without values. A small network and
the choices in neighbouring states rank the moves. Only the surprises are written, in blocks, by
arithmetic coding. The same model of decisions is used to write, play and prove the file: begin with
`urcx.contrib.learning.play_kernels`. ``data/rankers`` has networks that rank moves.
"""

from urcx.contrib import public_names

COMMANDS = {
    "train": ("commands:train", "Train a network that plays as the agent net:FILE."),
    "bits": ("commands:bits", "Compare the bits of players with their loss: a curve."),
    "compress": (
        "commands:compress",
        "Write all best moves to a small file for the agent optimal:FILE.",
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
