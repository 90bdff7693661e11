"""Reports of the commands that count states."""
