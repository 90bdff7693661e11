"""A bot for Finkel's rules in plain Python: captures, else rosettes, else its foremost piece."""

from __future__ import annotations

import sys
from collections.abc import Iterator

SHARED = range(5, 13)  # steps of the middle lane, where pieces meet
SAFE, ROSETTES, HOME = 8, (4, 8, 14), 15


def steps(text: str) -> list[int]:
    """Return where a player's pieces are."""
    return [] if text == "-" else [int(step) for step in text.split(",")]


def legal_moves(position: str, roll: int, pieces: int) -> Iterator[tuple[bool, bool, int, int]]:
    """Yield each move: whether it captures, whether it reaches a rosette, from and to."""
    light, dark, home, turn = position.split("/")
    own, other = steps(light), steps(dark)
    own_home, other_home = map(int, home.split("-"))
    if turn == "D":
        own, other, own_home = other, own, other_home
    waiting = len(own) + own_home < pieces
    for start in [0, *own] if waiting else own:
        end = start + roll
        captures = end in SHARED and end in other
        if roll and end <= HOME and end not in own and not (captures and end == SAFE):
            yield captures, end in ROSETTES, start, end


def main() -> None:
    """Answer line by line."""
    rules, pieces, position, roll = "finkel", 7, "-/-/0-0/L", 0
    for line in sys.stdin:
        word, *rest = line.split()
        answer = ""
        if word == "urgi":
            answer = "id name example\nurgiok\n"
        elif word == "setoption" and rest[1] == "rules":
            rules = rest[3]
        elif word == "setoption" and rest[1] == "pieces":
            pieces = int(rest[3])
        elif word == "isready":
            answer = (
                "readyok\n" if rules in ("finkel", "kwan") else f"error unknown rules {rules}\n"
            )
        elif word == "position":
            position = rest[0]
        elif word == "roll":
            roll = int(rest[0])
        elif word == "go":
            best = max(legal_moves(position, roll, pieces), default=None)
            answer = f"bestmove {best[2]}-{best[3]}\n" if best else "bestmove pass\n"
        elif word == "quit":
            break
        sys.stdout.write(answer)
        sys.stdout.flush()


main()
