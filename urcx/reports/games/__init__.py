"""What the commands about games and agents show."""
