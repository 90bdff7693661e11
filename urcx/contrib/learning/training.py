"""Training a network: the methods, and any method's run with checkpoints, strength and a data card.

A method is a data class of settings (`urcx.contrib.learning.settings`) and a session, which trains
in steps of some seconds at most. All that a session computes depends on the rules, the settings,
the seed and the data it is given, not on the clock; nor on the number of threads, or the method
says so. The clock decides only when a checkpoint is written and when to stop early. A new method is
a line in `METHODS`.
"""

from __future__ import annotations

import math
import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, astuple, dataclass, fields, replace
from itertools import chain
from pathlib import Path
from pkgutil import resolve_name
from types import MappingProxyType
from typing import Annotated, Any, Protocol

from urcx import __version__
from urcx.agents.agent_kernels import FIRST, TablePolicy
from urcx.agents.networks import (
    MAX_BYTES,
    Network,
    network_lookahead,
    network_policy,
    read_network,
    write_network,
)
from urcx.complexity.game_tree import Z95
from urcx.contrib.learning.checkpoints import (
    MOST_COUNT,
    SUFFIX,
    Checkpoint,
    Kept,
    read_checkpoint,
    take_up,
    write_checkpoint,
)
from urcx.contrib.learning.settings import Setting, listed_settings, with_changes
from urcx.contrib.learning.strength import perfect_policy, strength_of
from urcx.engine.compiling import CompiledResult, compute_clock, processor_clock
from urcx.engine.costs import SOME_TIME, cores
from urcx.engine.files.sealed import Members, checksum
from urcx.engine.memory import LIBRARIES, check_memory, check_room
from urcx.engine.threads import Stage, chosen_threads, no_progress
from urcx.errors import (
    InterruptedRunError,
    OutOfDomainError,
    TablebaseError,
    TooLargeError,
    UsageError,
    WrongObjectError,
    check_booleans,
    check_functions,
    check_name,
    printable,
)
from urcx.games.simulator import simulate
from urcx.reading import as_path, read_bytes
from urcx.results.fields import COUNT, TEXT, Field, decimals, percents_of
from urcx.results.numbers import count_text, percent_text
from urcx.results.result import Rows
from urcx.results.tables import Column
from urcx.rules import catalogue
from urcx.rules.model import GameRules, RuleSet
from urcx.solving.files.header import check_game, describe_rules


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
        result: Session = resolve_name(self.session)(rules, settings, seed, threads, **more)
        return result


def training_method(name: str) -> Method:
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
        "urcx.contrib.learning.alphazero:AlphaZeroSettings",
        "urcx.contrib.learning.alphazero:AlphaZeroSession",
        "urcx.contrib.learning.alphazero:alphazero_seconds",
        MappingProxyType({"iterations": 20, "games": 500, "gate_games": 100}),
    ),
)
METHODS = {item.name: item for item in _ALL}


class MethodSettings(Rows[Setting]):
    """The settings of all methods of training."""

    schema = "urcx.train-methods/1"

    @property
    def legend(self) -> list[str]:
        """Return what each method is."""
        return [f"{method.name}: {method.about}" for method in METHODS.values()]

    @property
    def answer(self) -> str:
        """Return how many methods and settings there are."""
        methods = count_text(len(METHODS), "method")
        return f"{methods} of training with {count_text(len(self), 'setting')}"


def method_settings() -> MethodSettings:
    """Return the settings of all methods of training."""
    listed = (listed_settings(method.name, method.defaults()) for method in METHODS.values())
    return MethodSettings(chain.from_iterable(listed))


BETWEEN = 10.0  # seconds between checkpoints
MEASURES = 10  # strength is measured after each tenth of a training
GAMES = 2000  # of which


@dataclass(frozen=True)
class StrengthAt:
    """The strength of a network in training."""

    done: Annotated[int, Field(Column("done", key=True), COUNT, "steps of the training by then")]
    seconds: Annotated[
        float, Field("processor seconds", decimals(1), "processor seconds of all threads by then")
    ]
    wins: Annotated[float, Field("wins", percents_of(2), "its estimated chance of winning")]
    error: Annotated[
        float, Field("±", percents_of(2), "half the width of the 95 % interval of wins")
    ]


