"""What the commands that count states show."""
