"""The solver for paths crossed once: layer by layer, a row of states at a time."""