def _strengths(counters: Members, total: int) -> list[StrengthAt]:
    """Return the strengths that a checkpoint's counters have, as rows of numbers."""
    names = [field.name for field in fields(StrengthAt)]
    result = []
    for k, row in enumerate(counters.several("strengths", 0, MEASURES)):
        where = f"{counters.prefix}strengths[{k}]."
        given = dict(zip(names, row, strict=False)) if isinstance(row, list) else {}
        one = Members(given, counters.where, where)
        numbers = (one.number(name, -MOST_COUNT, MOST_COUNT) for name in names[1:])
        result.append(StrengthAt(one.whole("done", 0, total), *numbers))
    return result


class StrengthJudge:
    """Measures the strength of networks: against perfect play, or else by games against greedy."""

    def __init__(
        self,
        rules: RuleSet,
        tablebase: str | None,
        threads: int,
        stage: Stage,
        perfect: TablePolicy | None,
    ) -> None:
        self.rules, self.threads, self.perfect = rules, threads, perfect
        with suppress(OutOfDomainError, TooLargeError):
            # A method that learns from the solution has it already.
            self.perfect = perfect or perfect_policy(rules, tablebase, threads, stage)
        self.opponent = "greedy" if self.perfect is None else "optimal"

    def wins(self, network: Network) -> tuple[float, float]:
        """Return its chance of winning, and the half width of the 95 % interval."""
        if self.perfect is None:
            return self._against_greedy(network)
        policy = network_policy(network, self.rules, network_lookahead(self.rules, 1), FIRST)
        found = strength_of(policy, self.perfect, self.rules, games=GAMES, threads=self.threads)
        return found.wins, found.error

    def _against_greedy(self, network: Network) -> tuple[float, float]:
        with tempfile.TemporaryDirectory() as directory:
            file = Path(directory) / "net.npz"
            write_network(network, file)
            games = simulate(f"net:{file}", "greedy", self.rules, games=GAMES, threads=self.threads)
        wins = float((games.to_dict()["winner"] == "light").mean())
        return wins, Z95 * math.sqrt(wins * (1 - wins) / GAMES)


