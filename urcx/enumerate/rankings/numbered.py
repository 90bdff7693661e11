"""Positions with their ranks, as the commands rank, unrank and sample show them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, NamedTuple

from urcx.enumerate.rankings.ranking import Ranking
from urcx.results.fields import Field, fields_of
from urcx.results.result import Result


class NumberedPosition(NamedTuple):
    """A position and its rank, as texts."""

    position: Annotated[str, Field(about="a position")]
    rank: Annotated[str, Field(about="its rank")]


@dataclass(frozen=True)
class Ranked(Result):
    """Positions with the ranks that a numbering gives them."""

    schema = "urcx.rank/1"
    lists = ("rows",)
    numbering: Annotated[Ranking, "the numbering", *fields_of(Ranking)]
    rows: list[NumberedPosition]


class Unranked(Ranked):
    """Ranks with the positions that they are of."""

    schema = "urcx.unrank/1"


@dataclass(frozen=True)
class Sampled(Ranked):
    """Random positions."""

    schema = "urcx.sample/1"
    parts: ClassVar = {"rows": fields_of(NumberedPosition).pick("rank", "position")}
    seed: Annotated[int, Field(about="the seed")]
    generator: ClassVar[Annotated[str, Field(about="what draws them")]] = (
        "Python random.Random, randrange"
    )
