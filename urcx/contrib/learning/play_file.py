"""Files of exact play: the best move of every decision, without values.

The file is a sealed file (`urcx.engine.files.sealed`) of the kind ``urcx-pl`` and a line feed.
`urcx.contrib.learning.play_kernels` explains its meaning. Its data are arrays of little-endian
numbers, one after another, each at a multiple of 64 bytes:

- ``used``, unsigned 8 bits: a bit for each context, the highest bit of a byte first, 1 if the
  probability of the context is in the file (otherwise it is 1/2).
- ``chance``, unsigned 16 bits: the probability of each of these contexts in units of 2^-16.
- ``first``, ``bias`` and ``last``, 16 bits: the weights of the network that ranks moves.
- ``begin``, unsigned 32 bits: the place of each group of blocks in the data, in bytes.
- ``data``: for each group, the lengths of its streams and the streams, in bits.

A list of lengths begins with 4 bits for a parameter k. The length of each stream in bits follows:
the quotient by 2^k in unary, as ones and a zero, and the last k bits of the length.

The header has

- ``format``, 1.
- ``rules``, the same as in a tablebase.
- ``block``, the number of states per block.
- ``units``, ``scale``, ``squared``, ``constant`` and ``shift`` of the network.
- ``contexts``, the number of probabilities.
- ``bytes``, the size of ``data``.
- ``within``, the greatest difference in win probability between a right move and the best.
- ``decisions``, ``equal`` and ``unsure``: the numbers of all decisions, of decisions with several
  best moves, and of decisions with other right moves.

A network with one hidden layer, or none, ranks the moves of a decision. Its weights become 16-bit
integers, so a processor computes sixteen units or more at once.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from urcx.agents.networks import Network, number_of_inputs
from urcx.contrib.learning import play_kernels as kernels
from urcx.contrib.learning.play_kernels import (
    ACTIVE,
    KNOT,
    KNOTS,
    LOGIT,
    PROBABILITY,
    REGISTERS,
    VALUE,
    PlayFilePolicy,
    PlayRoom,
    PlayTables,
)
from urcx.engine.files.sealed import (
    Closing,
    SealedFile,
    SealedWriter,
    aligned,
    write_sealed,
)
from urcx.engine.threads import for_chunks
from urcx.errors import TablebaseError, UrcxError, UsageError
from urcx.reading import as_path
from urcx.results.fields import COUNT, Field
from urcx.rules.model import RuleSet
from urcx.solving.files.header import check_game, describe_rules, rules_of
from urcx.solving.layered.order import IntArray, Layer, LayerOrder
from urcx.solving.layered.pair import LayerPair, LayerShape
from urcx.sweeps.layout_kernels import MARGIN, Picks

INT16 = 2**15 - 1
INT32 = 2**31 - 1
FINEST, COARSEST = 10, 4  # range of the bits of an activation's fraction


@dataclass(frozen=True, eq=False)
class Predictor:
    """A network in 16-bit integers, without units if there is no network.

    `urcx.contrib.learning.play_kernels` explains ``scale`` and ``shift``. ``constant`` is the
    constant term of the output.
    """

    first: NDArray[np.int16]
    bias: NDArray[np.int16]
    last: NDArray[np.int16]
    scale: int = FINEST
    squared: bool = True
    constant: int = 0
    shift: int = 0

    @property
    def units(self) -> int:
        """Return the number of hidden units."""
        return len(self.bias)

    @property
    def size(self) -> int:
        """Return the predictor's size in a file, in bytes."""
        return self.first.nbytes + self.bias.nbytes + self.last.nbytes


def no_predictor(rules: RuleSet) -> Predictor:
    """Return the predictor that gives all moves the same value."""
    return Predictor(
        np.zeros((number_of_inputs(rules), 0), np.int16),
        np.zeros(0, np.int16),
        np.zeros(0, np.int16),
    )


