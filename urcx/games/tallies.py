"""Frequencies in games: of winners, of rolls, and of numbers of legal moves."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from urcx.complexity.game_tree import wilson
from urcx.games.records import Games
from urcx.results.fields import COUNT, TEXT, Field, Fields, percents_of, shown_as

WINNERS = {"light": "light wins", "dark": "dark wins", "first_mover": "who begins wins"}


@dataclass(frozen=True)
class Tally:
    """A number of cases among all: games among games, rolls among rolls, plies among plies.

    ``name`` says which cases; ``chance`` is their probability, if known.
    """

    name: str | int
    number: int
    total: int
    chance: Fraction | None = None

    @property
    def share(self) -> float:
        """Return the share of all cases."""
        return self.number / self.total

    @property
    def ci95(self) -> tuple[float, float]:
        """Return the 95 % interval of the share, for cases that are independent, such as games."""
        return wilson(self.number, self.total)


def _percents(pair: tuple[float, float]) -> str:
    return f"{pair[0]:.2%} to {pair[1]:.2%}"


WINS = Fields(
    Field("games", "number", COUNT, "how many games", of="number"),
    Field("share", "share", percents_of(2), "their share"),
    Field("ci95", "95 % interval", shown_as(_percents), "its 95 % interval"),
)
ROLLS = Fields(
    Field("roll", "<", shown_as("roll {}".format), "the roll", of="name"),
    Field("thrown", "number", COUNT, "how often it was thrown", of="number"),
    Field("share", "share", percents_of(2), "its share of all rolls"),
    Field("chance", "chance", TEXT, "its probability"),
)
LEGAL_MOVES = Fields(
    Field("legal_moves", about="a number of legal moves", of="name"),
    Field("plies", kind=COUNT, about="plies that had so many", of="number"),
    Field("share", about="their share of all plies"),
)


def wins(games: Games) -> tuple[Tally, ...]:
    """Return the games won by ``light``, by ``dark``, and by who began (``first_mover``)."""
    first, winner = games.results[:, 0], games.results[:, 1]
    found = {"light": winner == 0, "dark": winner == 1, "first_mover": winner == first}
    return tuple(Tally(name, int(won.sum()), len(games)) for name, won in found.items())


def rolls(games: Games) -> tuple[Tally, ...]:
    """Return the frequency of each roll, with its probability."""
    counts = games.rolls.sum(axis=(0, 1), dtype=np.int64)
    total, dice = int(counts.sum()), games.rules.dice
    return tuple(
        Tally(roll, int(count), total, chance)
        for roll, count, chance in zip(dice.rolls, counts, dice.probabilities, strict=True)
    )


def legal_move_counts(games: Games) -> tuple[Tally, ...]:
    """Return how many plies had no legal move, one, two, and so on."""
    counts = games.by_choices.sum(axis=(0, 1), dtype=np.int64)
    total = int(counts.sum())
    return tuple(Tally(k, int(count), total) for k, count in enumerate(counts))
