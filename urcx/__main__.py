"""``python -m urcx``."""

from urcx.cli import main

main()
