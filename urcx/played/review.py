r"""Reviews: what each decision of a game cost, and what the dice gave.

Let :math:`v` be the chance of winning of the player to move, before the roll; :math:`w` the chance
after it, if the best is done with it; and :math:`u` that after what was done. The player's *luck*
in this ply is :math:`w - v`, and the *regret* of the decision :math:`w - u`, which is never
negative. Where nothing can be decided the regret is 0. Each ply ends where the next one begins, so
the sums telescope: over a whole game, with :math:`V_0` light's chance at its start,

.. math::

   V_\text{end} - V_0 = (\text{luck of light} - \text{regret of light})
                      - (\text{luck of dark} - \text{regret of dark}),

where :math:`V_\text{end}` is 1 if light has won and 0 if dark has. The numbers are those of the
tablebase, and sums of them are kept as fractions, so that the equation holds exactly, not only up
to rounding. Seen before a roll, luck is 0 on average.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from urcx.engine.moves import Move
from urcx.engine.threads import Stage, chosen_threads, silent
from urcx.errors import UsageError
from urcx.game import SIDES
from urcx.played.hints import Hint, hint
from urcx.played.record import PlayedGame, Ply, as_played
from urcx.played.values import Chances, chance_of, opened
from urcx.results.result import Result
from urcx.rules.model import RuleSet


@dataclass(frozen=True)
class ReviewedPly:
    """A ply of a game with what it was worth, to the player who rolled.

    Attributes
    ----------
    number : int
        From 1.
    ply : Ply
    before : Fraction
        The chance of winning before the roll.
    rolled : Fraction
        The chance after the roll, if the best is done with it.
    after : Fraction
        The chance after what was done.
    choices : int
        The number of legal moves.
    best : Move or None
        A best move: the one that was played, if none is better.
    hint : Hint
        All moves with their chances.
    """

    number: int
    ply: Ply
    before: Fraction
    rolled: Fraction
    after: Fraction
    choices: int
    best: Move | None
    hint: Hint

    @property
    def side(self) -> str:
        """Return who rolled, ``"light"`` or ``"dark"``."""
        return self.ply.side

    @property
    def roll(self) -> int:
        """Return the roll."""
        return self.ply.roll

    @property
    def move(self) -> Move | None:
        """Return what was played, None for a pass."""
        return self.ply.move

    @property
    def luck(self) -> Fraction:
        """Return what the dice gave."""
        return self.rolled - self.before

    @property
    def regret(self) -> Fraction:
        """Return what the decision cost."""
        return self.rolled - self.after

    @property
    def is_decision(self) -> bool:
        """Return whether there were two legal moves or more."""
        return self.choices > 1

    @property
    def light_before(self) -> Fraction:
        """Return light's chance before the roll."""
        return self.before if self.side == "light" else 1 - self.before

    @property
    def light_after(self) -> Fraction:
        """Return light's chance after what was done."""
        return self.after if self.side == "light" else 1 - self.after


@dataclass(frozen=True)
class SideReview:
    """One player's luck and skill over a game.

    Attributes
    ----------
    side : str
        ``light`` or ``dark``.
    player : str
        The name of the player.
    luck : Fraction
        The sum of what the dice gave.
    lost : Fraction
        The sum of what decisions cost, the regret.
    plies, decisions, mistakes : int
        How often the player rolled; how often with two legal moves or more; how often a move was
        played that costs more than the error of the chances.
    worst : ReviewedPly or None
        The mistake that cost most; None without mistakes.
    """

    side: str
    player: str
    luck: Fraction
    lost: Fraction
    plies: int
    decisions: int
    mistakes: int
    worst: ReviewedPly | None