class TrainingRun:
    """A training from its beginning, or its checkpoint, to its end or limit."""

    def __init__(
        self, session: Session, identity: dict[str, Any], threads: int, file: Path, kept: Path
    ) -> None:
        self.session, self.identity, self.threads = session, identity, threads
        self.file, self.kept = file, kept
        # Where each kind of steps ends, and what they are called.
        self.ends: dict[int, str] = getattr(session, "ends", {session.total: session.unit})
        self.strengths: list[StrengthAt] = []
        self.before = 0.0  # processor seconds of earlier runs
        self.began = processor_clock()
        if kept.exists():
            self._resume()
        self.resumed = session.done

    @property
    def seconds(self) -> float:
        """Return the processor seconds of all threads, those of earlier runs included."""
        return self.before + processor_clock() - self.began

    def _resume(self) -> None:
        found = read_checkpoint(self.kept)
        names = list(dict.fromkeys([*self.identity, *found.settings]))
        other = [name for name in names if found.settings.get(name) != self.identity.get(name)]
        if other:
            which = printable(" and ".join(other))
            raise UsageError(
                f"{self.kept} belongs to a training of other {which}; give the same "
                "again to go on with it, or delete it"
            )
        try:
            take_up(self.session.arrays(), found.arrays, str(self.kept))
            counters = Members(found.counters, str(self.kept), "counters.")
            self.before = counters.number("seconds", 0.0, MOST_COUNT)
            self.strengths = _strengths(counters, self.session.total)
            self.session.restore(counters)
        except TablebaseError as error:
            raise TablebaseError(f"{error}; delete it to begin anew") from None

    def save(self) -> None:
        """Write the checkpoint."""
        counters = {
            **self.session.counters(),
            "seconds": self.seconds,
            "strengths": [list(astuple(row)) for row in self.strengths],
        }
        arrays = {name: kept.array for name, kept in self.session.arrays().items()}
        write_checkpoint(self.kept, Checkpoint(self.identity, counters, arrays))

    def go(self, minutes: float | None, judge: StrengthJudge, stage: Stage) -> None:
        """Train to the end, or until the minutes are over."""
        session = self.session
        started = saved = compute_clock()
        tick = self._bar(judge, stage)
        while session.done < session.total:
            try:
                session.advance()
                if self._due():
                    wins, error = judge.wins(session.network())
                    self.strengths.append(StrengthAt(session.done, self.seconds, wins, error))
                    tick = self._bar(judge, stage)
                elif session.done in self.ends:
                    tick = self._bar(judge, stage)
                tick(session.done)
            except KeyboardInterrupt:
                # Half a step may be done, so the training goes on from the last checkpoint.
                raise InterruptedRunError(self._after_interruption()) from None
            now = compute_clock()
            if minutes is not None and now - started > 60 * minutes:
                break
            if now - saved > BETWEEN:
                self.save()
                saved = now
        self.save()

    def _due(self) -> bool:
        done, total = self.session.done, self.session.total
        return done * MEASURES // total > (done - 1) * MEASURES // total

    def _bar(self, judge: StrengthJudge, stage: Stage) -> Callable[[int], None]:
        """Begin a bar of the steps of one kind: each kind takes its own time, as what is left."""
        label, done = "training", self.session.done
        if self.strengths:
            label += f", {100 * self.strengths[-1].wins:.1f} % against {judge.opponent}"
        ends = self.ends
        first = max((end for end in ends if end <= done < self.session.total), default=0)
        last = min(end for end in ends if end > first)
        update = stage(label, last - first, ends[last])
        return lambda done: update(done - first)

    def _after_interruption(self) -> str:
        if not self.kept.exists():
            return "interrupted before the first checkpoint; nothing was written"
        return f"interrupted; the same command goes on from {self.kept}"


MOST_MINUTES = 1e6


@dataclass(frozen=True, eq=False, repr=False)
class Trained(CompiledResult, function="train"):
    """What `train` returns.

    Examples
    --------
    >>> import urcx, tempfile, pathlib
    >>> from urcx.contrib.learning import train
    >>> rules = urcx.ruleset("finkel", pieces=1)
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "one.npz"
    >>> small = {"units": 8, "iterations": 3, "games": 16, "plies": 8}
    >>> trained = train("td", rules, output=file, settings=small)
    >>> trained.done, trained.network.parameters
    (3, 305)
    """

    schema = "urcx.train/1"
    lists = ("strengths",)
    rules: GameRules
    method: Annotated[str, Field(about="the method of training")]
    settings: Annotated[dict[str, Any], Field(about="all its settings")]
    seed: Annotated[int, Field(about="of the random numbers")]
    threads: Annotated[int, Field(about="on which the network does not depend")]
    file: Annotated[Path, Field("", TEXT, "the network's")]
    network: Annotated[
        Network,
        "the network; see `urcx.agents.networks.Network`",
        Field("", COUNT, "weights", key="parameters", of="parameters"),
    ]
    unit: Annotated[str, Field(about="what the steps of the method are called")]
    total: Annotated[int, Field("", COUNT, "steps of the whole training")]
    done: Annotated[int, Field("", COUNT, "steps taken")]
    resumed: Annotated[int, Field("", COUNT, "steps taken in an earlier run")]
    figures: Annotated[dict[str, int], Field(about="counts of what was done, by name")]
    seconds: Annotated[
        float, Field(about="processor seconds of all threads, earlier runs included")
    ]
    opponent: Annotated[str, Field(about="against whom strength was measured")]
    strengths: Annotated[tuple[StrengthAt, ...], "the strength as it grew"]

    @property
    def _against(self) -> str:
        return "perfect play" if self.opponent == "optimal" else self.opponent

    @property
    def legend(self) -> list[str]:
        """Return what was trained, what it took, and against whom strength was measured."""
        done = ", ".join(f"{value:,} {name}" for name, value in self.figures.items())
        return [
            f"{count_text(self.network.parameters, 'parameter')}; it plays as net:{self.file}",
            f"{done}; {count_text(round(self.seconds), 'processor second')}",
            f"wins: against {self._against}, estimated",
        ]

    @property
    def answer(self) -> str:
        """Return how strong the network became."""
        steps = f"{self.done:,} of {self.total:,} {self.unit}"
        text = f"{steps}, of unknown strength"
        if self.strengths:
            last = self.strengths[-1]
            wins = f"{percent_text(last.wins)} ± {percent_text(last.error)}"
            text = f"wins {wins} against {self._against} after {steps}"
        return f"{self.file}, {self.rules.with_pieces}, by {self.method}: {text}"


