"""Perfect play: solving, tablebases, and what is known of a game once it is solved."""
