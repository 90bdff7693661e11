"""The ends of the distribution: shortest and longest games, stalling, lengths, luck."""