def train(  # noqa: PLR0913 - what else but method and rules is said by name
    method: str = "td",
    rules: str | RuleSet = "finkel",
    *,
    output: str | os.PathLike[str],
    seed: int = 1,
    settings: Mapping[str, Any] | None = None,
    quick: bool = False,
    minutes: float | None = None,
    start: str | os.PathLike[str] | None = None,
    tablebase: str | os.PathLike[str] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    stage: Stage = no_progress,
) -> Trained:
    """Train a network, which plays as the agent ``net:FILE``.

    An interrupted training goes on where it was when it is called again with the same arguments,
    and ends with the same network as one that was not interrupted.

    Parameters
    ----------
    method
        ``td``: TD(lambda) and expert iteration, by self-play alone; ``distil``: by a solution;
        ``alphazero``: Simple AlphaGo Zero, which needs the extra ``urcx[learn]``. See
        `urcx.contrib.learning.training`.
    rules
        A rule set or its name. The path must be alike for both sides.
    output
        The network's file, whose name ends in ``.npz``.
    seed
        From 0 to 2^63 - 1. With the same seed and settings the network is the same.
    settings
        Settings of the method, by name; those of ``td`` are in
        `urcx.contrib.learning.td.TdSettings`, those of ``distil`` in
        `urcx.contrib.learning.distil.DistilSettings`, those of ``alphazero`` in
        `urcx.contrib.learning.alphazero.AlphaZeroSettings`.
    quick
        Whether other settings are those of a training of a minute or two.
    minutes
        After which to stop early; a later call with the same arguments goes on.
    start
        The file of a network to begin with, for methods that can; of the same units or fewer.
    tablebase
        By which to measure strength as the training goes on; methods that learn from the solution
        learn from it. Without it, small rule sets are solved for that, and in others strength is
        the score against greedy.
    checkpoint
        The file from which a training that was interrupted goes on, by default ``output`` with
        ``.checkpoint`` after its name. It is removed at the end.
    threads
        By default one for each core; the network does not depend on it.
    stage
        What to call as the work begins.

    Returns
    -------
    Trained
        The network, what was done, and its strength as it grew.

    Raises
    ------
    UsageError
        If an argument is out of range, or a checkpoint belongs to another training.
    OutOfDomainError
        If the path is not alike for both sides.
    TablebaseError
        If a checkpoint or a tablebase is damaged or of another game.
    UrcxError
        If a file cannot be written.

    Examples
    --------
    >>> import urcx, tempfile, pathlib
    >>> from urcx.contrib.learning import train
    >>> rules = urcx.ruleset("finkel", pieces=1)
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "one.npz"
    >>> small = {"units": 8, "iterations": 3, "games": 16, "plies": 8}
    >>> trained = train("td", rules, output=file, settings=small)
    >>> trained.figures["positions"]
    384
    >>> len(urcx.simulate(f"net:{file}", "random", rules, games=10))
    10
    """
    check_functions(stage=stage)
    check_booleans(quick=quick)
    chosen = catalogue.ruleset(rules)
    way = training_method(method)
    asked = chosen_settings(way, settings, quick=quick)
    seed = catalogue.as_seed(seed)
    if minutes is not None and not 0 < catalogue.as_float("minutes", minutes) <= MOST_MINUTES:
        raise UsageError(f"minutes {minutes}: more than 0 and up to {MOST_MINUTES:,.0f} are needed")
    file = network_file(output)
    kept = as_path(checkpoint) if checkpoint is not None else file.with_name(file.name + SUFFIX)
    table = None if tablebase is None else str(as_path(tablebase))
    number = chosen_threads(threads)
    check_memory(
        round(way.needs(chosen, asked)[1]), f"training by {way.name}", "take smaller settings"
    )
    library = "jax" if way.name == "alphazero" else "scipy"
    if library not in sys.modules:
        check_room(LIBRARIES[library], "training")
    session = way.begun(chosen, asked, seed, number, table)
    card = {}
    if start is not None:
        card = _begin_with(session, way, chosen, start)
    identity: dict[str, Any] = {
        "method": way.name,
        "rules": describe_rules(chosen),
        "seed": seed,
        "settings": asdict(asked),
    }
    if start is not None:
        identity["start"] = card["start_checksum"]
    run = TrainingRun(session, identity, number, file, kept)
    judge = StrengthJudge(chosen, table, number, stage, getattr(session, "perfect", None))
    run.go(minutes, judge, stage)
    network = replace(session.network(), card=_card(run, way, card.get("start", "")) | card)
    write_network(network, file)
    if session.done == session.total:  # not before the network is safe
        kept.unlink(missing_ok=True)
    return Trained(
        chosen,
        way.name,
        asdict(asked),
        seed,
        number,
        file,
        network,
        session.unit,
        session.total,
        session.done,
        run.resumed,
        session.figures(),
        run.seconds,
        judge.opponent,
        tuple(run.strengths),
    )


