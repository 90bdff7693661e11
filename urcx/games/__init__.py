"""Games between agents: simulation, matches and statistics.

What happens in many games? Begin at `urcx.games.simulator`. It cuts games into chunks for any
executor, whose processes make the agents ready themselves, and keeps the counts of each game
(`urcx.games.records`), of which measures are made: `urcx.games.statistics`,
`urcx.games.match`, and the conventions of `urcx.complexity.game_tree`. Each game has a random
stream made from the seed and its own number, so it does not matter where it is played. Users'
agents are called from `urcx.games.simulator`, the same game in Python.
"""
