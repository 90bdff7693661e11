"""The state spaces of other games: computed twice, visited where small, compared with the print."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Context, Decimal
from typing import Annotated, Any, ClassVar

from urcx.complexity.board_games import EXACTNESS, BoardGame, Printed, boards
from urcx.engine.threads import Stage, no_progress
from urcx.enumerate.board_visits import visited_states
from urcx.errors import UsageError, check_booleans, check_functions, check_name
from urcx.results.fields import COUNT, Field, Format, decimals, fields_of
from urcx.results.latex import PACKAGES, escaped, tabular
from urcx.results.numbers import count_text, number
from urcx.results.result import Rows
from urcx.results.tables import ColouredText, Column, Note, Table, Tone, key
from urcx.rules import catalogue

__all__ = ["board_games"]

EQUAL, ROUNDED, LESS, MORE, OTHER = "equal", "rounds to it", "less", "more", "counts less"
STATES = "states are arrangements of pieces, without the side to move, reachable or not"
COMPARED_COLUMNS = (
    Column("printed", text=True, least=10),
    Column("by", text=True, least=12, joined=True),
    Column("compared", text=True, least=11, joined=True),
)
MEANINGS = (
    "equal: all printed digits; rounds to it: the power of ten below or above; less, more: the "
    "printed figure is less or more than ours; counts less: it leaves out states of our count"
)


@dataclass(frozen=True)
class Comparison:
    """A published figure, compared with the number computed."""

    figure: Annotated[
        Printed,
        "the printed figure",
        Field(about="the figure as printed", key="printed", of="printed"),
        Field(about="who printed it", key="by", of="by"),
        Field(about="key of the bibliography (urcx cite)", key="key", of="key"),
        Field(
            about="another thing that the figure counts, if not the same", key="counts", of="counts"
        ),
    ]
    verdict: Annotated[
        str,
        Field(
            about=f"{EQUAL}, {ROUNDED}, {OTHER}; {LESS} or {MORE} than our number; empty if none"
        ),
    ]

    def cells(self, *, wide: bool) -> list[str]:
        """Return the figure and the verdict for a table, with author and all digits if ``wide``."""
        printed, counts = self.figure.printed, self.figure.counts
        digits = printed.replace(",", "")
        tone: Tone = "good" if self.verdict in (EQUAL, ROUNDED) else "fair"
        if not wide:
            short = _short(int(digits)) if digits.isdigit() else printed
            return [short, ColouredText(self.verdict, tone)]
        words = ": ".join(filter(None, (self.verdict, counts)))
        return [printed, self.figure.by, ColouredText(words, tone)]

    @property
    def text(self) -> str:
        """Return the figure with its author and the verdict."""
        parts = [self.figure.by, self.verdict, self.figure.counts]
        return f"{self.figure.printed} ({', '.join(filter(None, parts))})"


COMPARED = Format(
    json=(("", fields_of(Comparison).records),),
    csv=(("", lambda items: "; ".join(item.text for item in items)),),
)


@dataclass(frozen=True)
class BoardSpace:
    """The state space of a game, with the published figures.

    ``series`` is the same number by sympy, ``visited`` the number of states visited one by one of
    a small version of the board, whose number by the product is ``small``. They are None if they
    were not computed.
    """

    board: Annotated[
        BoardGame,
        "the game",
        Field(about="name of the game", key="game", of="name"),
        Field(about="board and pieces", key="about", of="about"),
    ]
    pieces: Annotated[int | None, Field(about="number of pieces, null if it is no parameter")]
    states: Annotated[
        int | None, Field(kind=COUNT, about="number of states, null if no product gives it")
    ]
    published: Annotated[
        tuple[Comparison, ...], Field(kind=COMPARED, about="published figures, compared with it")
    ]
    series: Annotated[
        int | None, Field(kind=COUNT, about="the same number by sympy, null if not computed")
    ] = None
    small: Annotated[
        int | None, Field(kind=COUNT, about="states of a small version, by the product")
    ] = None
    visited: Annotated[
        int | None, Field(kind=COUNT, about="states of the small version, visited one by one")
    ] = None

    @property
    @Field(about=f"status of the number: {', '.join(EXACTNESS.values())}", after="states")
    def exactness(self) -> str:
        """Return whether the number is exact, an upper bound, or only cited."""
        return EXACTNESS[self.board.bound]

    @property
    @Field(
        "",
        decimals(2),
        "its base-10 logarithm, or that of the first cited figure",
        after="exactness",
    )
    def log10(self) -> float:
        """Return the base-10 logarithm of the number, or of the first cited figure."""
        if self.states is None:
            return self.published[0].figure.log10
        return math.log10(self.states)

    @property
    @Field(about="why the number has this status", after="log10")
    def why(self) -> str:
        """Return why the number is exact, a bound, or cited."""
        return self.board.why

    def cells(self, *, wide: bool) -> list[list[str]]:
        """Return the cells of each published figure, or of one that counts the same if there is."""
        figures = sorted(self.published, key=lambda item: item.verdict in ("", OTHER))
        chosen = self.published if wide else figures[:1]
        return [item.cells(wide=wide) for item in chosen] or [[""] * (3 if wide else 2)]

    @property
    def label(self) -> str:
        """Return the game with its number of pieces."""
        pieces = "" if self.pieces is None else f", {count_text(self.pieces, 'piece')} per side"
        return self.board.name + pieces

    @property
    def size(self) -> str:
        """Return the number with its power of ten and its status."""
        if self.states is None:
            return "no product gives the number of states"
        return f"{number(self.states)} states, 10^{self.log10:.2f} ({self.exactness})"


class BoardGames(Rows[BoardSpace], function="board_games"):
    """The state spaces of other games, next to the Royal Game of Ur.

    Examples
    --------
    >>> import urcx
    >>> urcx.board_games("connect-four")[0].states
    70728639995483
    """

    schema = "urcx.board-games/1"
    parts: ClassVar = {"rows": fields_of(BoardSpace), "rows.published": fields_of(Comparison)}

    @property
    def answer(self) -> str:
        """Return the sentence on the numbers, and on the computations that agree."""
        if len(self) == 1:
            return f"{self[0].label}: {self[0].size}{self._checked}"
        counted = [row for row in self if row.states is not None]
        least, most = (choose(counted, key=lambda row: row.log10) for choose in (min, max))
        if len({row.board.name for row in self}) == 1:
            return f"{least.label}: {least.size}; {most.label}: {most.size}{self._checked}"
        judged = [c.verdict for row in self for c in row.published if c.verdict not in ("", OTHER)]
        same = sum(verdict in (EQUAL, ROUNDED) for verdict in judged)
        return (
            f"{count_text(len(counted), 'game')} with 10^{least.log10:.1f} ({least.board.name}) to "
            f"10^{most.log10:.1f} ({most.board.name}) states; {same} of the {len(judged)} "
            f"published figures that count the same hold{self._checked}"
        )

    @property
    def _checked(self) -> str:
        """Return the other computations, and whether they agree, as the end of a sentence."""
        ways = {
            "sympy": [row.series == row.states for row in self if row.series is not None],
            "visits": [row.visited == row.small for row in self if row.visited is not None],
        }
        parts = [
            f"{name} {'agree' if name == 'visits' else 'agrees'} in {sum(right)} of {len(right)}"
            for name, right in ways.items()
            if right
        ]
        return f"; {', '.join(parts)}" if parts else ""

    def tables(self) -> list[Table]:
        """Return a row for each game, by size, or all that is published about a single game."""
        return self._tables(wide=len({row.board.name for row in self}) == 1)

    def wide_tables(self) -> list[Table]:
        """Return the table with each published figure and all digits."""
        return self._tables(wide=True)

    def _tables(self, *, wide: bool) -> list[Table]:
        """Return the table, with one published figure per game unless ``wide``."""
        text = number if wide else _short
        rows = []
        checked = any(row.series is not None or row.visited is not None for row in self)
        printed = any(row.published for row in self)
        for row in sorted(self, key=lambda row: row.log10):
            own = [
                row.board.name,
                "" if row.pieces is None else str(row.pieces),
                "" if row.states is None else text(row.states),
                row.exactness,
                f"{row.log10:.2f}",
                *([_checks(row)] if checked else []),
            ]
            figures = row.cells(wide=wide) if printed else [[]]
            rows += [[*own, *figures[0]], *([*[""] * len(own), *more] for more in figures[1:])]
        columns = [
            key("game", least=12),
            Column("p"),
            Column("states"),
            Column("status", text=True, least=11),
            Column("log10", secondary=not wide),
            *([Column("checked", text=True, secondary=True)] if checked else []),
            *((c for c in COMPARED_COLUMNS if wide or c.title != "by") if printed else ()),
        ]
        notes: list[str] = [STATES if wide or not printed else f"{STATES}; one figure per game"]
        notes += [Note(MEANINGS, "compared")] if printed else []
        notes += [f"{', '.join(names)}: {why}" for why, names in self._reasons().items()]
        return [Table("", columns, rows, notes)]

    def _reasons(self) -> dict[str, list[str]]:
        """Return the games of each reason why a number has its status."""
        names: dict[str, list[str]] = {}
        for row in self:
            names.setdefault(row.why, []).append(row.board.name)
        return {why: list(dict.fromkeys(listed)) for why, listed in names.items()}

    @property
    def latex(self) -> str:
        """Return the table for a paper, with the generating function of each game below it."""
        from urcx.complexity.board_series import formula

        columns = ["game", "states", "status", r"$\log_{10}$", "published"]
        rows = [
            [
                escaped(row.board.name),
                "--" if row.states is None else number(row.states),
                row.exactness,
                f"{row.log10:.2f}",
                escaped("; ".join(item.text for item in row.published)) or "--",
            ]
            for row in self
        ]
        items = [
            f"\\item[{escaped(row.board.name)}] {escaped(row.why)}:\n  \\[ {equation} \\]\n"
            for row in self
            if (equation := formula(row.board, row.pieces))
        ]
        listed = ["\\begin{description}\n", *items, "\\end{description}\n"] if items else []
        return "".join([f"% {PACKAGES}\n", tabular(columns, rows, texts=1), *listed])


def _compared(figure: Printed, states: int | None) -> Comparison:
    """Return a published figure with the verdict; a power of ten may be rounded up or down."""
    if states is None:
        return Comparison(figure, "")
    size, own = figure.log10, math.log10(states)
    if figure.counts:
        verdict = OTHER if size < own else MORE
    elif "^" in figure.printed:
        fits = size in (math.floor(own), math.ceil(own))
        verdict = ROUNDED if fits else LESS if size < own else MORE
    else:
        printed = Decimal(figure.printed.replace(",", ""))
        same = Context(prec=len(printed.as_tuple().digits)).create_decimal(states) == printed
        verdict = EQUAL if same else LESS if printed < states else MORE
    return Comparison(figure, verdict)


def _short(value: int) -> str:
    """Return a number as text, with four digits from 10^12 on."""
    return number(value) if value < 10**12 else f"{Decimal(value):.3e}".replace("e+", "e")


def _checks(row: BoardSpace) -> str:
    """Return which computations agree with the number."""
    parts = []
    if row.series is not None:
        parts.append(f"sympy {'=' if row.series == row.states else number(row.series)}")
    if row.visited is not None:
        sign = "=" if row.visited == row.small else f"of {row.small}"
        parts.append(f"{number(row.visited)} visited {sign}")
    return ", ".join(parts)


def board_games(
    games: str | Sequence[str] = "all",
    pieces: int | Sequence[int] | None = None,
    *,
    symbolic: bool = False,
    enumerate: bool = False,  # noqa: A002 - the option's name on the command line
    stage: Stage = no_progress,
) -> BoardGames:
    """Return the state spaces of other games, by one generating function.

    Parameters
    ----------
    games
        Names of games, as a list or separated by commas; by default all of them.
    pieces
        The number of pieces per side, or several, for a single game in which it is a parameter. By
        default the game's own.
    symbolic
        Whether to compute each number again by sympy.
    enumerate
        Whether to visit every state of a small version of each game, and compare the counts.
    stage
        A function that is called as the work begins.

    Returns
    -------
    BoardGames
        A row for each game.

    Raises
    ------
    UnknownNameError
        If a game is unknown.
    UsageError
        If a number of pieces is out of the game's range.

    Examples
    --------
    >>> import urcx
    >>> row = urcx.board_games("backgammon")[0]
    >>> row.states, row.published[0].verdict
    (18528584051601162496, 'equal')
    >>> urcx.board_games("checkers", range(1, 4))[2].states
    883325248
    """
    check_booleans(symbolic=symbolic, enumerate=enumerate)
    check_functions(stage=stage)
    chosen = chosen_boards(games)
    several = isinstance(pieces, Iterable) and not isinstance(pieces, str)
    numbers: Any = pieces if several else [pieces]
    counts = [None if n is None else catalogue.as_integer("pieces", n) for n in numbers]
    if pieces is not None and len(chosen) > 1:
        raise UsageError(f"pieces: only for a single game, not {len(chosen)}")
    if not counts:
        raise UsageError("pieces: must not be an empty list")
    for n in counts:
        chosen[0].check(n)
    update = stage("state spaces", len(chosen) * len(counts), "games")
    rows: list[BoardSpace] = []
    for board in chosen:
        for n in counts:
            rows.append(_space(board, n, symbolic=symbolic, visits=enumerate))
            update(len(rows))
    return BoardGames(rows)


def chosen_boards(games: str | Sequence[str]) -> list[BoardGame]:
    """Return the games of these names, in the order of the data.

    Raises
    ------
    UnknownNameError
        If a game is unknown.
    """
    listed: Any = games.split(",") if isinstance(games, str) else games
    several = isinstance(listed, Iterable)
    names = [str(name).strip() for name in listed] if several else [str(games)]
    for name in names:
        check_name("game", name, (*boards(), "all"))
    if not names:
        raise UsageError("games: must not be an empty list")
    return [board for name, board in boards().items() if name in names or "all" in names]


def _space(board: BoardGame, pieces: int | None, *, symbolic: bool, visits: bool) -> BoardSpace:
    """Return the state space of a game, with the requested computations."""
    states = board.states(pieces)
    usual = pieces in (None, board.pieces)
    published = tuple(_compared(figure, states) for figure in board.published if usual)
    own = board.pieces if pieces is None else pieces
    row = BoardSpace(board, own, states, published)
    if symbolic:
        from urcx.complexity.board_series import series_states

        row = replace(row, series=series_states(board, pieces))
    setup = board.small_setup() if visits else None
    if setup is not None:
        tiles = [(item.number, item.kinds, item.height) for item in setup.tiles]
        visited = visited_states(
            tiles, setup.totals, setup.alternate, setup.counted, named=setup.named
        )
        row = replace(row, small=setup.states(), visited=visited - setup.without)
    return row
