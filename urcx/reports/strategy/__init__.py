"""What the commands about dice, journeys and gain show."""
