"""Where the program starts, as ``urcx`` or ``python -m urcx``."""

from __future__ import annotations

import sys


def main() -> None:
    """Load the command line and run it."""
    try:
        from urcx.cli import main as run
    except KeyboardInterrupt:
        sys.stderr.write("urcx: interrupted\n")
        raise SystemExit(130) from None
    run()


if __name__ == "__main__":
    main()
