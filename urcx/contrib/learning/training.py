"""Training a network: any method's session, with checkpoints, strength and a data card.

What a training computes depends on its settings alone; `urcx.contrib.learning.runs` takes its
steps.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from urcx import __version__
from urcx.agents.networks import MAX_BYTES, Network, read_network, write_network
from urcx.contrib.learning.checkpoints import SUFFIX
from urcx.contrib.learning.methods import Method
from urcx.contrib.learning.methods import method as found_method
from urcx.contrib.learning.runs import StrengthAt, StrengthJudge, TrainingRun
from urcx.contrib.learning.settings import with_changes
from urcx.engine.compiling import COMPILED
from urcx.engine.files.sealed import checksum
from urcx.engine.memory import LIBRARIES, check_memory, check_room
from urcx.engine.threads import Stage, chosen_threads, silent
from urcx.errors import UsageError, WrongObjectError, check_booleans, check_functions
from urcx.reading import named, read_some
from urcx.results.fields import COUNT, TEXT, Schema, fields_of, member
from urcx.results.numbers import counted, in_percent
from urcx.results.report import Report
from urcx.results.result import Result
from urcx.rules import catalogue
from urcx.rules.model import GameRules, RuleSet
from urcx.solving.files.header import check_game, describe_rules

MOST_MINUTES = 1e6


@dataclass(frozen=True, eq=False, repr=False)
class Trained(Result, function="train"):
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

    rules: GameRules
    method: Annotated[str, member(about="the method of training")]
    settings: Annotated[dict[str, Any], member(about="all its settings")]
    seed: Annotated[int, member(about="of the random numbers")]
    threads: Annotated[int, member(about="on which the network does not depend")]
    file: Annotated[Path, member("", TEXT, "the network's")]
    network: Annotated[
        Network,
        "the network; see `urcx.agents.networks.Network`",
        member("", COUNT, "weights", key="parameters", of="parameters"),
    ]
    unit: Annotated[str, member(about="what the steps of the method are called")]
    total: Annotated[int, member("", COUNT, "steps of the whole training")]
    done: Annotated[int, member("", COUNT, "steps taken")]
    resumed: Annotated[int, member("", COUNT, "steps taken in an earlier run")]
    figures: Annotated[dict[str, int], member(about="counts of what was done, by name")]
    seconds: Annotated[
        float, member(about="processor seconds of all threads, earlier runs included")
    ]
    opponent: Annotated[str, member(about="against whom strength was measured")]
    strengths: Annotated[tuple[StrengthAt, ...], "the strength as it grew"]

    def report(self) -> Report:
        """Return what was trained, and how strong it became."""
        done = ", ".join(f"{value:,} {name}" for name, value in self.figures.items())
        against = "perfect play" if self.opponent == "optimal" else self.opponent
        notes = [
            f"{counted(self.network.parameters, 'parameter')}; it plays as net:{self.file}",
            f"{done}; {counted(round(self.seconds), 'processor second')}",
            f"wins: against {against}, estimated",
        ]
        table = STRENGTHS.table("Strength as it grew", self.strengths, notes)
        steps = f"{self.done:,} of {self.total:,} {self.unit}"
        answer = f"{self.file}, {self.rules.with_pieces}, by {self.method}: "
        if self.strengths:
            last = self.strengths[-1]
            answer += (
                f"wins {in_percent(last.wins)} ± {in_percent(last.error)} against {against} after "
                f"{steps}"
            )
        else:
            answer += f"{steps}, of unknown strength"
        return Report.of(
            TRAINED, self, [table], rows=self.strengths, row_fields=STRENGTHS, answer=answer
        )


STRENGTHS = fields_of(StrengthAt)
TRAINED = Schema("urcx.train/1", {"": fields_of(Trained) + COMPILED, "rows": STRENGTHS})


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
    stage: Stage = silent,
) -> Trained:
    """Train a network, which plays as the agent ``net:FILE``.

    An interrupted training goes on where it was when it is called again with the same arguments,
    and ends with the same network as one that was not interrupted.

    Parameters
    ----------
    method
        ``td``: TD(lambda) and expert iteration, by self-play alone; ``distil``: by a solution;
        ``alphazero``: Simple AlphaGo Zero, which needs the extra ``urcx[learn]``. See
        `urcx.contrib.learning.methods`.
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
        `urcx.contrib.learning.alphazero_settings.AlphaZeroSettings`.
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
    way = found_method(method)
    asked = chosen_settings(way, settings, quick=quick)
    seed = catalogue.seed(seed)
    if minutes is not None and not 0 < catalogue.real("minutes", minutes) <= MOST_MINUTES:
        raise UsageError(f"minutes {minutes}: more than 0 and up to {MOST_MINUTES:,.0f} are needed")
    file = network_file(output)
    kept = named(checkpoint) if checkpoint is not None else file.with_name(file.name + SUFFIX)
    table = None if tablebase is None else str(named(tablebase))
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
    file = named(start)
    network = read_network(file)
    check_game(file, network.rules, rules)
    session.begin_with(network)
    return {
        "start": file.name,
        "start_checksum": checksum(read_some(file, MAX_BYTES)).hex(),
        "start_card": network.card,
    }


def network_file(output: str | os.PathLike[str]) -> Path:
    """Return the file of a network to be written; raises `UsageError` if its name is not one."""
    file = named(output)
    if file.suffix != ".npz":
        raise UsageError(f"{file}: a network's file must have a name that ends in .npz")
    return file


def chosen_settings(way: Method, given: Mapping[str, Any] | None, *, quick: bool) -> Any:
    """Return a method's settings, some of them as given; raises `UsageError` if they are wrong."""
    if not isinstance(given, Mapping | None):
        raise WrongObjectError("settings", Mapping, given, "None")
    return with_changes(way.defaults(), {**(way.quick if quick else {}), **(given or {})})


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
