"""Agents choose the moves: from random play to tree search and optimal play.

Start with `urcx.agents.agents`. An agent is a string (`urcx.agents.agents`), or a user's function
or object (`urcx.agents.own_agents`), such as another program (`urcx.agents.engines`).

- `urcx.agents.advice` asks an agent about a single position.
- `urcx.agents.policies` turns an agent into a policy for the kernels: a named tuple whose methods
  choose moves (`urcx.agents.agent_kernels`). They are compiled into all kernels that play or follow
  games. A choice is a set of equally good moves, of which the tie-breaking rule picks one.
- Agents look ahead in one of two ways, both in integers and with the same values to the last bit.
  `urcx.agents.levels` values every state of the rule set at once, so playing a game means looking
  up values. `urcx.agents.search` searches the tree of one position. ``auto`` takes the cheaper way
  for the number of games.
- A network (`urcx.agents.networks`) values a position before the roll. It plays in fixed point, so
  the order of sums does not matter. It plays the same moves for one position at a time, at the
  leaves of a tree, and for all states at once, as level 0 of `urcx.agents.levels`. ``learned`` is a
  network in ``data/learned``.
- `urcx.agents.kinds` lists the kinds of files by which an agent can play.
"""