def _begin_with(
    session: Any, way: Method, rules: RuleSet, start: str | os.PathLike[str]
) -> dict[str, Any]:
    """Give a session the weights of a network's file; return what the card says of that."""
    if not hasattr(session, "begin_with"):
        raise UsageError(f"{way.name} cannot begin with a network")
    file = as_path(start)
    network = read_network(file)
    check_game(file, network.rules, rules)
    session.begin_with(network)
    return {
        "start": file.name,
        "start_checksum": checksum(read_bytes(file, MAX_BYTES)).hex(),
        "start_card": network.card,
    }


def network_file(output: str | os.PathLike[str]) -> Path:
    """Return the file of a network to be written; raises `UsageError` if its name is not one."""
    file = as_path(output)
    if file.suffix != ".npz":
        raise UsageError(f"{file}: a network's file must have a name that ends in .npz")
    return file


def chosen_settings(way: Method, value: Mapping[str, Any] | None, *, quick: bool) -> Any:
    """Return a method's settings, some of them as given; raises `UsageError` if they are wrong."""
    if not isinstance(value, Mapping | None):
        raise WrongObjectError("settings", Mapping, value, "None")
    return with_changes(way.defaults(), {**(way.quick if quick else {}), **(value or {})})


def _card(run: TrainingRun, way: Method, start: str) -> dict[str, Any]:
    """Return the data card; all of it but times depends on the settings alone."""
    rules, identity = run.session.rules, run.identity
    plain = way.defaults()
    changes = [
        f"{name}={value}"
        for name, value in identity["settings"].items()
        if value != getattr(plain, name)
    ]
    command = f"urcx train {way.name} --rules {rules.name} -p {rules.pieces}"
    command += f" --seed {identity['seed']}"
    if changes:
        command += f" --set {','.join(changes)}"
    if start:
        command += f" --start {start}"
    return {
        "method": way.name,
        "command": f"{command} -o {run.file.name}",
        "settings": identity["settings"],
        "seed": identity["seed"],
        "version": __version__,
        "threads": run.threads,
        "processor_seconds": round(run.seconds, 1),
        **run.session.figures(),
        **getattr(run.session, "notes", dict)(),
    }
