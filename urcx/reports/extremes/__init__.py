"""Reports on shortest and longest games, on lengths, and on luck."""
