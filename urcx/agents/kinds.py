"""The kinds of agents that are built in: soon imported, for the shell and the list of agents.

All that is to be known of a kind stands here; a new one needs no more, unless it chooses as none
does yet (``chooses``; `urcx.agents.policies` has how each is prepared).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import Annotated, Any, Literal

from urcx.errors import UnusableFileError
from urcx.reading import open_regular
from urcx.results.fields import Field, Format, fields_of
from urcx.results.numbers import count_text
from urcx.results.result import Rows
from urcx.results.tables import Column, Table

NONE = Format(none="-")
ENGINE = "engine"
Chooses = Literal["ties", "greedy", "gain", "solution", "search", "network", "mistakes", "program"]


@dataclass(frozen=True)
class AgentKind:
    """A kind of agent.

    Attributes
    ----------
    name : str
    title : str
        What it does.
    ties : str
        Its tie rule.
    chooses : str
        What finds its moves: ``ties`` alone, ``greedy``, ``gain``, a ``solution``, a ``search`` of
        positions, which a ``network`` may value, or another ``program``; or another agent, but for
        ``mistakes``.
    depth, leaf : int or None, str or None
        Defaults of those that look ahead; positions that a network values have no leaf values.
    few_rolls : bool
        See `urcx.agents.search`.
    file : str
        Whether its text ``may`` or ``must`` name a file to play by, or a program, or there is
        ``none``.
    deepest : int or None
        The greatest depth in the explorer: what looks further takes longer than anybody waits.
    """

    name: Annotated[str, Field("<name", about="name of an agent")]
    title: Annotated[str, Field(Column("plays", text=True, least=16), about="what it does")]
    ties: Annotated[str, Field("<ties", about="which of equally good moves it plays")]
    chooses: Chooses
    depth: Annotated[int | None, Field("depth", NONE, "plies it looks ahead, or null")] = None
    leaf: Annotated[str | None, Field("<leaf", NONE, "its leaf value, or null")] = None
    few_rolls: bool = False
    file: str = "none"
    deepest: int | None = None

    @property
    @Field(about="whether it looks ahead")
    def looks_ahead(self) -> bool:
        """Return whether it looks ahead."""
        return self.depth is not None


_ALL = (
    AgentKind("random", "any legal move with equal chance", "random", "ties"),
    AgentKind(
        "first", "the least advanced piece; one that enters counts as on step 0", "first", "ties"
    ),
    AgentKind("last", "the most advanced piece", "last", "ties"),
    AgentKind(
        "greedy",
        "any move that captures, else any to a rosette, else any",
        "last",
        "greedy",
    ),
    AgentKind(
        "gain",
        "tiles walked and taken less what the enemy may take, the gain of Raposo and Lamont",
        "last",
        "gain",
    ),
    AgentKind(
        "expectimax",
        "the highest leaf value after all plies looked at, over all rolls",
        "first",
        "search",
        depth=3,
        leaf="advance",
        deepest=3,
    ),
    AgentKind(
        "optimal",
        "the highest chance of winning in a solution: optimal:FILE, or found on the fly",
        "first",
        "solution",
        file="may",
    ),
    AgentKind(
        "mistakes",
        "any legal move in 10 % of its decisions (mistakes:20: in 20 %), else as optimal, or as "
        "another agent (mistakes:20:learned)",
        "first",
        "mistakes",
    ),
    AgentKind(
        "panda",
        "as expectimax, but beyond the two next plies only rolls 1, 2, 3: Raposo and Lamont's",
        "first",
        "search",
        depth=7,
        leaf="advance+centre",
        few_rolls=True,
        deepest=7,
    ),
    AgentKind(
        "net",
        "the highest chance of winning to a network: net:FILE",
        "first",
        "network",
        depth=1,
        file="must",
    ),
    AgentKind(
        "learned",
        "the highest chance of winning to the network that comes with urcx",
        "first",
        "network",
        depth=1,
        deepest=2,
    ),
    AgentKind(
        ENGINE,
        "what another program answers: engine:[SECONDS:]COMMAND",
        "its own",
        "program",
        file="must",
    ),
)
KINDS = {kind.name: kind for kind in _ALL}

# The classes of files other than tablebases by which the agent ``optimal`` plays, under the first
# bytes of such a file: a module and a name in it. An object is made from a file's name, and is a
# context; it has ``check_rules(rules)``, ``policy(ties)``, which returns a policy as kernels take
# it, and ``by_layers(ties)``, which returns one as `urcx.expectations.choices` takes it. A
# study may be named here, and nowhere else in the core: without its folder its files are refused.
FILE_PLAYERS = {b"urcx-pl\n": "urcx.contrib.learning.play_file:PlayFile"}


def player_class(file: str | Path) -> Any:
    """Return the class of `FILE_PLAYERS` for a file; None if it is none or cannot be read."""
    try:
        with open_regular(file) as stream:
            begins = stream.read(max(map(len, FILE_PLAYERS)))
    except (OSError, UnusableFileError):
        return None
    for first, place in FILE_PLAYERS.items():
        if begins.startswith(first):
            try:
                return resolve_name(place)
            except ModuleNotFoundError as error:
                raise UnusableFileError(
                    f"{file} cannot be played by: there is no {error.name}"
                ) from None
    return None


def open_player(file: str | Path) -> Any:
    """Open a file by which an agent plays, other than a tablebase; None if it is none."""
    player = player_class(file)
    return None if player is None else player(file)


NOTES = (
    (
        "written NAME[:DEPTH][:LEAF][:TIES], such as panda:5 or greedy:random; optimal:FILE; "
        "mistakes[:PERCENT][:AGENT]; net:FILE[:DEPTH]; engine:COMMAND; FILE.py:FUNCTION is one of "
        "your own"
    ),
    (
        "ties: which of equally good moves it plays, that of the piece found first (the least "
        "advanced), last (the most advanced), or any at random"
    ),
    (
        "depth: plies looked at, its own move included; leaf: what a position is worth after them: "
        "steps and pieces home less the enemy's, advance+centre with 4 for the centre rosette"
    ),
)


class AgentKinds(Rows[AgentKind]):
    """The agents with their default settings."""

    schema = "urcx.agents/1"

    def tables(self) -> list[Table]:
        """Return a row for each agent."""
        shown = fields_of(AgentKind).pick("name", "depth", "leaf", "ties", "title")
        return [shown.table("", self, NOTES)]

    @property
    def answer(self) -> str:
        """Return how many agents there are."""
        return f"{count_text(len(self), 'agent')}, each written NAME[:DEPTH][:LEAF][:TIES]"
