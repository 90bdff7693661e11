"""Reports of the commands about perfect play."""
