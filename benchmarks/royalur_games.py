"""Random games played by `royalur` from PyPI, an independent implementation of the game.

It is pure Python and keeps every state of a game. Only its own public functions are called, and
its own dice rolled.
"""

from __future__ import annotations

import random


def play_random_games(number: int, seed: int) -> int:
    """Play games of Finkel's rules to the end, every legal move equally likely; return the plies.

    Its dice draw from Python's global generator, which is seeded here.
    """
    from royalur import Game

    random.seed(seed)
    plies = 0
    for _ in range(number):
        game = Game.create_finkel()
        while not game.is_finished():
            game.roll_dice()
            plies += 1
            if game.is_waiting_for_move():  # else the roll was a pass
                game.make_move(random.choice(game.find_available_moves()))
    return plies
