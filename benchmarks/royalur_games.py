"""Random games played by `royalur` from PyPI, an independent implementation of the game.

The package is pure Python and stores every state of a game. This script calls only its public
functions and rolls its dice.
"""

from __future__ import annotations

import random


def play_random_games(number: int, seed: int) -> int:
    """Play random games by Finkel's rules to the end; return the number of plies.

    The dice draw from Python's global generator, which is seeded here.
    """
    from royalur import Game

    random.seed(seed)
    plies = 0
    for _ in range(number):
        game = Game.create_finkel()
        while not game.is_finished():
            game.roll_dice()
            plies += 1
            if game.is_waiting_for_move():  # otherwise the roll was a pass
                game.make_move(random.choice(game.find_available_moves()))
    return plies