def predictor_of(network: Network) -> Predictor:
    """Return the predictor of a network.

    Raises
    ------
    UsageError
        If the network has two hidden layers, inputs that look ahead, or weights that are too large.
    """
    if network.second.shape[1] or len(network.first) != number_of_inputs(network.rules):
        raise UsageError(
            "exact play needs a network with one hidden layer and the inputs path. Make one with "
            "urcx train distil --set later=0 -o FILE.npz"
        )
    scale = FINEST
    while _reach(network) * 2**scale > INT16 and scale >= COARSEST:
        scale -= 1
    if scale < COARSEST:
        raise UsageError("the network's weights are too large to code exact play with")
    unit = (1 << scale) - 1
    fixed = [np.rint(w * unit).astype(np.int16) for w in (network.first, network.first_bias)]
    last = network.last.astype(np.float64)
    most = np.abs(last).max(initial=1e-9)
    total = (np.abs(last).sum() + abs(network.last_bias) + 1e-9) * 2**ACTIVE
    # The finest power of 1/2 for the weights for which neither they nor the sum overflow.
    fine = min(math.floor(math.log2(INT16 / most)), math.floor(math.log2(0.99 * INT32 / total)))
    if ACTIVE + fine < LOGIT:
        raise UsageError("the network's weights are too large to code exact play with")
    return Predictor(
        fixed[0],
        fixed[1],
        np.rint(last * 2.0**fine).astype(np.int16),
        scale,
        network.activation == "squared",
        round(network.last_bias * 2.0 ** (ACTIVE + fine)),
        ACTIVE + fine - LOGIT,
    )


def _reach(network: Network) -> float:
    """Return a bound on the sums of the first layer."""
    path, men = network.rules.path.length, network.rules.pieces
    size = np.abs(network.first.astype(np.float64)) + 2.0**-FINEST
    total = np.abs(network.first_bias.astype(np.float64)) + 1.0
    for side in (0, 1):
        steps = np.sort(size[side * path : (side + 1) * path], axis=0)
        total += steps[max(path - men, 0) :].sum(axis=0)
    for group in range(4):
        at = 2 * path + group * (men + 1)
        total += size[at : at + men + 1].max(axis=0)
    return float(total.max(initial=0.0))


def knots() -> NDArray[np.int64]:
    """Return 2 p - 1 for the win probabilities p at the knots of the piecewise linear function."""
    step = 2.0 ** (KNOT - LOGIT)
    values = [round(math.tanh(k * step / 2) * (1 << VALUE)) for k in range(KNOTS + 1)]
    return np.array(values, np.int64)


def streams(order: LayerOrder) -> list[int]:
    """Return the rolls above 0, each of which has a stream in every block."""
    return [roll for roll in order.rules.dice.rolls if roll > 0]


