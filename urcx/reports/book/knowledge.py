"""The section on strategy complexity: how many bits a player takes, and how well it plays."""

from __future__ import annotations

from dataclasses import replace

from urcx.learn.curve.bits import bits
from urcx.learn.curve.points import LOSS, Point
from urcx.reports.book.elements import ROUNDED, Picture, Prose, Section, listed
from urcx.reports.book.plan import Work
from urcx.reports.figures.bits_plot import bits_figure
from urcx.results.fields import COUNT, Field, Fields, always, decimals, percents_of
from urcx.results.numbers import counted
from urcx.rules import catalogue

TIES = "last"  # of tables: the strongest of the rules where codes are few
WIDTH = 4.8  # inches
DIGITS = 11  # decimals that do not depend on the order of summation
WORDS = (
    (
        "Beside how many states there are and how large the tree is, one may ask how much there is "
        "to know to play well. Every player is a program and its data. The data's bits and the "
        "chance of winning against perfect play give a curve as rate-distortion theory has it; "
        "each player is an upper bound: so many bits are enough to play that well. Programs are "
        "not counted, so a rule without data has 0 bits."
    ),
    (
        "A table has a code of b bits for each state, the number of the cell that the state's "
        "value lies in, and plays the move to the highest code. Cells are of equal width, or those "
        "of least mean squared error over all states (Lloyd and Max), or those that lose least at "
        "the decisions which perfect play meets. All are symmetric about 1/2, as a move that "
        "passes the turn is worth 1 less what the other side then has. With each bit, cells are "
        "half as wide, and what is lost falls by a factor of about four: moves within a cell are "
        "confused half as often, and half as much is lost by it."
    ),
)


def _wins(point: Point) -> float:
    return round(point.wins, DIGITS)


def _loss(point: Point) -> float:
    return round(point.loss, DIGITS)


PLAYERS = Fields(
    Field("player", "<player", of="name"),
    Field("", "<kind", of="title"),
    Field("kind"),
    Field("bits", "bits", COUNT),
    Field("bits_a_state", "a state", decimals(0)),
    Field("wins", "wins", percents_of(4), of=_wins),
    Field("loss", "loss", LOSS, of=_loss),
    Field("ties"),
    Field("frontier"),
)


def knowledge(work: Work) -> Section:
    """Return the section on strategy complexity."""
    rules = replace(catalogue.ruleset("finkel"), pieces=work.plan.coded)
    found = bits(
        rules,
        agents=work.plan.judges,
        table_bits=work.plan.table_bits,
        ties=TIES,
        exact=True,
        seed=work.plan.seed,
        threads=work.plan.threads,
        stage=work.stage,
    )
    game = f"{rules.name}, {counted(rules.pieces, 'piece')} a side"
    fields = Fields(always("rules", rules.name, ""), always("pieces", rules.pieces, "")) + PLAYERS
    notes = [
        f"a state: bits divided by the {found.states:,} unfinished mover views",
        "wins: against perfect play, each side begins in half of the games; loss: 50 % less wins",
        f"tables play the most advanced of the pieces that lead to equal codes ({TIES})",
    ]
    return Section(
        "knowledge",
        "Strategy complexity",
        (
            Prose(*WORDS),
            listed("bits", f"Bits of players: {game}", fields, found.points, ROUNDED, notes),
            Picture("figure-bits", f"Bits and play ({game})", bits_figure(found, WIDTH), ROUNDED),
        ),
    )
