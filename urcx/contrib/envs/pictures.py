"""How environments show a state: as text."""

from __future__ import annotations

import sys

from urcx.contrib.envs.states import Rulebook, State
from urcx.errors import UsageError

RENDER_MODES = ("ansi", "human")


def chosen_mode(render_mode: str | None) -> str | None:
    """Return a way of rendering; raises `UsageError` if it is unknown."""
    if render_mode is not None and render_mode not in RENDER_MODES:
        known = ", ".join(RENDER_MODES)
        raise UsageError(f"unknown render_mode {render_mode!r}; known: {known}")
    return render_mode


def picture_of(mode: str | None, book: Rulebook, state: State) -> str | None:
    """Return the board as text; print it for ``human``; nothing without a mode."""
    if mode == "ansi":
        return board_text(book, state)
    if mode == "human":
        sys.stdout.write(f"{board_text(book, state)}\n")
    return None


def board_text(book: Rulebook, state: State) -> str:
    """Return the board as text, with the roll on a line of its own once the dice are rolled."""
    rolled = f"roll: {state.roll}\n" if state.roll >= 0 else ""
    return f"{book.game(state)}\n{rolled}"
