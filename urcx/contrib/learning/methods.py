"""The table of training methods.

A method is a data class of settings (`urcx.contrib.learning.settings`) and a session, which trains
in steps of some seconds at most. All that a session computes depends on the rules, the settings,
the seed and the data it is given, not on the clock; nor on the number of threads, or the method
says so. A new method is a line in `METHODS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pkgutil import resolve_name
from types import MappingProxyType
from typing import Any, Protocol

from urcx.agents.networks import Network
from urcx.contrib.learning.checkpoints import Kept
from urcx.contrib.learning.settings import Setting, listed_settings
from urcx.engine.costs import SOME_TIME, cores
from urcx.engine.files.sealed import Members
from urcx.errors import check_name
from urcx.results.fields import Fields, Schema, fields_of
from urcx.results.numbers import counted
from urcx.results.report import Report
from urcx.rules.model import RuleSet


class Session(Protocol):
    """A training in progress.

    Attributes
    ----------
    rules : RuleSet
    total, done : int
        The steps of the whole training, and those taken.
    unit : str
        What a step is called, in the plural.
    """

    rules: RuleSet
    total: int
    done: int
    unit: str

    def advance(self) -> None:
        """Take a step."""

    def network(self) -> Network:
        """Return the network of the present state, its card empty."""

    def figures(self) -> dict[str, int]:
        """Return counts of what was done so far, such as games and positions, for the card."""

    def counters(self) -> dict[str, Any]:
        """Return the numbers and texts that a checkpoint keeps."""

    def arrays(self) -> dict[str, Kept]:
        """Return the arrays themselves that a checkpoint keeps, with what they may hold."""

    def restore(self, counters: Members) -> None:
        """Go on from a checkpoint's counters, its arrays having been written into `arrays`.

        Raises `TablebaseError` if they are missing or out of range.
        """


@dataclass(frozen=True)
class Method:
    """A method of training.

    Attributes
    ----------
    name, about : str
        Its name and what it is, in a few words.
    settings : str
        ``module:NAME`` of its data class of settings.
    session : str
        ``module:NAME``, called with rules, settings, seed and threads; and with the tablebase's
        file as ``tablebase`` if the method is ``taught``.
    estimate : str
        ``module:NAME``, called with rules and settings: about how many processor seconds it takes.
    memory : str
        The same for bytes of memory, empty if these are few.
    tried : str
        ``module:NAME``, called with rules, settings and threads: about how many seconds a training
        takes on this machine, from some of its steps; empty if none is tried.
    quick : mapping
        Settings of a training of a minute or two.
    taught : bool
        Whether it learns from a tablebase.
    """

    name: str
    about: str
    settings: str
    session: str
    estimate: str
    quick: Mapping[str, Any]
    taught: bool = False
    memory: str = ""
    tried: str = ""

    def defaults(self) -> Any:
        """Return its default settings."""
        return resolve_name(self.settings)()

    def needs(self, rules: RuleSet, settings: Any) -> tuple[float, float]:
        """Return about how many processor seconds and bytes of memory a training takes."""
        memory = float(resolve_name(self.memory)(rules, settings)) if self.memory else 0.0
        return float(resolve_name(self.estimate)(rules, settings)), memory

    def seconds(self, rules: RuleSet, settings: Any, threads: int) -> float:
        """Return about how many seconds a training takes on so many threads.

        Steps are tried for it unless it is short.
        """
        known = self.needs(rules, settings)[0] / cores(threads)
        if known < SOME_TIME or not self.tried:
            return known
        return float(resolve_name(self.tried)(rules, settings, threads))

    def begun(
        self, rules: RuleSet, settings: Any, seed: int, threads: int, tablebase: str | None
    ) -> Session:
        """Return a session at its beginning."""
        more = {"tablebase": tablebase} if self.taught else {}
        found: Session = resolve_name(self.session)(rules, settings, seed, threads, **more)
        return found


def method(name: str) -> Method:
    """Return a method by its name; raises `UnknownNameError` if there is none."""
    check_name("method of training", name, METHODS)
    return METHODS[name]


_ALL = (
    Method(
        "td",
        "TD(lambda) and expert iteration by self-play; knows nothing of the solution",
        "urcx.contrib.learning.td:TdSettings",
        "urcx.contrib.learning.td:TdSession",
        "urcx.contrib.learning.td:td_seconds",
        MappingProxyType({"units": 64, "iterations": 1000}),
        memory="urcx.contrib.learning.td:td_memory",
        tried="urcx.contrib.learning.td:td_tried",
    ),
    Method(
        "distil",
        "regression on a tablebase: on the order of moves, or on values",
        "urcx.contrib.learning.distil:DistilSettings",
        "urcx.contrib.learning.distil:DistilSession",
        "urcx.contrib.learning.distil:distil_seconds",
        MappingProxyType({"units": 32, "later": 16, "iterations": 5000}),
        taught=True,
    ),
    Method(
        "alphazero",
        "Simple AlphaGo Zero: self-play by tree search, with a policy head; needs urcx[learn]",
        "urcx.contrib.learning.alphazero_settings:AlphaZeroSettings",
        "urcx.contrib.learning.alphazero:AlphaZeroSession",
        "urcx.contrib.learning.alphazero:alphazero_seconds",
        MappingProxyType({"iterations": 20, "games": 500, "gate_games": 100}),
    ),
)
METHODS = {item.name: item for item in _ALL}
SETTINGS = fields_of(Setting)
METHODS_LISTED = Schema("urcx.train-methods/1", {"": Fields(), "rows": SETTINGS})


def methods_report() -> Report:
    """Return the list of the methods' settings."""
    rows = [
        row
        for method in METHODS.values()
        for row in listed_settings(method.name, method.defaults())
    ]
    notes = [f"{method.name}: {method.about}" for method in METHODS.values()]
    table = SETTINGS.table("Settings", rows, notes)
    answer = f"{counted(len(METHODS), 'method')} of training with {counted(len(rows), 'setting')}"
    return Report.of(METHODS_LISTED, None, [table], rows=rows, answer=answer)
