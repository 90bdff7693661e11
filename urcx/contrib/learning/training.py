"""Training a network: the methods, and their runs with checkpoints, strength and a data card.

A method is a data class of settings (`urcx.contrib.learning.settings`) and a session, which trains
in steps of a few seconds at most. The results of a session depend on the rules, the settings, the
seed and its input data, not on the clock. They do not depend on the number of threads either,
except where a method states it. The clock decides only when to write a checkpoint and when to stop
early. A new method is a line in `METHODS`.
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
        The steps of the whole training, and the steps taken.
    unit : str
        The name of steps, in the plural.
    """

    rules: RuleSet
    total: int
    done: int
    unit: str

    def advance(self) -> None:
        """Take a step."""

    def network(self) -> Network:
        """Return the network of the current state, with an empty card."""

    def figures(self) -> dict[str, int]:
        """Return the counts of the training so far, such as games and positions, for the card."""

    def counters(self) -> dict[str, Any]:
        """Return the numbers and strings of a checkpoint."""

    def arrays(self) -> dict[str, Kept]:
        """Return the arrays of a checkpoint, not copies of them, with their ranges."""

    def restore(self, counters: Members) -> None:
        """Continue from a checkpoint's counters. Its arrays are already in `arrays`.

        Raises `TablebaseError` if counters are missing or out of range.
        """


@dataclass(frozen=True)
class Method:
    """A method of training.

    Attributes
    ----------
    name, about : str
        The name, and a short description.
    settings : str
        ``module:NAME`` of the data class of settings.
    session : str
        ``module:NAME`` of the session, called with rules, settings, seed and threads, and with the
        tablebase's file as ``tablebase`` if the method is ``taught``.
    estimate : str
        ``module:NAME`` of the estimate of CPU seconds, called with rules and settings.
    memory : str
        ``module:NAME`` of the estimate of memory in bytes, called with rules and settings. Empty if
        a training needs little memory.
    tried : str
        ``module:NAME`` of the estimate of wall time in seconds from some steps, called with rules,
        settings and threads. Empty if the method has no such estimate.
    quick : mapping
        Settings of a training of a minute or two.
    taught : bool
        Whether the method learns from a tablebase.
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
        """Return the default settings."""
        return resolve_name(self.settings)()

    def needs(self, rules: RuleSet, settings: Any) -> tuple[float, float]:
        """Return estimates of the CPU seconds and of the memory in bytes of a training."""
        memory = float(resolve_name(self.memory)(rules, settings)) if self.memory else 0.0
        return float(resolve_name(self.estimate)(rules, settings)), memory

    def seconds(self, rules: RuleSet, settings: Any, threads: int) -> float:
        """Return an estimate of the wall time of a training in seconds.

        Some steps are measured, unless the training is short.
        """
        estimate = self.needs(rules, settings)[0] / cores(threads)
        if estimate < SOME_TIME or not self.tried:
            return estimate
        return float(resolve_name(self.tried)(rules, settings, threads))

    def begun(
        self, rules: RuleSet, settings: Any, seed: int, threads: int, tablebase: str | None
    ) -> Session:
        """Return a session at its beginning."""
        more = {"tablebase": tablebase} if self.taught else {}
        result: Session = resolve_name(self.session)(rules, settings, seed, threads, **more)
        return result


def training_method(name: str) -> Method:
    """Return the method of a name, or raise `UnknownNameError` if there is none."""
    check_name("method of training", name, METHODS)
    return METHODS[name]


_ALL = (
    Method(
        "td",
        "TD(lambda) and expert iteration by self-play, without the solution",
        "urcx.contrib.learning.td:TdSettings",
        "urcx.contrib.learning.td:TdSession",
        "urcx.contrib.learning.td:td_seconds",
        MappingProxyType({"units": 64, "iterations": 1000}),
        memory="urcx.contrib.learning.td:td_memory",
        tried="urcx.contrib.learning.td:td_tried",
    ),
    Method(
        "distil",
        "regression on a tablebase, on the order of moves or on values",
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
        """Return the description of each method."""
        return [f"{method.name}: {method.about}" for method in METHODS.values()]

    @property
    def answer(self) -> str:
        """Return the numbers of methods and settings."""
        methods = count_text(len(METHODS), "method")
        return f"{methods} of training with {count_text(len(self), 'setting')}"


def method_settings() -> MethodSettings:
    """Return the settings of all methods of training."""
    listed = (listed_settings(method.name, method.defaults()) for method in METHODS.values())
    return MethodSettings(chain.from_iterable(listed))


BETWEEN = 10.0  # seconds between checkpoints
MEASURES = 10  # strength is measured after each tenth of a training
GAMES = 2000  # in each measurement


@dataclass(frozen=True)
class StrengthAt:
    """The strength of a network in training."""

    done: Annotated[int, Field(Column("done", key=True), COUNT, "steps of the training so far")]
    seconds: Annotated[
        float, Field("CPU seconds", decimals(1), "CPU seconds of all threads so far")
    ]
    wins: Annotated[float, Field("wins", percents_of(2), "its estimated win probability")]
    error: Annotated[
        float, Field("±", percents_of(2), "half the width of the 95 % interval of wins")
    ]


def _strengths(counters: Members, total: int) -> list[StrengthAt]:
    """Return the strengths in a checkpoint's counters, which are rows of numbers."""
    names = [field.name for field in fields(StrengthAt)]
    result = []
    for k, row in enumerate(counters.several("strengths", 0, MEASURES)):
        where = f"{counters.prefix}strengths[{k}]."
        named = dict(zip(names, row, strict=False)) if isinstance(row, list) else {}
        members = Members(named, counters.where, where)
        numbers = (members.number(name, -MOST_COUNT, MOST_COUNT) for name in names[1:])
        result.append(StrengthAt(members.whole("done", 0, total), *numbers))
    return result


