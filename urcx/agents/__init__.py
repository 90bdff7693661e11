"""Agents, which choose the moves: from random play to tree search and perfect play.

Who plays, and which move? Begin at `urcx.agents.agents`. An agent is named by a text
(`urcx.agents.agents`) or is a user's function or object (`urcx.agents.own_agents`), such as
another program (`urcx.agents.engines`).

- For one position an agent answers through `urcx.agents.advice`.
- For kernels it becomes a policy (`urcx.agents.policies`), a named tuple whose methods say how it
  chooses (`urcx.agents.agent_kernels`); they are compiled into all kernels that play or follow
  games. A choice is a set of equally good moves; the tie rule picks one.
- What looks ahead does so in one of two ways with the same values, in integers, to the last bit:
  `urcx.agents.levels` values every state of the rule set at once, so that a game is look-ups, and
  `urcx.agents.search` searches one position's tree. ``auto`` takes what is cheaper for so many
  games.
- A network (`urcx.agents.networks`) values a position before the roll. It plays in fixed point, so
  that the order of sums does not matter: the same moves come out one position at a time, at the
  leaves of a tree, and for all states at once, which are level 0 of `urcx.agents.levels`.
  ``learned`` is a network in ``data/learned``.
- Kinds of files by which an agent plays are listed in `urcx.agents.kinds`.
"""
