"""The game as an environment of the libraries for learning, and a judge of policies.

- `urcx.contrib.envs.openspiel`: a game of OpenSpiel.
- `urcx.contrib.envs.pettingzoo`: an environment of PettingZoo, in which agents take turns (AEC).
- `urcx.contrib.envs.gymnasium`: environments of Gymnasium against an agent, for one game or many.
- `urcx.contrib.envs.judge`: the loss of any policy against optimal play.

The libraries come with the extra ``urcx[envs]``. Importing `urcx.contrib.envs` needs none of them.
All environments number actions the same way and show the same observations.

They share `urcx.contrib.envs.states`. Legal moves come from the move generator of the core, and
dice from the simulator's random streams, so every environment plays the games of `urcx.simulate`.
Kernels step many games at once. A policy is judged exactly if all states fit into memory
(`urcx.contrib.envs.weighing`), otherwise from the sum of its losses in games against optimal play.

To add a value to the observation, edit `urcx.contrib.envs.observation_kernels`, its description in
`urcx.contrib.envs.states` and in the documentation, and the plain version in
``tests/contrib/envs/test_actions.py``. To judge a new kind of policy, add a class to
`urcx.contrib.envs.choosers`.
"""

from urcx.contrib import public_names

COMMANDS: dict[str, tuple[str, str]] = {}
PUBLIC = {"Judgement": "judging", "judge": "judging"}

__getattr__ = public_names(__name__, PUBLIC)