def groups(order: LayerOrder, layer: Layer, block: int) -> int:
    """Return the number of groups of a layer with blocks of ``block`` states."""
    return -(-order.size(layer) // (block * kernels.GROUP))


def play_tables(
    order: LayerOrder,
    predictor: Predictor,
    block: int,
    chance: NDArray[np.int64],
    begin: NDArray[np.uint32],
    data: NDArray[np.uint8],
) -> PlayTables:
    """Return the arrays of a file's contents (see `urcx.contrib.learning.play_kernels`)."""
    rules = order.rules
    pieces, length = rules.pieces, rules.path.length
    numbers = np.zeros(kernels.NUMBERS, np.int64)
    numbers[kernels.PIECES], numbers[kernels.PATH] = pieces, length
    numbers[kernels.UNITS], numbers[kernels.SCALE] = predictor.units, predictor.scale
    numbers[kernels.SQUARED], numbers[kernels.CONSTANT] = predictor.squared, predictor.constant
    numbers[kernels.SHIFT], numbers[kernels.BLOCK] = predictor.shift, block
    offset = np.zeros((pieces, pieces, order.patterns), np.uint32)
    group = np.zeros((pieces, pieces), np.int64)
    done = 0
    for pair in order.pairs:
        for layer in pair:
            offset[layer] = np.maximum(order.offsets(layer), 0)
            group[layer] = done
            done += groups(order, layer, block)
    stream = np.full(max(rules.dice.rolls) + 1, -1, np.int64)
    for number, roll in enumerate(streams(order)):
        stream[roll] = number
    stream[0] = len(streams(order))
    # All arrays are read-only, as from a file, so kernels are compiled for one type.
    for array in (predictor.first, predictor.bias, predictor.last, begin, data):
        array.setflags(write=False)
    place = np.empty(order.patterns, np.int32)
    place[order.by_progress] = np.arange(order.patterns)
    return PlayTables(
        numbers,
        order.tables.ways,
        predictor.first,
        predictor.bias,
        predictor.last,
        _columns(order, predictor),
        knots(),
        *_neighbours(order),
        chance,
        order.pattern,
        order.width,
        order.number,
        order.mask,
        order.by_progress.astype(np.int32),
        place,
        offset,
        group,
        begin,
        stream,
        data,
    )


def _columns(order: LayerOrder, predictor: Predictor) -> NDArray[np.int16]:
    """Return the sums of weights of the steps of private masks, for the inputs of each side."""
    length = order.rules.path.length
    # Columns are masks of the other side, the second in the order.
    steps = order.pattern.own_steps[1][order.mask[: order.width[-1]]]
    result = np.zeros((2, len(steps), predictor.units), np.int16)
    for step in range(length):
        has = (steps >> step & 1 == 1)[:, None]
        for side in (0, 1):
            result[side] += has * predictor.first[side * length + step]
    return result


def _neighbours(order: LayerOrder) -> tuple[IntArray, IntArray]:
    """Return the numbers of masks with the last possible piece one tile ahead, and with one more.

    A number is -1 if there is no such mask.
    """
    size = len(order.mask)
    tiles = size.bit_length() - 1
    ahead, more = np.full(size, -1, np.int64), np.full(size, -1, np.int64)
    for number, mask in enumerate(order.mask.tolist()):
        for tile in range(tiles):
            if not mask >> tile & 1:
                more[number] = order.number[mask | 1 << tile]
                break
        for tile in range(tiles - 1):
            if mask >> tile & 3 == 1:
                ahead[number] = order.number[mask ^ 3 << tile]
                break
    return ahead, more


def play_room(play: PlayTables, *, contexts: int = 0, out: int = 0) -> PlayRoom:
    """Return working memory for one thread, including counts of contexts and bytes written."""
    pieces, units = int(play.numbers[kernels.PIECES]), int(play.numbers[kernels.UNITS])
    starts = int(play.numbers[kernels.PATH]) + 1
    columns, moves = len(play.mask), min(pieces, starts)
    return PlayRoom(
        np.zeros(REGISTERS, np.int64),
        np.zeros((moves, columns), np.int64),
        np.zeros(moves, np.int64),
        np.zeros(moves, np.int64),
        np.zeros(moves, np.int64),
        np.zeros(columns, np.int64),
        np.zeros(columns, np.int64),
        np.zeros(columns, np.int64),
        np.zeros(starts, np.int64),
        np.zeros(units, np.int16),
        np.zeros(units, np.int16),
        np.zeros((2, 2, columns, units), np.int16),
        np.zeros((2, 2), np.int64),
        np.zeros((contexts, 2), np.int64),
        np.zeros(out, np.uint8),
    )


@dataclass(frozen=True)
class PlayLayers:
    """Plays the moves of a file of exact play in all states of a pair of layers."""

    policy: PlayFilePolicy

    @property
    def ties(self) -> int:
        """Return the tie-breaking rule, an index in `urcx.agents.agent_kernels.TIES`."""
        return self.policy.ties

    def write_picks(self, pair: LayerPair, picks: Picks) -> None:
        """Write the moves in all states of a pair of layers."""
        for layer in pair.layers:
            at = MARGIN + pair.at["V", layer]
            shape = pair.shape(layer)
            decode_layer(
                self.policy, pair.order, shape, picks.masks, at, picks.stride, pair.threads
            )


def decode_layer(
    policy: PlayFilePolicy,
    order: LayerOrder,
    shape: LayerShape,
    picks: NDArray[Any],
    begin: int,
    stride: int,
    threads: int,
) -> None:
    """Write the moves of a layer's decisions, each as a mask over the legal moves.

    The move for the r-th roll of the dice in the layer's k-th state is written to ``picks[r *
    stride + begin + k]``. Entries with fewer than two legal moves are not written.
    """
    light, dark = shape.layer
    layer = kernels.LayerRows(
        light,
        dark,
        order.size(shape.layer),
        shape.patterns,
        shape.rows,
        shape.columns,
        shape.begin,
    )
    number = groups(order, shape.layer, int(policy.play.numbers[kernels.BLOCK]))
    rooms = [policy.for_one_thread().room for _ in range(min(threads, number))]

    def part(thread: int, first: int, last: int) -> None:
        for group in range(first, last):
            kernels.decode_group(
                policy.play, rooms[thread], layer, order.tables.rolls, group, begin, stride, picks
            )

    for_chunks(number, 1, part, len(rooms))


EVEN = 1 << (PROBABILITY - 1)
MAGIC = b"urcx-pl\n"
FORMAT = 1
SUFFIX = ".play"
ROOM = 512  # bytes of the header without the rules
MOST_BLOCK = 1 << 20  # states
MOST_UNITS = 4096
MOST_SHIFT = 40
LARGEST = 1 << 32  # bytes of data
MOST_DECISIONS = 1 << 56

# Fields on a file's decisions.
States = Annotated[
    int, Field("states (canonical views, unfinished)", COUNT, "unfinished canonical views")
]
Decisions = Annotated[
    int,
    Field(
        "decisions: states and rolls with two or more legal moves",
        COUNT,
        "states and rolls with two or more legal moves",
    ),
]
Equal = Annotated[int, Field("with several best moves", COUNT, "decisions with several best moves")]
Unsure = Annotated[
    int,
    Field(
        "with other moves within the error bounds",
        COUNT,
        "decisions with other moves within the error bounds of the best",
    ),
]
Within = Annotated[
    float,
    Field(about="greatest difference in win probability between a right move and the best (bound)"),
]


@dataclass(frozen=True, eq=False)
class PlayContents:
    """The contents of a file of exact play (see `urcx.contrib.learning.play_file`)."""

    rules: RuleSet
    predictor: Predictor
    block: int
    chance: NDArray[np.int64]
    begin: NDArray[np.uint32]
    data: NDArray[np.uint8]
    within: float
    decisions: int
    equal: int
    unsure: int


def write_play(contents: PlayContents, file: Path) -> int:
    """Write a file of exact play, which appears only when it is complete, and return its size.

    Raises
    ------
    OSError
        If the file cannot be written. No part of it remains.
    """
    predictor = contents.predictor
    rules = describe_rules(contents.rules)

    def fill(writer: SealedWriter) -> dict[str, Any]:
        used = contents.chance != EVEN
        for array in (
            np.packbits(used),
            contents.chance[used].astype("<u2"),
            predictor.first.astype("<i2"),
            predictor.bias.astype("<i2"),
            predictor.last.astype("<i2"),
            contents.begin.astype("<u4"),
            contents.data,
        ):
            writer.write(np.ascontiguousarray(array).reshape(-1).view(np.uint8))
            writer.align()
        return {
            "format": FORMAT,
            "rules": rules,
            "block": contents.block,
            "units": predictor.units,
            "scale": predictor.scale,
            "squared": predictor.squared,
            "constant": predictor.constant,
            "shift": predictor.shift,
            "contexts": int(used.sum()),
            "bytes": len(contents.data),
            "within": contents.within,
            "decisions": contents.decisions,
            "equal": contents.equal,
            "unsure": contents.unsure,
        }

    return write_sealed(file, MAGIC, len(json.dumps(rules)) + ROOM, fill)


def chances_size(chance: NDArray[np.int64]) -> int:
    """Return the size of the probabilities of contexts in a file, in bytes."""
    return -(-kernels.CONTEXTS // 8) + 2 * int((chance != EVEN).sum())


class PlayFile(Closing):
    """An open file of exact play, memory-mapped, and verified completely when it is opened.

    Raises
    ------
    UnusableFileError
        If the file cannot be read, or is of another kind.
    TablebaseError
        If the file is damaged, or has another format.
    """

    def __init__(self, file: str | Path) -> None:
        self.file = as_path(file)
        self._sealed = SealedFile(self.file, MAGIC, FORMAT, "file of exact play")
        try:
            self._read()
        except BaseException:
            self._sealed.close()
            raise

    def _read(self) -> None:
        header, sealed = self._sealed.header, self._sealed
        rules = rules_of(header.inside("rules"))
        try:
            self.order = LayerOrder(rules)
        except UrcxError as error:
            raise TablebaseError(f"{self.file}: the header's rules: {error}") from None
        if not sealed.intact(sealed.begin, sealed.begin + sealed.size):
            raise TablebaseError(f"{self.file} is damaged. Write it again with urcx compress")
        units = header.whole("units", 0, MOST_UNITS)
        block = header.whole("block", 1, MOST_BLOCK)
        number = sum(groups(self.order, layer, block) for layer in self.order.layers)
        inputs = number_of_inputs(rules)
        at = sealed.begin
        arrays = []
        for kind, count in (
            ("<u1", -(-kernels.CONTEXTS // 8)),
            ("<u2", header.whole("contexts", 0, kernels.CONTEXTS)),
            ("<i2", inputs * units),
            ("<i2", units),
            ("<i2", units),
            ("<u4", number),
            ("<u1", header.whole("bytes", 1, LARGEST)),
        ):
            if at + count * np.dtype(kind).itemsize > sealed.begin + sealed.size:
                raise TablebaseError(f"{self.file}: the data are shorter than the header states")
            arrays.append(np.frombuffer(sealed.map, kind, count, at))
            at = aligned(at + arrays[-1].nbytes)
        bits, chances, first, bias, last, begin, data = arrays
        used = np.unpackbits(bits, count=kernels.CONTEXTS) == 1
        wrong = begin[-1] > len(data) or (np.diff(begin.astype(np.int64)) < 0).any()
        wrong |= used.sum() != len(chances) or not chances.all()
        if wrong or at != sealed.begin + sealed.size:
            raise TablebaseError(f"{self.file}: the data are not exact play")
        chance = np.full(kernels.CONTEXTS, EVEN, np.int64)
        chance[used] = chances
        self.contents = PlayContents(
            rules,
            Predictor(
                first.reshape(inputs, units),
                bias,
                last,
                header.whole("scale", COARSEST, FINEST),
                header.flag("squared"),
                header.whole("constant", -INT32, INT32),
                header.whole("shift", 0, MOST_SHIFT),
            ),
            block,
            chance,
            begin,
            data,
            header.number("within", 0.0, 1.0),
            header.whole("decisions", 0, MOST_DECISIONS),
            header.whole("equal", 0, MOST_DECISIONS),
            header.whole("unsure", 0, MOST_DECISIONS),
        )
        self.tables = play_tables(
            self.order,
            self.contents.predictor,
            block,
            self.contents.chance,
            begin,
            data,
        )

    @property
    def rules(self) -> RuleSet:
        """Return the rule set."""
        return self.contents.rules

    @property
    def size(self) -> int:
        """Return the file's size in bytes."""
        return len(self._sealed.map)

    @property
    def data_size(self) -> int:
        """Return the bytes needed to play, without header, checksums and padding."""
        contents = self.contents
        tables = chances_size(contents.chance) + contents.predictor.size + contents.begin.nbytes
        return tables + len(contents.data)

    def policy(self, ties: int) -> PlayFilePolicy:
        """Return the policy that plays from the file, for one thread. The file stays mapped."""
        return PlayFilePolicy(ties, self.tables, play_room(self.tables))

    def by_layers(self, ties: int) -> PlayLayers:
        """Return the policy that plays in all states of layers. The file stays mapped."""
        return PlayLayers(self.policy(ties))

    def check_rules(self, rules: RuleSet) -> None:
        """Raise `UnusableFileError` if the file has another game."""
        check_game(self.file, self.rules, rules)
