"""Rankings: bijections between a path's states and 0..N-1, in two orders."""