class StrengthJudge:
    """Measures the strength of networks in games against optimal play or, without it, greedy."""

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
            # A method that learns from the solution already has optimal play.
            self.perfect = perfect or perfect_policy(rules, tablebase, threads, stage)
        self.opponent = "greedy" if self.perfect is None else "optimal"

    def wins(self, network: Network) -> tuple[float, float]:
        """Return a network's win probability, and the half width of its 95 % interval."""
        if self.perfect is None:
            return self._against_greedy(network)
        policy = network_policy(network, self.rules, network_lookahead(self.rules, 1), FIRST)
        strength = strength_of(policy, self.perfect, self.rules, games=GAMES, threads=self.threads)
        return strength.wins, strength.error

    def _against_greedy(self, network: Network) -> tuple[float, float]:
        with tempfile.TemporaryDirectory() as directory:
            file = Path(directory) / "net.npz"
            write_network(network, file)
            games = simulate(f"net:{file}", "greedy", self.rules, games=GAMES, threads=self.threads)
        wins = float((games.to_dict()["winner"] == "light").mean())
        return wins, Z95 * math.sqrt(wins * (1 - wins) / GAMES)


class TrainingRun:
    """A training from its beginning or a checkpoint to its end or time limit."""

    def __init__(
        self, session: Session, identity: dict[str, Any], threads: int, file: Path, checkpoint: Path
    ) -> None:
        self.session, self.identity, self.threads = session, identity, threads
        self.file, self.checkpoint = file, checkpoint
        # The last step of each kind, with the name of this kind.
        self.ends: dict[int, str] = getattr(session, "ends", {session.total: session.unit})
        self.strengths: list[StrengthAt] = []
        self.before = 0.0  # CPU seconds of earlier runs
        self.began = processor_clock()
        if checkpoint.exists():
            self._resume()
        self.resumed = session.done

    @property
    def seconds(self) -> float:
        """Return the CPU seconds of all threads, including earlier runs."""
        return self.before + processor_clock() - self.began

    def _resume(self) -> None:
        checkpoint = read_checkpoint(self.checkpoint)
        names = list(dict.fromkeys([*self.identity, *checkpoint.settings]))
        other = [name for name in names if checkpoint.settings.get(name) != self.identity.get(name)]
        if other:
            names_text = printable(" and ".join(other))
            raise UsageError(
                f"{self.checkpoint} belongs to a training with other {names_text}. Use the same "
                "again to continue it, or delete the file"
            )
        try:
            take_up(self.session.arrays(), checkpoint.arrays, str(self.checkpoint))
            counters = Members(checkpoint.counters, str(self.checkpoint), "counters.")
            self.before = counters.number("seconds", 0.0, MOST_COUNT)
            self.strengths = _strengths(counters, self.session.total)
            self.session.restore(counters)
        except TablebaseError as error:
            raise TablebaseError(f"{error}. Delete it to start the training again") from None

    def save(self) -> None:
        """Write the checkpoint."""
        counters = {
            **self.session.counters(),
            "seconds": self.seconds,
            "strengths": [list(astuple(row)) for row in self.strengths],
        }
        arrays = {name: kept.array for name, kept in self.session.arrays().items()}
        write_checkpoint(self.checkpoint, Checkpoint(self.identity, counters, arrays))

    def go(self, minutes: float | None, judge: StrengthJudge, stage: Stage) -> None:
        """Train to the end, or for ``minutes`` minutes."""
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
                # A step may be half done, so the training resumes from the last checkpoint.
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
        """Begin a progress bar for steps of one kind, because the kinds take different times."""
        label, done = "training", self.session.done
        if self.strengths:
            label += f", {100 * self.strengths[-1].wins:.1f} % against {judge.opponent}"
        ends = self.ends
        first = max((end for end in ends if end <= done < self.session.total), default=0)
        last = min(end for end in ends if end > first)
        update = stage(label, last - first, ends[last])
        return lambda done: update(done - first)

    def _after_interruption(self) -> str:
        if not self.checkpoint.exists():
            return "interrupted before the first checkpoint. Nothing was written"
        return f"interrupted. Run the same command again to continue from {self.checkpoint}"


