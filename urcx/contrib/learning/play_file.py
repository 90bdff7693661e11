"""Files of exact play: the best move of every decision, without values.

The file is a sealed file (`urcx.engine.files.sealed`) of the kind ``urcx-pl`` and a line feed. What
it means is explained in `urcx.contrib.learning.play_kernels`. Its data are arrays of little-endian
numbers, one after another, each at a multiple of 64 bytes:

- ``used``, unsigned 8 bits: a bit for each context, the highest of a byte first, 1 if its
  probability is in the file; that of others is 1/2;
- ``chance``, unsigned 16 bits: the probability of each of these contexts in units of 2^-16;
- ``first``, ``bias`` and ``last``, 16 bits: the weights of the network that ranks moves;
- ``begin``, unsigned 32 bits: where each group of blocks begins in the data, in bytes;
- ``data``: for each group, the lengths of its streams and the streams, in bits.

A list of lengths is 4 bits for a parameter k and then, for each stream, its length in bits divided
by 2^k as so many ones and a zero, and the k last bits of it.

The header has ``format``, 1; ``rules``, as in a tablebase; ``block``, the states of a block;
``units``, ``scale``, ``squared``, ``constant`` and ``shift`` of the network; ``contexts``, the
number of probabilities; ``bytes`` of ``data``; ``within``, how much less than the best, in chances
of winning, a move's value may be that counts as right; and ``decisions``, ``equal`` and ``unsure``:
the number of decisions, of those with several best moves, and of those with further right moves.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from urcx.agents.networks import number_of_inputs
from urcx.contrib.learning import play_kernels as kernels
from urcx.contrib.learning.coding_kernels import PROBABILITY
from urcx.contrib.learning.decoding import PlayLayers
from urcx.contrib.learning.look_up_kernels import PlayFilePolicy
from urcx.contrib.learning.play_tables import groups, play_room, play_tables
from urcx.contrib.learning.predictor import COARSEST, FINEST, INT32, Predictor
from urcx.engine.files.sealed import (
    Closing,
    SealedFile,
    SealedWriter,
    aligned,
    write_sealed,
)
from urcx.errors import TablebaseError, UrcxError
from urcx.reading import named
from urcx.results.fields import COUNT, member
from urcx.rules.model import RuleSet
from urcx.solving.files.header import check_game, describe_rules, rules_of
from urcx.solving.layered.order import LayerOrder

EVEN = 1 << (PROBABILITY - 1)
MAGIC = b"urcx-pl\n"
FORMAT = 1
SUFFIX = ".play"
ROOM = 512  # bytes of the header, beside the rules
MOST_BLOCK = 1 << 20  # states
MOST_UNITS = 4096
MOST_SHIFT = 40
LARGEST = 1 << 32  # bytes of data
MOST_DECISIONS = 1 << 56

# What is shown of a file's decisions, for which a move's worth is in chances of winning.
States = Annotated[
    int,
    member("states (mover views, unfinished)", COUNT, "unfinished states, as mover views"),
]
Decisions = Annotated[
    int,
    member(
        "decisions: states and rolls that leave a choice",
        COUNT,
        "states and rolls with two or more legal moves",
    ),
]
Equal = Annotated[int, member("with several best moves", COUNT, "those with several best moves")]
Unsure = Annotated[
    int,
    member(
        "with others that error bounds do not tell from them",
        COUNT,
        "those with further moves within error bounds of the best",
    ),
]
Within = Annotated[
    float,
    member(
        about="how much worse than the best, in chances, a right move may be", exactness="bound"
    ),
]


@dataclass(frozen=True, eq=False)
class PlayContents:
    """What a file of exact play holds; see `urcx.contrib.learning.play_file`."""

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
    """Write a file of exact play, which appears only when it is complete; return its size.

    Raises
    ------
    OSError
        If it cannot be written; nothing is left behind.
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
    """Return the bytes that the probabilities of contexts take in a file."""
    return -(-kernels.CONTEXTS // 8) + 2 * int((chance != EVEN).sum())


class PlayFile(Closing):
    """An open file of exact play, memory-mapped, and verified as a whole when it is opened.

    Raises
    ------
    UnusableFileError
        If it cannot be read, or is of another kind.
    TablebaseError
        If it is damaged, or in another format.
    """

    def __init__(self, file: str | Path) -> None:
        self.file = named(file)
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
            raise TablebaseError(f"{self.file} is damaged")
        units = header.whole("units", 0, MOST_UNITS)
        block = header.whole("block", 1, MOST_BLOCK)
        number = sum(groups(self.order, layer, block) for layer in self.order.layers)
        inputs = number_of_inputs(rules)
        at = sealed.begin
        found = []
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
                raise TablebaseError(f"{self.file}: its data are too short for what they hold")
            found.append(np.frombuffer(sealed.map, kind, count, at))
            at = aligned(at + found[-1].nbytes)
        bits, chances, first, bias, last, begin, data = found
        used = np.unpackbits(bits, count=kernels.CONTEXTS) == 1
        wrong = begin[-1] > len(data) or (np.diff(begin.astype(np.int64)) < 0).any()
        wrong |= used.sum() != len(chances) or not chances.all()
        if wrong or at != sealed.begin + sealed.size:
            raise TablebaseError(f"{self.file}: its data are not those of exact play")
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
        """Return the bytes of what plays, without header, checksums and padding."""
        found = self.contents
        tables = chances_size(found.chance) + found.predictor.size + found.begin.nbytes
        return tables + len(found.data)

    def policy(self, ties: int) -> PlayFilePolicy:
        """Return the policy that plays by it, for one thread; it keeps the file mapped."""
        return PlayFilePolicy(ties, self.tables, play_room(self.tables))

    def by_layers(self, ties: int) -> PlayLayers:
        """Return the policy that plays by it in all states of layers; it keeps the file mapped."""
        return PlayLayers(self.policy(ties))

    def check_rules(self, rules: RuleSet) -> None:
        """Raise `UnusableFileError` if the file is of another game."""
        check_game(self.file, self.rules, rules)
