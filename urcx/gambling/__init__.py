"""The gambling game: rules, counts, agents, simulation, matches and statistics."""
