"""State-space complexity: every closed form beside the enumerated count.

This is the one place below the published figures that holds the two against each other: forms come
from `urcx.complexity`, counts from `urcx.enumerate.enumerator`, and neither sees the other.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from urcx.complexity import forms, tiles
from urcx.errors import OutOfDomainError, UsageError
from urcx.results.result import Result
from urcx.rules import catalogue
from urcx.rules.model import Path

if TYPE_CHECKING:
    from urcx.enumerate.counts import Count

VISIT_LIMIT = 20_000_000_000  # diagrams enumerated by default


@dataclass(frozen=True)
class StateSpace(Result, function="ssc"):
    """The counts for one path and number of pieces: by each form, and by enumeration.

    Attributes
    ----------
    path : Path
    pieces, dark_pieces : int
        Pieces of light and of dark.
    forms : dict of str to int or None
        By the form's name, its value; None outside its domain.
    reasons : dict of str to str
        By the form's name, why it has no value here.
    count : Count or None
        None if nothing was enumerated.

    Examples
    --------
    >>> import urcx
    >>> found = urcx.ssc("murray", 3, enumerate=False)
    >>> found.forms["michon"] is None, "michon" in found.reasons
    (True, True)
    >>> found.exact == found.forms["tile-polynomial"]
    True
    """

    path: Path
    pieces: int
    dark_pieces: int
    forms: dict[str, int | None]
    reasons: dict[str, str]
    count: Count | None = None

    @property
    def exact(self) -> int:
        """Return the number of diagrams: as enumerated, or else by the tile polynomial."""
        return self.count.diagrams if self.count else self.diagrams

    @cached_property
    def diagrams(self) -> int:
        """Return the number of diagrams by the tile polynomial."""
        return tiles.diagrams(self.path, self.pieces, self.dark_pieces)

    @cached_property
    def agree(self) -> tuple[str, ...]:
        """Return the names of the forms that give the exact number."""
        return tuple(name for name, value in self.forms.items() if value == self.exact)

    @property
    def all_exact(self) -> bool:
        """Return whether all exact forms are stated here and agree, and no other form does."""
        exact = {name for name, form in forms.FORMS.items() if form.status == "exact"}
        return set(self.agree) == exact

    @cached_property
    def branches(self) -> tuple[int, int]:
        """Return light's and dark's branches: as enumerated, or else by formula."""
        if self.count:
            return self.count.branches, self.count.dark_branches
        return tiles.branches(self.path, self.pieces, self.dark_pieces)

    @property
    def mean_branches(self) -> float:
        """Return light's mean number of branches per diagram, the post's branching factor."""
        return self.branches[0] / self.diagrams

    @property
    def conventions(self) -> dict[str, int]:
        """Return the number of states in each convention that the closed form can give."""
        return tiles.conventions(self.path, self.pieces, self.dark_pieces)


def ssc(
    path: str | Path = "bell",
    pieces: int = 7,
    dark_pieces: int | None = None,
    *,
    enumerate: bool = True,  # noqa: A002 - the option's name on the command line
    executor: Executor | None = None,
    progress: Callable[[int], None] | None = None,
) -> StateSpace:
    """Return the state-space complexity of a path: every form, and the enumerated count.

    Parameters
    ----------
    path
        A path, or the name of one in the catalogue.
    pieces, dark_pieces
        Pieces of light and of dark; dark has as many as light unless it says so.
    enumerate
        Whether to visit the diagrams; about 1 s for each 10^10 of them on two cores.
    executor
        What visits them, in place of threads of this process; see :doc:`/executors`.
    progress
        Called with the number of diagrams visited so far.

    Returns
    -------
    StateSpace

    Raises
    ------
    UnknownNameError
        If the catalogue has no such path.
    UsageError
        If a number of pieces is not from 1 to 10,000.
    TooLargeError
        If the enumerator cannot hold the path or the pieces.

    Examples
    --------
    >>> import urcx
    >>> found = urcx.ssc("bell", 2)
    >>> found.exact, found.forms["michon"], found.forms["binomial"]
    (13112, 13112, 14400)
    >>> found.agree
    ('tile-polynomial', 'reader', 'michon')
    >>> urcx.ssc("bell", 7, enumerate=False).exact
    137913936
    """
    chosen = catalogue.path(path)
    light = _pieces("pieces", pieces)
    dark = None if dark_pieces is None else _pieces("dark_pieces", dark_pieces)
    found = state_spaces(chosen, light, dark)
    return enumerated(found, progress, executor=executor) if enumerate else found


def _pieces(what: str, given: object) -> int:
    number = catalogue.whole(what, given)
    if not 1 <= number <= forms.MAX_PIECES:
        shown = number if abs(number) < 10**20 else "a number this large"
        raise UsageError(f"{what}: {shown} is not from 1 to {forms.MAX_PIECES}")
    return number


def state_spaces(path: Path, pieces: int, dark_pieces: int | None = None) -> StateSpace:
    """Return the values of every closed form, without enumeration."""
    other = pieces if dark_pieces is None else dark_pieces
    values: dict[str, int | None] = {}
    reasons = {}
    for name in forms.FORMS:
        try:
            values[name] = forms.evaluate_form(name, path, pieces, other)
        except OutOfDomainError as error:
            values[name], reasons[name] = None, str(error)
    return StateSpace(path, pieces, other, values, reasons)


def enumerated(
    found: StateSpace,
    progress: Callable[[int], None] | None = None,
    *,
    executor: Executor | None = None,
) -> StateSpace:
    """Return the same with its diagrams enumerated."""
    from urcx.enumerate.enumerator import count

    counted = count(
        found.path, found.pieces, found.dark_pieces, executor=executor, progress=progress
    )
    return replace(found, count=counted)
