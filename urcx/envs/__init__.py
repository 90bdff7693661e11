"""The game as an environment of the libraries that learning research uses, and a judge of policies.

- `urcx.envs.openspiel`: a game of OpenSpiel;
- `urcx.envs.pettingzoo`: an environment of PettingZoo, in which agents take turns (AEC);
- `urcx.envs.gymnasium`: environments of Gymnasium against an agent, one game or many at once;
- `urcx.envs.judge`: how far any policy is from perfect play.

The libraries come with the extra ``urcx[envs]``; importing `urcx.envs` needs none of them. All
environments number actions alike and show the same observations: see :doc:`/environments`.

What they share is `urcx.envs.states`. Legal moves come from the one move generator, dice from the
simulator's random streams, so every environment plays the games of `urcx.simulate`; many games at
once are stepped by kernels. A policy is judged exactly where all states fit (`urcx.envs.weighing`),
else from games against perfect play, whose regrets are added up.

To add a value of an observation: `urcx.envs.observation_kernels`, its description in
`urcx.envs.states` and in the documentation, and the plain reading in
``tests/envs/test_actions.py``. To add a kind of policy that can be judged: a class in
`urcx.envs.choosers`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from urcx.envs.judging import Judgement as Judgement, judge as judge

_LAZY = {"Judgement": "urcx.envs.judging", "judge": "urcx.envs.judging"}

__all__ = ["Judgement", "judge"]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name in _LAZY:
            return getattr(import_module(_LAZY[name]), name)
        raise AttributeError(f"module 'urcx.envs' has no attribute {name!r}")
