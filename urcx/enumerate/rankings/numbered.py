"""Positions with their ranks: the results of the commands rank, unrank and sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, NamedTuple

from urcx.enumerate.rankings.ranking import Ranking
from urcx.results.fields import Field, fields_of
from urcx.results.result import Result


class NumberedPosition(NamedTuple):
    """A position and its rank, as strings."""

    position: Annotated[str, Field(about="a position")]
    rank: Annotated[str, Field(about="the rank of the position")]


@dataclass(frozen=True)
class Ranked(Result):
    """Positions with their ranks in a numbering."""

    schema = "urcx.rank/1"
    lists = ("rows",)
    numbering: Annotated[Ranking, "the numbering", *fields_of(Ranking)]
    rows: list[NumberedPosition]


class Unranked(Ranked):
    """Ranks with their positions."""

    schema = "urcx.unrank/1"


@dataclass(frozen=True)
class Sampled(Ranked):
    """Random positions."""

    schema = "urcx.sample/1"
    parts: ClassVar = {"rows": fields_of(NumberedPosition).pick("rank", "position")}
    seed: Annotated[int, Field(about="the seed")]
    generator: ClassVar[Annotated[str, Field(about="the random number generator")]] = (
        "Python random.Random, randrange"
    )
