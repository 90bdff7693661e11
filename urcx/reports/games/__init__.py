"""Reports of the commands about games and agents."""
