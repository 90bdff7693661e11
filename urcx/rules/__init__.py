"""The game as data: boards, paths, dice, rule sets, positions and their notation."""
