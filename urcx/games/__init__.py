"""Games between agents: simulation, matches and statistics.

Start with `urcx.games.simulator`. It cuts games into chunks for any executor, whose processes
prepare the agents themselves, and stores the counts of each game (`urcx.games.records`). Measures
are computed from these counts: `urcx.games.statistics`, `urcx.games.match`, and the conventions of
`urcx.complexity.game_tree`. Each game has a random stream that depends on the seed and its number
alone, so a game is the same wherever it is played. `urcx.games.simulator` calls users' agents with
the same game in Python.
"""
