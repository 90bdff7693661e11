"""Games between agents: simulation, matches and statistics."""
