"""The game as an environment of the libraries that learning research uses, and a judge of policies.

- `urcx.contrib.envs.openspiel`: a game of OpenSpiel;
- `urcx.contrib.envs.pettingzoo`: an environment of PettingZoo, in which agents take turns (AEC);
- `urcx.contrib.envs.gymnasium`: environments of Gymnasium against an agent, one game or many;
- `urcx.contrib.envs.judge`: how far any policy is from perfect play.

The libraries come with the extra ``urcx[envs]``; importing `urcx.contrib.envs` needs none of them.
All environments number actions the same way and show the same observations.

They share `urcx.contrib.envs.states`. Legal moves come from the one move generator, dice from the
simulator's random streams, so every environment plays the games of `urcx.simulate`; many games at
once are stepped by kernels. A policy is judged exactly where all states fit
(`urcx.contrib.envs.weighing`), else from games against perfect play, whose regrets are added up.

To add a value of an observation: `urcx.contrib.envs.observation_kernels`, its description in
`urcx.contrib.envs.states` and in the documentation, and the plain reading in
``tests/contrib/envs/test_actions.py``. To add a kind of policy that can be judged: a class in
`urcx.contrib.envs.choosers`.
"""

from urcx.contrib import public_names

COMMANDS: dict[str, tuple[str, str]] = {}
PUBLIC = {"Judgement": "judging", "judge": "judging"}

__getattr__ = public_names(__name__, PUBLIC)
