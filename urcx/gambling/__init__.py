"""The gambling game, whole: rules, counts, agents, matches and what is measured of them."""
