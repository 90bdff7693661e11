"""The solver for paths crossed once: layer by layer, rows of states at a time."""