MOST_MINUTES = 1e6


@dataclass(frozen=True, eq=False, repr=False)
class Trained(CompiledResult, function="train"):
    """A training with its network, and the strength measured during the training.

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
    seed: Annotated[int, Field(about="seed of the random numbers")]
    threads: Annotated[int, Field(about="number of threads; the network does not depend on it")]
    file: Annotated[Path, Field("", TEXT, "the network's file")]
    network: Annotated[
        Network,
        "the network; see `urcx.agents.networks.Network`",
        Field("", COUNT, "weights", key="parameters", of="parameters"),
    ]
    unit: Annotated[str, Field(about="name of the method's steps")]
    total: Annotated[int, Field("", COUNT, "steps of the whole training")]
    done: Annotated[int, Field("", COUNT, "steps taken")]
    resumed: Annotated[int, Field("", COUNT, "steps taken in an earlier run")]
    figures: Annotated[dict[str, int], Field(about="counts of the training, by name")]
    seconds: Annotated[float, Field(about="CPU seconds of all threads, including earlier runs")]
    opponent: Annotated[str, Field(about="the opponent in games that measure strength")]
    strengths: Annotated[tuple[StrengthAt, ...], "the strength during the training"]

    @property
    def _against(self) -> str:
        return "optimal play" if self.opponent == "optimal" else self.opponent

    @property
    def legend(self) -> list[str]:
        """Return the size of the network, the work done, and the opponent."""
        done = ", ".join(f"{value:,} {name}" for name, value in self.figures.items())
        return [
            f"{count_text(self.network.parameters, 'parameter')}; it plays as net:{self.file}",
            f"{done}, {count_text(round(self.seconds), 'CPU second')}",
            f"wins: estimated win probability against {self._against}",
        ]

    @property
    def answer(self) -> str:
        """Return the strength of the network."""
        steps = f"{self.done:,} of {self.total:,} {self.unit}"
        text = f"{steps}, of unknown strength"
        if self.strengths:
            last = self.strengths[-1]
            wins = f"{percent_text(last.wins)} ± {100 * last.error:.2f} points"
            text = f"wins {wins} against {self._against} after {steps}"
        return f"{self.file}, {self.rules.with_pieces}, by {self.method}: {text}"


def train(  # noqa: PLR0913 - all parameters except method and rules by name
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

    An interrupted training resumes if it is called again with the same arguments, and ends with the
    same network as an uninterrupted one.

    Parameters
    ----------
    method
        One of

        - ``td``: TD(lambda) and expert iteration, by self-play alone.
        - ``distil``: learning from a solution.
        - ``alphazero``: Simple AlphaGo Zero, which needs the extra ``urcx[learn]``.

        See `urcx.contrib.learning.training`.
    rules
        A rule set or its name. The path must be symmetric.
    output
        The network's file, whose name ends in ``.npz``.
    seed
        From 0 to 2^63 - 1. With the same seed and settings the network is the same.
    settings
        Settings of the method, by name: see `urcx.contrib.learning.td.TdSettings`,
        `urcx.contrib.learning.distil.DistilSettings` and
        `urcx.contrib.learning.alphazero.AlphaZeroSettings`.
    quick
        Whether the default settings are for a training of a minute or two.
    minutes
        The time after which to stop early. A later call with the same arguments continues.
    start
        The file of a network with initial weights, of the same number of units or less. Not all
        methods can begin with a network.
    tablebase
        The solution with which strength is measured during the training, and from which ``distil``
        learns. If it is None, small rule sets are solved in memory, and for larger ones strength is
        the win rate against greedy.
    checkpoint
        The file from which an interrupted training resumes, by default ``output`` with
        ``.checkpoint`` after its name. It is removed at the end.
    threads
        The number of threads, by default one per core. The network does not depend on it.
    stage
        Called at the start of the work.

    Returns
    -------
    Trained
        The network, counts of the training, and the strength during it.

    Raises
    ------
    UsageError
        If an argument is out of range, or a checkpoint belongs to another training.
    OutOfDomainError
        If the path is not symmetric.
    TablebaseError
        If a checkpoint or a tablebase is damaged or has another game.
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
    rule_set = catalogue.ruleset(rules)
    training = training_method(method)
    chosen = chosen_settings(training, settings, quick=quick)
    seed = catalogue.as_seed(seed)
    if minutes is not None and not 0 < catalogue.as_float("minutes", minutes) <= MOST_MINUTES:
        raise UsageError(f"minutes {minutes}: must be above 0, up to {MOST_MINUTES:,.0f}")
    file = network_file(output)
    checkpoint_file = (
        as_path(checkpoint) if checkpoint is not None else file.with_name(file.name + SUFFIX)
    )
    table = None if tablebase is None else str(as_path(tablebase))
    n_threads = chosen_threads(threads)
    check_memory(
        round(training.needs(rule_set, chosen)[1]),
        f"training by {training.name}",
        "choose smaller settings",
    )
    library = "jax" if training.name == "alphazero" else "scipy"
    if library not in sys.modules:
        check_room(LIBRARIES[library], "training")
    session = training.begun(rule_set, chosen, seed, n_threads, table)
    card = {}
    if start is not None:
        card = _begin_with(session, training, rule_set, start)
    identity: dict[str, Any] = {
        "method": training.name,
        "rules": describe_rules(rule_set),
        "seed": seed,
        "settings": asdict(chosen),
    }
    if start is not None:
        identity["start"] = card["start_checksum"]
    run = TrainingRun(session, identity, n_threads, file, checkpoint_file)
    judge = StrengthJudge(rule_set, table, n_threads, stage, getattr(session, "perfect", None))
    run.go(minutes, judge, stage)
    network = replace(session.network(), card=_card(run, training, card.get("start", "")) | card)
    write_network(network, file)
    if session.done == session.total:  # only after the network is written
        checkpoint_file.unlink(missing_ok=True)
    return Trained(
        rule_set,
        training.name,
        asdict(chosen),
        seed,
        n_threads,
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
    session: Any, method: Method, rules: RuleSet, start: str | os.PathLike[str]
) -> dict[str, Any]:
    """Give a session the weights of a network's file, and return the card's entries on it."""
    if not hasattr(session, "begin_with"):
        raise UsageError(f"{method.name} cannot begin with a network. Leave out --start")
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
    """Return the file of a network, or raise `UsageError` if its name does not end in .npz."""
    file = as_path(output)
    if file.suffix != ".npz":
        raise UsageError(f"--output {file}: the name must end in .npz")
    return file


def chosen_settings(way: Method, value: Mapping[str, Any] | None, *, quick: bool) -> Any:
    """Return a method's settings with the user's values, or raise `UsageError` if one is wrong."""
    if not isinstance(value, Mapping | None):
        raise WrongObjectError("settings", Mapping, value, "None")
    return with_changes(way.defaults(), {**(way.quick if quick else {}), **(value or {})})


def _card(run: TrainingRun, method: Method, start: str) -> dict[str, Any]:
    """Return the data card, which depends only on the settings, except for times."""
    rules, identity = run.session.rules, run.identity
    defaults = method.defaults()
    changes = [
        f"{name}={value}"
        for name, value in identity["settings"].items()
        if value != getattr(defaults, name)
    ]
    command = f"urcx train {method.name} --rules {rules.name} -p {rules.pieces}"
    command += f" --seed {identity['seed']}"
    if changes:
        command += f" --set {','.join(changes)}"
    if start:
        command += f" --start {start}"
    return {
        "method": method.name,
        "command": f"{command} -o {run.file.name}",
        "settings": identity["settings"],
        "seed": identity["seed"],
        "version": __version__,
        "threads": run.threads,
        "processor_seconds": round(run.seconds, 1),
        **run.session.figures(),
        **getattr(run.session, "notes", dict)(),
    }
