"""Writing the file of exact play of a tablebase, and its proof.

A first pass over some of the decisions counts how often a move is right in each context. The second
pass codes all decisions with these probabilities.

The proof decodes every decision of a file and compares it with a solution.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.agents.networks import Network, network_in, read_network, shipped
from urcx.contrib.learning import packing_kernels as packing
from urcx.contrib.learning import play_kernels as kernels
from urcx.contrib.learning.packing_kernels import LayerMoves
from urcx.contrib.learning.play_file import (
    EVEN,
    MOST_BLOCK,
    Decisions,
    Equal,
    PlayContents,
    PlayFile,
    Predictor,
    States,
    Unsure,
    Within,
    chances_size,
    groups,
    no_predictor,
    play_room,
    play_tables,
    predictor_of,
    streams,
    write_play,
)
from urcx.contrib.learning.play_kernels import DECODE, PROBABILITY, PlayTables
from urcx.engine.files.writing import check_target, checked_writing
from urcx.engine.memory import check_memory
from urcx.engine.threads import Stage, chosen_threads, for_chunks, no_progress
from urcx.errors import UsageError, check_functions, printable
from urcx.reading import as_path
from urcx.results.fields import COUNT, TEXT, Field, decimals, fields_of
from urcx.results.numbers import bound_text, count_text, number
from urcx.results.result import Result
from urcx.results.tables import Table
from urcx.rules.catalogue import as_integer
from urcx.rules.model import GameRules, RuleSet
from urcx.solving.files.header import check_game
from urcx.solving.files.tablebase import Tablebase, TablebaseLayers, open_tablebase
from urcx.solving.layered.estimates import rows_of
from urcx.solving.layered.order import LayerOrder
from urcx.solving.layered.pair import LayerPair
from urcx.solving.ties import width_of

MOST_BITS = 14  # the code length of a bit of the least probability
ROW_BYTES = 100  # bytes per row, about, for the starts of its moves and their successors


def compress_memory(order: LayerOrder) -> int:
    """Return the most bytes needed to visit all decisions of a game.

    The mapped tablebase does not count, because the system frees its pages when memory is short.
    """
    most = 0
    pieces = order.rules.pieces
    for layers in order.pairs:
        states = order.states(layers)
        ahead = [order.size((i + 1, j)) for i, j in layers if i + 1 < pieces]
        copied = max([*ahead, *(order.size(layer) for layer in layers)])
        rows = rows_of(order, layers)
        most = max(most, 8 * (2 * states + sum(ahead) + copied) + ROW_BYTES * rows)
    tables = 12 * order.patterns * len(order.layers)
    return int(most + tables) + 300_000_000


def all_layers(base: Tablebase, threads: int, within: float) -> Iterator[LayerMoves]:
    """Yield all layers of a tablebase, from the end of the game, with the values of all moves.

    Moves whose win probability is at most ``within`` below the best count as right. Only one pair
    of layers is in memory at a time, unless the caller holds an earlier layer.
    """
    source = TablebaseLayers(base)
    for layers in base.order.pairs:
        yield from _pair_layers(LayerPair(base.order, layers, threads), source, within)


def _pair_layers(pair: LayerPair, source: TablebaseLayers, within: float) -> Iterator[LayerMoves]:
    """Yield the layers of a pair."""
    values, _ = pair.solved(source)
    for layer, cuts in zip(pair.layers, pair.cuts, strict=True):
        shape = pair.shape(layer)
        yield LayerMoves(
            *layer,
            pair.order.size(layer),
            shape.patterns,
            shape.rows,
            shape.columns,
            shape.begin,
            pair.rows.first_row[cuts[0] : cuts[-1]],
            pair.row_ops,
            pair.ops,
            values,
            2.0 * within,  # values are between -1 and 1
        )


class Worker:
    """The working memory and results of a thread (see `urcx.contrib.learning.packing_kernels`)."""

    def __init__(self, order: LayerOrder, play: PlayTables, mode: int) -> None:
        rolls, block = len(streams(order)), int(play.numbers[kernels.BLOCK])
        size = 0
        if mode == kernels.ENCODE:
            states = kernels.GROUP * block + len(order.mask)
            moves = min(order.rules.pieces, order.rules.path.length + 1)
            size = states * rolls * moves * MOST_BITS // 8 + 64 * kernels.GROUP * rolls + 64
        contexts = kernels.CONTEXTS if mode == kernels.COUNT else 0
        self.order, self.play, self.mode = order, play, mode
        self.room = play_room(play, contexts=contexts, out=size)
        self.out = np.zeros(size, np.uint8)
        moves = len(self.room.starts)
        self.tallies = packing.Tallies(
            right=np.zeros(len(order.mask), np.int64),
            lengths=np.zeros(kernels.GROUP * rolls, np.int64),
            places=np.zeros((len(order.tables.rolls), moves + 1, moves), np.int64),
            totals=np.zeros(packing.TOTALS, np.int64),
            worst=np.zeros(1),
        )

    def group(self, layer: LayerMoves, group: int) -> bytes:
        """Count, write or check a group of a layer, and return the bytes written."""
        rolls = self.order.tables.rolls
        length = packing.code_group(
            self.play, self.room, layer, rolls, group, self.mode, self.tallies, self.out
        )
        result = self.out[:length].tobytes()
        self.out[:length] = 0
        self.room.out[:length] = 0
        return result


def go_through(
    base: Tablebase,
    play: PlayTables,
    mode: int,
    within: float,
    update: Callable[[int], None],
    *,
    every: int = 1,
    threads: int | None = None,
) -> tuple[list[Worker], list[bytes]]:
    """Count, write or check every ``every``-th group of all layers.

    Returns the workers, which have the threads' results, and the groups that were written.
    """
    threads = chosen_threads(threads)
    order = base.order
    task = f"visiting all decisions of {order.rules.name}"
    check_memory(compress_memory(order), task, "choose a game with fewer pieces")
    workers = [Worker(order, play, mode) for _ in range(threads)]
    coded_groups: list[bytes] = []
    done = 0
    for layer in all_layers(base, threads, within):
        number = groups(order, (layer.light, layer.dark), int(play.numbers[kernels.BLOCK]))
        coded_groups += _layer_groups(workers, layer, number, every)
        done += layer.states
        del layer  # frees its pair before the next one is made
        update(done)
    return workers, coded_groups


def _layer_groups(workers: list[Worker], layer: LayerMoves, number: int, every: int) -> list[bytes]:
    """Count, write or check every ``every``-th group of a layer."""
    result = [b""] * number

    def part(thread: int, first: int, last: int) -> None:
        for group in range(first, last):
            if group % every == 0:
                result[group] = workers[thread].group(layer, group)

    for_chunks(number, 1, part, len(workers))
    return result


@dataclass(frozen=True)
class Proved(Result):
    """The comparison of every decision of a file with a solution."""

    schema = "urcx.check-play/1"
    rules: GameRules
    file: Annotated[Path, Field("", TEXT, "name of the file")]
    tablebase: Annotated[Path, Field("", TEXT, "name of the solution's file")]
    file_size: Annotated[int, Field("", COUNT, "bytes of the file")]
    states: States
    decisions: Decisions
    equal: Equal
    unsure: Unsure
    within: Within
    wrong: Annotated[
        int, Field("with a wrong move", COUNT, "decisions with a move that is worse than that")
    ]
    most_lost: Annotated[
        float, Field(about="greatest loss of a move of the file, in win probability")
    ]
    singly: Annotated[
        int, Field("also looked up singly", COUNT, "decisions that were also looked up singly")
    ]

    def tables(self) -> list[Table]:
        """Return the counts of decisions, and the verdict."""
        lines = [
            ["rules", self.rules.with_pieces],
            ["bytes", number(self.file_size)],
            *fields_of(Proved).lines(self),
            ["greatest loss of a move (points)", f"{100 * self.most_lost:.1e}"],
        ]
        verdict = "this is not optimal play. Write the file again: urcx compress"
        if not self.wrong:
            verdict = (
                f"every decision is right: no move loses more than {bound_text(100 * self.within)} "
                "points, twice the error bound"
            )
        notes = [verdict, f"compared with {printable(str(self.tablebase))}"]
        return [Table("", ["<", "<"], lines, notes)]

    @property
    def answer(self) -> str:
        """Return the number of wrong decisions."""
        return (
            f"{printable(self.file.name)}, {self.rules.with_pieces}: {number(self.wrong)} of "
            f"{count_text(self.decisions, 'decision')} are wrong (all compared one by one)"
        )


def prove_play(
    play: PlayFile, base: Tablebase, *, threads: int | None = None, stage: Stage = no_progress
) -> Proved:
    """Compare all decisions of a file with a solution.

    Raises
    ------
    UnusableFileError
        If the file and the solution have different rules.
    TablebaseError
        If the tablebase is damaged.
    """
    play.check_rules(base.rules)
    states = sum(base.order.size(layer) for layer in base.order.layers)
    within = width_of(base)
    update = stage("comparing every move", states, "states")
    workers, _ = go_through(base, play.tables, DECODE, within, update, threads=threads)
    totals = np.sum([worker.tallies.totals for worker in workers], axis=0)
    return Proved(
        base.rules,
        play.file,
        base.file,
        play.size,
        states,
        int(totals[packing.DECISIONS]),
        int(totals[packing.EQUAL]),
        int(totals[packing.UNSURE]),
        within,
        int(totals[packing.WRONG]),
        max(float(worker.tallies.worst[0]) for worker in workers) / 2.0,
        int(totals[packing.SINGLE]),
    )


# Networks that rank moves, for rule sets whose shipped network is of another kind.
RANKERS = Path(__file__).parent / "data" / "rankers"
STATES = 256  # states per block
COUNTED = 4_000_000  # states whose decisions the first pass counts, about
LEAST_CHANCE = 8  # in units of 2^-16


class FilePart(NamedTuple):
    """A part of a file, with its size."""

    part: Annotated[
        str, Field("<part", about="file, network, probabilities, index, corrections or plain")
    ]
    bytes: Annotated[int, Field("bytes", COUNT, "its bytes")]
    bits: Annotated[float | None, Field("bits per decision", decimals(4), "its bits per decision")]


@dataclass(frozen=True, eq=False)
class Compressed(Result, function="compress"):
    """A file of exact play, with the sizes of its parts.

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
    ...     compressed = compress(solution, file)
    ...     move = urcx.agent(f"optimal:{file}").choose(urcx.Game(short, position="4/-/0-0/L"), 4)
    >>> compressed.states, compressed.decisions, (move.start, move.end)
    (217, 0, (4, 8))
    """

    schema = "urcx.compress/1"
    lists = ("file_parts",)
    rules: GameRules
    file: Annotated[Path, Field("", TEXT, "name of the file")]
    states: States
    decisions: Decisions
    equal: Equal
    unsure: Unsure
    within: Within
    plain: Annotated[
        float,
        "the plain entropy of a decision, in bits: the entropy of the place of the best move among "
        "the legal moves, given the roll and the number of moves",
    ]
    units: Annotated[
        int, Field(about="hidden units of the network that ranks moves, 0 without one")
    ]
    file_size: Annotated[int, Field("", COUNT, "bytes of the file")]
    network_size: Annotated[int, "bytes of the network that ranks moves"]
    chances_size: Annotated[int, "bytes of the probabilities of corrections"]
    index_size: Annotated[int, "bytes of the index that leads to a decision's block"]
    corrections_size: Annotated[int, "bytes of the corrections"]

    @property
    def bits(self) -> float:
        """Bits of the whole file per decision."""
        return 8.0 * self.file_size / self.decisions if self.decisions else 0.0

    @property
    def file_parts(self) -> list[FilePart]:
        """Return the parts of the file with their sizes, and the size by plain entropy."""
        network = f"network, {count_text(self.units, 'unit')}" if self.units else "network, none"
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

    def tables(self) -> list[Table]:
        """Return the counts of decisions, and the sizes of the parts."""
        lines = [["rules", self.rules.with_pieces], *fields_of(Compressed).lines(self)]
        notes = [
            (
                "plain entropy: of the best move's place among the legal moves, given the roll and "
                "their number"
            ),
            (
                f"best moves lose at most {bound_text(100 * self.within)} points, twice the error "
                "bound"
            ),
        ]
        return [
            Table("", ["<", "<"], lines),
            fields_of(FilePart).table("Sizes of the parts", self.file_parts, notes),
        ]

    @property
    def answer(self) -> str:
        """Return the number of decisions, and the size of the file."""
        return (
            f"{printable(self.file.name)}, {self.rules.with_pieces}: the best moves of "
            f"{count_text(self.decisions, 'decision')} in {count_text(self.file_size, 'byte')} "
            f"({self.bits:.4f} bits per decision)"
        )


def compress(
    tablebase: str | Path,
    file: str | Path,
    *,
    network: str | Path | None = None,
    block: int = STATES,
    threads: int | None = None,
    stage: Stage = no_progress,
) -> Compressed:
    """Write a file of exact play: the best move of every decision of a solved game.

    The agent ``optimal:FILE`` plays from it. The file has no values. A network, if there is one,
    ranks the moves, corrected by the decisions in neighbouring states. The file has the errors of
    this ranking, coded with their probabilities.

    Parameters
    ----------
    tablebase
        The file of a solution.
    file
        The file to write.
    network
        The file of a network of the same game, with one hidden layer and the inputs ``path``. By
        default it is the network of this kind that comes with urcx for the game, if any. A better
        ranking makes a smaller file.
    block
        The number of states that are decoded for a look-up at most, about, from 1. Smaller
        blocks make look-ups faster and the file larger.
    threads
        The number of threads, by default one per core.
    stage
        Called at the start of each stage of the work.

    Returns
    -------
    Compressed

    Raises
    ------
    UnusableFileError, TablebaseError
        If a file cannot be read, is damaged, or has another game, or if the output cannot be
        written.
    UsageError
        If the network has two hidden layers or other inputs.

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
    ...     compressed = compress(solution, Path(directory, "short.play"))
    >>> compressed.decisions, compressed.unsure
    (30301, 0)
    """
    check_functions(stage=stage)
    output = as_path(file)
    check_target(output)
    block = as_integer("block", block)
    if not 1 <= block <= MOST_BLOCK:
        raise UsageError(f"blocks of {block} states: must be from 1 to {MOST_BLOCK:,}")
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
        If there is no network for the rule set.
    """
    return network_in(RANKERS, rules) or shipped(rules)


