"""Writing the file of exact play of a tablebase.

A first pass over a part of the decisions counts how often a move is right in each context; the
second codes all decisions with these probabilities.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.agents.networks import Network, network_in, read_network, shipped
from urcx.contrib.learning import packing_kernels as packing
from urcx.contrib.learning import play_kernels as kernels
from urcx.contrib.learning.coding_kernels import PROBABILITY
from urcx.contrib.learning.play_file import (
    EVEN,
    MOST_BLOCK,
    Decisions,
    Equal,
    PlayContents,
    States,
    Unsure,
    Within,
    chances_size,
    write_play,
)
from urcx.contrib.learning.play_layers import go_through
from urcx.contrib.learning.play_tables import play_tables
from urcx.contrib.learning.predictor import Predictor, no_predictor, predictor_of
from urcx.engine.files.writing import check_target, checked_writing
from urcx.engine.threads import Stage, silent
from urcx.errors import UsageError, check_functions, printable
from urcx.reading import named
from urcx.results.fields import COUNT, TEXT, Schema, decimals, fields_of, member
from urcx.results.numbers import at_most, counted
from urcx.results.report import Report
from urcx.results.result import Result
from urcx.results.tables import Table
from urcx.rules.catalogue import whole
from urcx.rules.model import GameRules, RuleSet
from urcx.solving.files.header import check_game
from urcx.solving.files.tablebase import Tablebase, open_tablebase
from urcx.solving.ties import width_of

# Networks that rank moves, of rule sets whose shipped one is not made for that.
RANKERS = Path(__file__).parent / "data" / "rankers"
STATES = 256  # of a block
COUNTED = 4_000_000  # states, about, whose decisions the first pass counts
LEAST_CHANCE = 8  # in units of 2^-16


class FilePart(NamedTuple):
    """What takes a part of a file's bytes."""

    part: Annotated[
        str,
        member("<part", about="file, network, probabilities, index, corrections or plain"),
    ]
    bytes: Annotated[int, member("bytes", COUNT, "its bytes")]
    bits: Annotated[
        float | None, member("bits a decision", decimals(4), "its bits for each decision")
    ]


