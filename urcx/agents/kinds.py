"""The kinds of agents that are built in. Quick to import, for the shell and the list of agents.

An entry here is all that a new kind needs, unless it chooses moves in a new way (``chooses``).
`urcx.agents.policies` prepares each way.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import Annotated, Any, Literal

from urcx.agents.wishes import WISHES, Wish
from urcx.errors import UnusableFileError
from urcx.reading import open_regular
from urcx.results.fields import Field, Format, fields_of
from urcx.results.numbers import count_text
from urcx.results.result import Rows
from urcx.results.tables import Column, Table

NONE = Format(none="-")
ENGINE = "engine"
Chooses = Literal[
    "ties", "greedy", "priority", "gain", "solution", "search", "network", "mistakes", "program"
]


@dataclass(frozen=True)
class AgentKind:
    """A kind of agent.

    Attributes
    ----------
    name : str
    title : str
        How it plays.
    ties : str
        Its tie-breaking rule.
    chooses : str
        The way in which it chooses moves: by ``ties`` alone, ``greedy``, by wishes in order of
        ``priority``, by ``gain``, by a ``solution``, by a ``search``, by a ``network`` at the
        leaves of a search, by another ``program``, or as another agent with ``mistakes``.
    depth, leaf : int or None, str or None
        Default search depth and static evaluation. A network needs no static evaluation.
    few_rolls : bool
        Whether deep plies see few rolls (see `urcx.agents.search`).
    file : str
        Whether its string ``may`` or ``must`` name a file or a program, or takes ``none``.
    deepest : int or None
        The greatest depth in the explorer, where nobody waits for deeper searches.
    """

    name: Annotated[str, Field("<name", about="name of an agent")]
    title: Annotated[str, Field(Column("plays", text=True, least=16), about="how it plays")]
    ties: Annotated[
        str, Field("<ties", about="tie-breaking rule: which of equally good moves it plays")
    ]
    chooses: Chooses
    depth: Annotated[int | None, Field("depth", NONE, "search depth in plies, or null")] = None
    leaf: Annotated[
        str | None, Field("<leaf", NONE, "static evaluation at the end of the search, or null")
    ] = None
    few_rolls: bool = False
    file: str = "none"
    deepest: int | None = None

    @property
    @Field(about="whether it looks ahead")
    def looks_ahead(self) -> bool:
        """Return whether the agent looks ahead."""
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
        "priority",
        "moves that meet its wishes, the first one first: priority:capture,rosette,off",
        "last",
        "priority",
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
        "the highest chance of winning in a solution: optimal:FILE, or computed as needed",
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

# Classes of files other than tablebases by which the agent ``optimal`` plays. The key is the first
# bytes of such a file, the value a module and a name in it. An object is made from a file's name,
# and is a context manager. It has ``check_rules(rules)``, ``policy(ties)``, which returns a policy
# for kernels, and ``by_layers(ties)``, which returns a policy for `urcx.expectations.choices`. Only
# here may the core name a study. Without the study's folder, its files are refused.
FILE_PLAYERS = {b"urcx-pl\n": "urcx.contrib.learning.play_file:PlayFile"}


def player_class(file: str | Path) -> Any:
    """Return the class of `FILE_PLAYERS` for a file, or None for other or unreadable files."""
    try:
        with open_regular(file) as stream:
            start = stream.read(max(map(len, FILE_PLAYERS)))
    except (OSError, UnusableFileError):
        return None
    for first, place in FILE_PLAYERS.items():
        if start.startswith(first):
            try:
                return resolve_name(place)
            except ModuleNotFoundError as error:
                raise UnusableFileError(
                    f"{file} needs {error.name}, which is not installed"
                ) from None
    return None


def open_player(file: str | Path) -> Any:
    """Open a file of `FILE_PLAYERS`, by which an agent plays. Return None for any other file."""
    player = player_class(file)
    return None if player is None else player(file)


NOTES = (
    (
        "written NAME[:DEPTH][:LEAF][:TIES], such as panda:5 or greedy:random; "
        "priority:WISHES[:TIES]; optimal:FILE; "
        "mistakes[:PERCENT][:AGENT]; net:FILE[:DEPTH]; engine:COMMAND; FILE.py:FUNCTION for your "
        "function"
    ),
    (
        "ties: which of equally good moves it plays: first (the least advanced piece), last (the "
        "most advanced piece) or random; depth: search depth in plies, its own move included; "
        "leaf: static evaluation after these plies, steps and pieces home minus the enemy's "
        "(advance+centre: and 4 for the centre rosette), or FILE.toml with your own weights"
    ),
)


class AgentKinds(Rows[AgentKind]):
    """The agents with their default settings."""

    schema = "urcx.agents/1"
    lists = ("rows", "wishes")

    @property
    def wishes(self) -> tuple[Wish, ...]:
        """Return the wishes of ``priority``."""
        return tuple(WISHES.values())

    def tables(self) -> list[Table]:
        """Return a row for each agent, and a row for each wish of ``priority``."""
        fields = fields_of(AgentKind).pick("name", "depth", "leaf", "ties", "title")
        wishes = fields_of(Wish).table("Wishes of priority", self.wishes)
        return [fields.table("", self, NOTES), wishes]

    @property
    def answer(self) -> str:
        """Return the number of agents, and how they are written."""
        return f"{count_text(len(self), 'agent')}, each written NAME[:DEPTH][:LEAF][:TIES]"
