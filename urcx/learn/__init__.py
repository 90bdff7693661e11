"""Training of agents: gradients, self-play, checkpoints, and the data cards of what was trained."""
