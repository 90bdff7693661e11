"""The strategy-complexity curve: how many bits a player takes, and how well it plays."""
