"""The entry point of ``urcx`` and of ``python -m urcx``."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """Load the command line and run it."""
    gc.set_threshold(100_000)  # imports leave little garbage, and collections would take 0.1 s
    try:
        from urcx.cli import main as run
    except KeyboardInterrupt:
        sys.stderr.write("urcx: interrupted\n")
        raise SystemExit(130) from None
    run()


if __name__ == "__main__":
    main()
