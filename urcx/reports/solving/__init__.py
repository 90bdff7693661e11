"""What the commands about perfect play show."""