@dataclass(frozen=True, repr=False)
class Review(Result, function="review"):
    """A game with the chances of winning at every ply.

    It shows itself as ``urcx review`` prints it.

    Attributes
    ----------
    played : PlayedGame
    plies : tuple of ReviewedPly
    light_start, light_end : Fraction
        Light's chance of winning before the first ply and after the last; 1 or 0 at the end of a
        finished game.
    bound : float or None
        How far a chance is off at most; None where nothing is proven.

    Examples
    --------
    >>> import urcx
    >>> played = urcx.PlayedGame(urcx.Game("finkel", pieces=1)).play("0-2").play("0-1")
    >>> found = urcx.review(played)
    >>> [f"{float(ply.luck):+.3f}" for ply in found.plies]
    ['-0.003', '-0.039']
    >>> found.side("light").mistakes
    0
    """

    played: PlayedGame
    plies: tuple[ReviewedPly, ...]
    light_start: Fraction
    light_end: Fraction
    bound: float | None

    @property
    def rules(self) -> RuleSet:
        """Return the rules of the game."""
        return self.played.rules

    @property
    def tolerance(self) -> float:
        """Return the greatest regret that may be the chances' error, twice its bound."""
        return 2 * (self.bound or 0.0)

    @property
    def sides(self) -> tuple[SideReview, SideReview]:
        """Return light's luck and skill, and dark's."""
        return self.side("light"), self.side("dark")

    def side(self, side: str) -> SideReview:
        """Return the luck and skill of ``"light"`` or ``"dark"``.

        Raises
        ------
        UsageError
            If it is neither.
        """
        if side not in SIDES:
            raise UsageError(f"side {side!r}: light or dark is wanted")
        own = [one for one in self.plies if one.side == side]
        worst = max(own, key=lambda one: one.regret, default=None)
        return SideReview(
            side,
            self.played.player(side),
            sum((one.luck for one in own), Fraction(0)),
            sum((one.regret for one in own), Fraction(0)),
            len(own),
            sum(one.is_decision for one in own),
            sum(one.regret > self.tolerance for one in own),
            worst if worst is not None and worst.regret > self.tolerance else None,
        )


def review(
    game: PlayedGame,
    tablebase: Chances | str | Path | None = None,
    *,
    threads: int | None = None,
    stage: Stage = silent,
) -> Review:
    """Review a game: every decision's regret, and luck and skill apart.

    Parameters
    ----------
    game
        A played game, such as `urcx.read_game` returns.
    tablebase
        An open tablebase or the name of one's file; None solves a small rule set at once.
    threads
        To solve it, by default one for each core.
    stage
        Called as each stage of the work begins.

    Returns
    -------
    Review

    Raises
    ------
    WrongObjectError
        If it is no played game.
    TooLargeError
        If there is no tablebase, and the rule set is too large to be solved at once.
    TablebaseError
        If the tablebase cannot be read, is damaged, or of other rules.

    Examples
    --------
    >>> import urcx
    >>> played = urcx.PlayedGame(urcx.Game("finkel", "14/13/1-1/L", pieces=2))
    >>> played = played.passed(2).play("13-15")
    >>> found = urcx.review(played)
    >>> light, dark = found.sides
    >>> found.light_end - found.light_start == (light.luck - light.lost) - (dark.luck - dark.lost)
    True
    >>> round(float(found.light_start), 3), int(found.light_end), dark.lost == 0
    (0.46, 0, True)
    """
    given = as_played(game)
    threads = chosen_threads(threads)
    with opened(given.rules, tablebase, threads=threads, stage=stage) as known:
        plies = tuple(
            _reviewed(number, ply, hint(ply.before, ply.roll, known))
            for number, ply in enumerate(given.plies, start=1)
        )
        start, end = (chance_of(known, at, "light") for at in (given.start, given.game))
        return Review(given, plies, start, end, known.bound)


def _reviewed(number: int, ply: Ply, found: Hint) -> ReviewedPly:
    done = next(one for one in found.moves if one.move == ply.move)
    first = found.moves[0]
    assert found.before is not None
    assert first.chance is not None
    assert done.chance is not None
    return ReviewedPly(
        number,
        ply,
        found.before,
        first.chance,
        done.chance,
        sum(one.move is not None for one in found.moves),
        ply.move if done.is_best else first.move,
        found,
    )
