"""The text of a state, for rendering in environments."""

from __future__ import annotations

import sys

from urcx.contrib.envs.states import Rulebook, State
from urcx.errors import UsageError

RENDER_MODES = ("ansi", "human")


def chosen_mode(render_mode: str | None) -> str | None:
    """Return a render mode, or raise `UsageError` if it is unknown."""
    if render_mode is not None and render_mode not in RENDER_MODES:
        modes = " or ".join(RENDER_MODES)
        raise UsageError(f"render_mode {render_mode!r}: must be {modes}")
    return render_mode


def picture_of(mode: str | None, book: Rulebook, state: State) -> str | None:
    """Return the board as text for ``ansi``, print it for ``human``, or do nothing."""
    if mode == "ansi":
        return board_text(book, state)
    if mode == "human":
        sys.stdout.write(f"{board_text(book, state)}\n")
    return None


def board_text(book: Rulebook, state: State) -> str:
    """Return the board as text, with a line for the roll if the dice are rolled."""
    roll_line = f"roll: {state.roll}\n" if state.roll >= 0 else ""
    return f"{book.game(state)}\n{roll_line}"
