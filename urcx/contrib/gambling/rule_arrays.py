"""A gambling game as arrays and numbers for the kernels."""

from __future__ import annotations

import numpy as np

from urcx.contrib.gambling.rule_kernels import Rules
from urcx.contrib.gambling.rules import CHOICES, GamblingGame
from urcx.games.simulator import dice_slots


def arrays(game: GamblingGame) -> Rules:
    """Return a game as arrays for the kernels."""
    ways = game.path.light, game.path.dark
    numbers = {tile: k for k, tile in enumerate(game.path.tiles)}
    longest = max(map(len, ways))
    tiles = np.full((2, longest + 2), -1, np.int64)
    rosettes = np.zeros((2, longest + 2), np.int64)
    for side, way in enumerate(ways):
        for step, tile in enumerate(way, start=1):
            tiles[side, step] = numbers[tile]
            rosettes[side, step] = tile in game.path.board.rosettes
    choices = {
        name: list(choice.values).index(game.choices[name]) for name, choice in CHOICES.items()
    }
    return Rules(
        lengths=np.array([len(way) for way in ways], np.int64),
        tiles=tiles,
        rosettes=rosettes,
        rolls=np.array([piece.roll for piece in game.pieces], np.int64),
        entries=np.array(game.entries, np.int64),
        values=np.array([piece.counters for piece in game.pieces], np.int64),
        faces=np.array(game.die.rolls, np.int64),
        doubled=np.array(game.doubled, np.int64),
        chances=np.array([float(p) for p in game.die.probabilities]),
        slots=dice_slots(game.die),
        yes=game.doubling.numerator,
        of=game.doubling.denominator,
        counters=game.counters,
        pool=game.pool,
        together=choices["double"],
        waiting=choices["waiting"],
        last_early=choices["order"],
        launch=choices["launch"],
        again=1 - choices["rosette"],
        once=choices["passing"],
        free_exit=choices["leaving"],
        to_opponent=choices["losses"],
        credit=choices["stakes"],
        unfinished=choices["payment"],
        rest_to_finisher=choices["rest"],
    )
