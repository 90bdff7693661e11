"""Reports of the commands about dice, journeys and gain."""