@dataclass(frozen=True, eq=False)
class Compressed(Result, function="compress"):
    """A file of exact play, and what takes its bytes.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import urcx
    >>> from urcx.contrib.learning import compress
    >>> short = urcx.ruleset("finkel", pieces=1)
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     solution, file = Path(directory, "short.urcx"), Path(directory, "short.play")
    ...     _ = urcx.solve(short, solution)
    ...     found = compress(solution, file)
    ...     move = urcx.agent(f"optimal:{file}").choose(urcx.Game(short, position="4/-/0-0/L"), 4)
    >>> found.states, found.decisions, (move.start, move.end)
    (217, 0, (4, 8))
    """

    rules: GameRules
    file: Annotated[Path, member("", TEXT, "name of the file")]
    states: States
    decisions: Decisions
    equal: Equal
    unsure: Unsure
    within: Within
    plain: Annotated[
        float,
        "the entropy of a decision by itself, in bits: of the place of the best move among the "
        "legal ones, given the roll and their number",
    ]
    units: Annotated[
        int, member(about="hidden units of the network that ranks moves, 0 without one")
    ]
    file_size: Annotated[int, member("", COUNT, "bytes of the file")]
    network_size: Annotated[int, "bytes of the network that ranks moves"]
    chances_size: Annotated[int, "bytes of the probabilities of corrections"]
    index_size: Annotated[int, "bytes of what leads to a decision's block"]
    corrections_size: Annotated[int, "bytes of the corrections"]

    @property
    def bits(self) -> float:
        """Bits of the whole file for each decision."""
        return 8.0 * self.file_size / self.decisions if self.decisions else 0.0

    @property
    def parts(self) -> list[FilePart]:
        """Return what takes the bytes of the file, and what decisions take by plain entropy."""
        network = f"network, {counted(self.units, 'unit')}" if self.units else "network, none"
        sizes = {
            network: self.network_size,
            "probabilities of corrections": self.chances_size,
            "corrections": self.corrections_size,
            "index of blocks": self.index_size,
        }
        sizes["header, checksums"] = self.file_size - sum(sizes.values())
        sizes["file"] = self.file_size
        sizes["best moves by plain entropy"] = -(-int(self.plain * self.decisions) // 8)
        return [
            FilePart(part, size, 8.0 * size / self.decisions if self.decisions else None)
            for part, size in sizes.items()
        ]

    def report(self) -> Report:
        """Return what the file is of, and what takes its bytes."""
        parts = self.parts
        lines = [["rules", self.rules.with_pieces], *FIELDS.lines(self)]
        summary = Table(printable(str(self.file)), ["<", "<"], lines)
        notes = [
            (
                "plain entropy: of the best move's place among the legal ones, by roll and their "
                "number"
            ),
            f"right: at most {at_most(self.within)} worse than the best, twice the error bound",
        ]
        tables = [summary, PARTS.table("What takes how much", parts, notes)]
        answer = (
            f"{printable(self.file.name)}, {self.rules.with_pieces}: "
            f"{counted(self.decisions, 'decision')} in {counted(self.file_size, 'byte')}, "
            f"{self.bits:.4f} bits each; every move is a best one"
        )
        return Report.of(COMPRESS, self, tables, rows=parts, row_fields=PARTS, answer=answer)


FIELDS = fields_of(Compressed)
PARTS = fields_of(FilePart)
COMPRESS = Schema("urcx.compress/1", {"": FIELDS, "rows": PARTS})


def compress(
    tablebase: str | Path,
    file: str | Path,
    *,
    network: str | Path | None = None,
    block: int = STATES,
    threads: int | None = None,
    stage: Stage = silent,
) -> Compressed:
    """Write a file of exact play: the best move of every decision of a solved game.

    The agent ``optimal:FILE`` plays by it. The file has no values. It holds what a ranking of the
    moves gets wrong, coded with the probability of that; the ranking is that of a network, if there
    is one, corrected by the decisions in neighbouring states.

    Parameters
    ----------
    tablebase
        The file of a solution.
    file
        Where to write.
    network
        The file of a network of the same game, with one hidden layer and the inputs ``path``; by
        default one that comes with urcx, if there is one of this kind for the game, else
        none. The better its ranking, the smaller the file.
    block
        About how many states are decoded at most to find a decision, at least 1: the fewer, the
        faster and the larger.
    threads
        By default one for each core.
    stage
        Called as each stage of the work begins.

    Returns
    -------
    Compressed

    Raises
    ------
    UnusableFileError, TablebaseError
        If a file cannot be read, is damaged, or of another game, or if the output cannot be
        written.
    UsageError
        If the network is not of the kind that is needed.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import urcx
    >>> from urcx.contrib.learning import compress
    >>> short = urcx.ruleset("finkel", pieces=2)
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     solution = Path(directory, "short.urcx")
    ...     _ = urcx.solve(short, solution)
    ...     found = compress(solution, Path(directory, "short.play"))
    >>> found.decisions, found.unsure
    (30301, 0)
    """
    check_functions(stage=stage)
    output = named(file)
    check_target(output)
    block = whole("block", block)
    if not 1 <= block <= MOST_BLOCK:
        raise UsageError(f"blocks of {block} states: from 1 to {MOST_BLOCK:,}")
    with open_tablebase(tablebase) as base:
        predictor = chosen_predictor(base.rules, network)
        contents, totals, plain = _pack(base, predictor, block, threads=threads, stage=stage)
        with checked_writing(output):
            size = write_play(contents, output)
        states = sum(base.order.size(layer) for layer in base.order.layers)
    lengths = int(totals[packing.LENGTH_BITS]) // 8
    return Compressed(
        base.rules,
        output,
        states,
        contents.decisions,
        contents.equal,
        contents.unsure,
        contents.within,
        plain,
        predictor.units,
        size,
        predictor.size,
        chances_size(contents.chance),
        lengths + contents.begin.nbytes,
        len(contents.data) - lengths,
    )


def ranker(rules: RuleSet) -> Network:
    """Return the network that comes with urcx to rank the moves of a rule set.

    Raises
    ------
    UsageError
        If there is none.
    """
    return network_in(RANKERS, rules) or shipped(rules)


def chosen_predictor(rules: RuleSet, network: str | Path | None) -> Predictor:
    """Return the predictor of a network's file, or of one that comes with urcx, or none."""
    if network is not None:
        found = read_network(network)
        check_game(network, found.rules, rules)
        return predictor_of(found)
    try:
        return predictor_of(ranker(rules))
    except UsageError:
        return no_predictor(rules)


def _pack(
    base: Tablebase,
    predictor: Predictor,
    block: int = STATES,
    *,
    threads: int | None = None,
    stage: Stage = silent,
) -> tuple[PlayContents, NDArray[np.int64], float]:
    """Code all decisions of a tablebase; return the kernels' totals and the plain entropy too."""
    within = width_of(base)
    order = base.order
    states = sum(order.size(layer) for layer in order.layers)
    even = np.full(kernels.CONTEXTS, EVEN, np.int64)
    nothing = np.zeros(1, np.uint8)
    play = play_tables(order, predictor, block, even, np.zeros(1, np.uint32), nothing)
    update = stage("counting", states, "states")
    every = max(1, states // COUNTED)
    crew, _ = go_through(base, play, kernels.COUNT, within, update, every=every, threads=threads)
    chance = _chances(np.sum([worker.room.counts for worker in crew], axis=0))
    play = play._replace(chance=chance)
    update = stage("coding decisions", states, "states")
    crew, parts = go_through(base, play, kernels.ENCODE, within, update, threads=threads)
    ends = np.cumsum([len(part) for part in parts])
    begin = np.concatenate([[0], ends[:-1]]).astype(np.uint32)
    data = np.frombuffer(b"".join(parts), np.uint8)
    totals = np.sum([worker.tallies.totals for worker in crew], axis=0)
    plain = _entropy(np.sum([worker.tallies.places for worker in crew], axis=0))
    seen = (int(totals[k]) for k in (packing.DECISIONS, packing.EQUAL, packing.UNSURE))
    contents = PlayContents(base.rules, predictor, block, chance, begin, data, within, *seen)
    return contents, totals, plain


def _entropy(places: NDArray[np.int64]) -> float:
    """Return the bits of the place of the best move; counts by roll, number of moves and place."""
    total = places.sum()
    of = np.broadcast_to(places.sum(axis=2, keepdims=True), places.shape)
    some = places > 0
    found = (places[some] * np.log2(of[some] / places[some])).sum()
    return float(found / total) if total else 0.0


def _chances(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the probability in each context that a move is right, in units of 2^-16."""
    share = (counts[:, 1] + 0.4) / (counts.sum(axis=1) + 0.8)
    one = 1 << PROBABILITY
    found: NDArray[np.int64] = np.rint(share * one).astype(np.int64)
    np.clip(found, LEAST_CHANCE, one - LEAST_CHANCE, out=found)
    return found
