"""Learning: training networks, and judging them."""
