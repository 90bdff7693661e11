"""Perfect play: solving, tablebases, and what is known of a game once it is solved.

The room has the name of the function `urcx.solve`, and importing a room puts it under its name; so
it can be called, as the function `urcx.solve.solution.solve`.
"""

import sys
from types import ModuleType
from typing import Any


class _Room(ModuleType):
    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Solve a rule set; see `urcx.solve.solution.solve`."""
        from urcx.solve.solution import solve  # noqa: PLC0415 - numba is slow to import

        return solve(*arguments, **options)


sys.modules[__name__].__class__ = _Room