def chosen_predictor(rules: RuleSet, network: str | Path | None) -> Predictor:
    """Return the predictor of a network's file, or of one that comes with urcx, or a plain one."""
    if network is not None:
        ranking_network = read_network(network)
        check_game(network, ranking_network.rules, rules)
        return predictor_of(ranking_network)
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
    stage: Stage = no_progress,
) -> tuple[PlayContents, NDArray[np.int64], float]:
    """Code all decisions of a tablebase. Return contents, the kernels' totals and plain entropy."""
    within = width_of(base)
    order = base.order
    states = sum(order.size(layer) for layer in order.layers)
    even = np.full(kernels.CONTEXTS, EVEN, np.int64)
    nothing = np.zeros(1, np.uint8)
    play = play_tables(order, predictor, block, even, np.zeros(1, np.uint32), nothing)
    update = stage("counting", states, "states")
    every = max(1, states // COUNTED)
    workers, _ = go_through(base, play, kernels.COUNT, within, update, every=every, threads=threads)
    chance = _chances(np.sum([worker.room.counts for worker in workers], axis=0))
    play = play._replace(chance=chance)
    update = stage("coding decisions", states, "states")
    workers, parts = go_through(base, play, kernels.ENCODE, within, update, threads=threads)
    ends = np.cumsum([len(part) for part in parts])
    begin = np.concatenate([[0], ends[:-1]]).astype(np.uint32)
    data = np.frombuffer(b"".join(parts), np.uint8)
    totals = np.sum([worker.tallies.totals for worker in workers], axis=0)
    plain = _entropy(np.sum([worker.tallies.places for worker in workers], axis=0))
    counts = (int(totals[k]) for k in (packing.DECISIONS, packing.EQUAL, packing.UNSURE))
    contents = PlayContents(base.rules, predictor, block, chance, begin, data, within, *counts)
    return contents, totals, plain


def _entropy(places: NDArray[np.int64]) -> float:
    """Return the entropy of the best move's place from counts by roll, number of moves, place."""
    total = places.sum()
    totals = np.broadcast_to(places.sum(axis=2, keepdims=True), places.shape)
    seen = places > 0
    bits = (places[seen] * np.log2(totals[seen] / places[seen])).sum()
    return float(bits / total) if total else 0.0


def _chances(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the probability in each context that a move is right, in units of 2^-16."""
    share = (counts[:, 1] + 0.4) / (counts.sum(axis=1) + 0.8)
    certain = 1 << PROBABILITY
    result: NDArray[np.int64] = np.rint(share * certain).astype(np.int64)
    np.clip(result, LEAST_CHANCE, certain - LEAST_CHANCE, out=result)
    return result
