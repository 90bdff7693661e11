"""How any result is shown: tables and their layout, numbers, progress, output."""
