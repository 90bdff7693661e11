"""The solver for every path, one state at a time."""
