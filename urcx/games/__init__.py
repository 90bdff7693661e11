"""Games between agents, and what is measured of them."""
