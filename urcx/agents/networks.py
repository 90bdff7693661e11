"""Networks that value positions.

A network is a small multilayer perceptron. It maps a position before the roll, seen from the player
to move, to the logit of that player's win probability. Its inputs ``path`` are 0 or 1, in this
order, for a path of L steps and P pieces per side:

- the own piece on step 1 to L, then the other side's piece on its step 1 to L
- 0 to P own pieces home, then 0 to P of the other side's pieces home
- 0 to P own pieces in the pool, then 0 to P of the other side's pieces in the pool

The inputs ``path+threats`` also look one roll ahead. They add two inputs for each open step, in
ascending order. Open steps are the steps on which a piece can be captured: the steps on shared
tiles, except safe rosettes.

- The exposure of an own piece on the step is the probability that the other side's next roll could
  capture it, by a legal move from this position. It is 0 without a piece there.
- The threat to an enemy piece on the step is the same probability for the mover's roll.

These probabilities are sums over rolls, each rounded to a multiple of 2^-12.

One or two hidden layers have activations between 0 and 1, squared or not. After a move that passes
the turn, the mover's win probability is 1 minus the win probability of the player then to move. So
values are reflected at 1/2, not negated, and the constant term counts when moves that pass the turn
are compared with moves that do not.

A file is an ``.npz`` archive of NumPy arrays. ``header`` holds the bytes of a JSON object. The
weights of `urcx.agents.networks.Network`, by name, are 16-bit multiples of a power of 1/2 or 32-bit
floats. Nothing in a file is ever unpickled, and everything is checked before use.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import warnings
import zipfile
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from urcx.agents.levels import Leaves, Values, ranking_for
from urcx.agents.network_kernels import (
    DIRECT,
    LAST_BIAS,
    LAST_SHIFT,
    LOGIT,
    MEN,
    MOST_LOGIT,
    NUMBERS,
    OPEN,
    PATH,
    SCRATCH,
    SECOND_SHIFT,
    SQUARED,
    STEPS,
    UNIT,
    VALUE,
    WON,
    NetworkArrays,
    fill_values,
)
from urcx.agents.network_tree_kernels import COLUMNS, NetworkPolicy, TreePlan
from urcx.agents.search import Lookahead, weighted
from urcx.engine.files.sealed import Members, read_json
from urcx.engine.files.writing import atomic_file
from urcx.engine.move_kernels import GUARDS, SHARED
from urcx.engine.moves import tables
from urcx.errors import (
    OutOfDomainError,
    TablebaseError,
    UnusableFileError,
    UrcxError,
    UsageError,
)
from urcx.reading import as_path, open_regular
from urcx.rules.model import RuleSet, unknown_flag
from urcx.solving.files.header import describe_rules, rules_of

ACTIVATIONS = ("clipped", "squared")
INPUTS = PATH_ONLY, AHEAD = "path", "path+threats"
INT16, INT32 = 2**15 - 1, 2**31 - 1


Floats = NDArray[np.float32]


def open_steps(rules: RuleSet) -> int:
    """Return a mask of the steps on which a piece can be captured: bit s - 1 for step s."""
    ways = tables(rules).ways
    return int(ways[0, SHARED] & ~ways[0, GUARDS])


def by_steps(rules: RuleSet) -> bool:
    """Return whether every enemy piece a roll's steps behind captures a piece on an open step.

    This holds if no path crosses a tile twice, and each shared tile is on the same step of both.
    """
    light, dark = rules.path.light, rules.path.dark
    once = all(len({*way}) == len(way) for way in (light, dark))
    same = all(light.index(tile) == dark.index(tile) for tile in {*light} & {*dark})
    return once and same and not unknown_flag(rules)


def number_of_inputs(rules: RuleSet, inputs: str = PATH_ONLY) -> int:
    """Return the number of a network's inputs, of the kind ``path`` or ``path+threats``."""
    ahead = 2 * open_steps(rules).bit_count() if inputs == AHEAD else 0
    return 2 * rules.path.length + 4 * (rules.pieces + 1) + ahead


def chances_of_rolls(rules: RuleSet) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the rolls that move pieces, and their probabilities in units of 2^-12."""
    moving = [
        (roll, round(chance * (1 << UNIT))) for roll, chance in rules.dice.items() if roll > 0
    ]
    return (
        np.array([roll for roll, _ in moving], np.int64),
        np.array([chance for _, chance in moving], np.int32),
    )


def number_of_moves(rules: RuleSet) -> int:
    """Return the number of outputs of a policy head: a piece's step for each roll above 0."""
    return max(rules.dice.rolls) * (rules.path.length + 1)


@dataclass(frozen=True, eq=False)
class Network:
    """A network for one rule set, with weights as 32-bit floats.

    Attributes
    ----------
    rules : RuleSet
        The rule set, with the same path for both sides.
    first : ndarray of float32, shape (inputs, units)
        The weights of the first hidden layer, with ``first_bias``, shape (units,).
    second : ndarray of float32, shape (units, later units)
        The weights of the second hidden layer, with ``second_bias``. Without this layer there are 0
        later units.
    last : ndarray of float32
        The weights of the output, one for each unit of the last hidden layer. ``last_bias`` is a
        number.
    activation : str
        ``clipped``: min(max(x, 0), 1), or ``squared``: the square of this.
    card : dict
        How the network was trained, as written by the training. JSON types only.
    policy : ndarray of float32, shape (last hidden units, highest roll * (L + 1)), optional
        The weights of a second output, with ``policy_bias``. Output (roll - 1) * (L + 1) + step is
        the logit of moving the piece on a step, 0 for the pool. Playing does not use it.
    inputs : str
        ``path``, or ``path+threats``, which look one roll ahead.
    """

    rules: RuleSet
    first: Floats
    first_bias: Floats
    second: Floats
    second_bias: Floats
    last: Floats
    last_bias: float
    activation: str = "squared"
    card: dict[str, Any] = field(default_factory=dict)
    policy: Floats | None = None
    policy_bias: Floats | None = None
    inputs: str = PATH_ONLY

    def __post_init__(self) -> None:
        if not self.rules.path.symmetric:
            raise OutOfDomainError(
                f"path {self.rules.path.name}: networks need the same path for both sides"
            )

    @property
    def parameters(self) -> int:
        """Return the number of weights and biases that playing uses."""
        arrays = (self.first, self.first_bias, self.second, self.second_bias, self.last)
        return sum(array.size for array in arrays) + 1


@lru_cache(maxsize=1)
def _logistic() -> NDArray[np.int64]:
    """Return 2 p - 1 at each tabulated logit, in units of 2^-VALUE, below that of a win."""
    size = (MOST_LOGIT << STEPS) + 1
    most = (1 << VALUE) - 1
    values = [min(round(math.tanh(k / 2 / (1 << STEPS)) * (1 << VALUE)), most) for k in range(size)]
    table = np.array(values, np.int64)
    table.setflags(write=False)
    return table


def network_arrays(network: Network) -> NetworkArrays:
    """Return a network in fixed point for the kernels, and for one thread.

    Raises
    ------
    UsageError
        If weights are too large for fixed point.
    """
    first, first_bias = (_fixed(x, UNIT, INT32) for x in (network.first, network.first_bias))
    reach = np.abs(first).sum(axis=0, dtype=np.int64) + np.abs(first_bias)
    # The product of an input, at most 1, and a weight must fit as well.
    ahead = first[number_of_inputs(network.rules) :]
    if reach.max(initial=0) > INT32 or np.abs(ahead).max(initial=0) > INT32 >> UNIT:
        raise UsageError("the network's weights are too large to play in fixed point")
    second_shift = _shift(network.second, network.second_bias)
    second = _fixed(network.second.T, second_shift, INT32)
    last_bias = np.array([network.last_bias], np.float32)
    last_shift = max(_shift(network.last[:, None], last_bias), LOGIT - UNIT)
    numbers = np.zeros(NUMBERS, np.int64)
    numbers[PATH] = network.rules.path.length
    numbers[MEN] = network.rules.pieces
    numbers[SQUARED] = network.activation == "squared"
    numbers[SECOND_SHIFT], numbers[LAST_SHIFT] = second_shift, last_shift
    numbers[LAST_BIAS] = round(float(network.last_bias) * 2.0 ** (UNIT + last_shift))
    if network.inputs == AHEAD:
        numbers[OPEN] = open_steps(network.rules)
    numbers[DIRECT] = by_steps(network.rules)
    rolls, chances = chances_of_rolls(network.rules)
    return NetworkArrays(
        numbers,
        first,
        first_bias,
        second.astype(np.int16) if np.abs(second).max(initial=0) <= INT16 else second,
        _fixed(network.second_bias, UNIT + second_shift, INT32),
        _fixed(network.last, last_shift, INT32),
        _logistic(),
        tables(network.rules).ways,
        rolls,
        chances,
        np.zeros(int(numbers[OPEN]).bit_count(), np.int32),
        np.zeros(len(first_bias), np.int32),
        np.zeros(len(first_bias), np.int16),
        np.zeros(network.second.shape[1], np.int32),
    )


def _fixed(weights: Floats, shift: int, most: int) -> NDArray[np.int32]:
    """Return weights in units of 2^-shift."""
    fixed = np.rint(weights.astype(np.float64) * 2.0**shift)
    if not np.abs(fixed).max(initial=0) <= most:  # NaN fails too
        raise UsageError("the network's weights are too large to play in fixed point")
    return np.ascontiguousarray(fixed.astype(np.int32))


def _shift(weights: Floats, bias: Floats) -> int:
    """Return the finest scale, as a power of 1/2, in which the sum of any unit fits 32 bits."""
    reach = (np.abs(weights).sum(axis=0, dtype=np.float64) + np.abs(bias)).max(initial=0.0)
    for shift in range(UNIT, -1, -1):
        if (reach + len(weights) * 2.0**-shift) * 2.0 ** (UNIT + shift) < INT32:
            return shift
    raise UsageError("the network's weights are too large to play in fixed point")


def network_lookahead(rules: RuleSet, depth: int) -> Lookahead:
    """Return the look-ahead of a network's agent, with leaf values in units of 2^-24.

    Raises
    ------
    UsageError, TooLargeError
        Like `urcx.agents.search.lookahead`.
    """
    return weighted(rules, depth, WON, WON + 1)


def network_policy(network: Network, rules: RuleSet, look: Lookahead, ties: int) -> NetworkPolicy:
    """Return the policy that searches the tree of each position, for one thread."""
    frames = np.zeros((len(look.scales), COLUMNS), np.int64)
    arrays = tables(rules)
    plan = TreePlan(arrays.rolls, look.weights, look.scales, frames)
    return NetworkPolicy(ties, arrays.ways, network_arrays(network), plan)


def network_digest(network: Network) -> str:
    """Return a hash of a network's arrays in fixed point, which determine its values."""
    arrays = network_arrays(network)
    hasher = hashlib.sha256()
    for name in NetworkArrays._fields:
        if name not in SCRATCH:
            array = getattr(arrays, name)
            hasher.update(f"{name} {array.dtype.str} {array.shape} ".encode())
            hasher.update(array.tobytes())
    return hasher.hexdigest()


def network_leaves(network: Network, rules: RuleSet, threads: int) -> Leaves:
    """Return a function that writes a network's values (`urcx.agents.levels.last_level`)."""
    ways, table = tables(rules).ways, ranking_for(rules).arrays
    nets = [network_arrays(network) for _ in range(threads)]

    def write(thread: int, first: int, last: int, out: Values) -> None:
        fill_values(ways, table, nets[thread], first, last, out)

    return write


KIND = "urcx network"
FORMAT = 1
SUFFIX = ".npz"
INT16 = 2**15 - 1
MAX_UNITS = 4096
MAX_BYTES = 1 << 28  # of a file's arrays
WEIGHTS = ("first", "first_bias", "second", "second_bias", "last", "last_bias")
ARRAYS = (*WEIGHTS, "policy", "policy_bias")
SHIPPED = Path(__file__).parent / "data" / "learned"


def write_network(network: Network, file: str | Path) -> None:
    """Write a network to a file, which appears only when it is complete.

    Weights are written as 16-bit multiples of a power of 1/2 for each array, because playing needs
    no more precision.

    Raises
    ------
    UsageError
        If weights are not finite.
    UrcxError
        If the file cannot be written.
    """
    file = as_path(file)
    arrays: dict[str, NDArray[Any]] = {}
    shifts: dict[str, int] = {}
    for name in ARRAYS:
        weights = getattr(network, name)
        if weights is None:
            continue
        weights = np.atleast_1d(np.asarray(weights, np.float32))
        if not np.isfinite(weights).all():
            raise UsageError(f"the network's array {name} has infinities or NaN")
        largest = float(np.abs(weights).max(initial=0.0))
        shift = UNIT
        while shift > -UNIT and round(largest * 2.0**shift) > INT16:
            shift -= 1
        shifts[name] = shift
        arrays[name] = np.rint(weights * 2.0**shift).astype("<i2")
    header = {
        "kind": KIND,
        "format": FORMAT,
        "rules": describe_rules(network.rules),
        "inputs": network.inputs,
        "activation": network.activation,
        "shifts": shifts,
        "card": network.card,
    }
    text = json.dumps(header, sort_keys=True).encode()
    arrays = {"header": np.frombuffer(text, np.uint8), **arrays}
    with atomic_file(file, "wb") as stream:
        _write_arrays(stream, arrays)


def _write_arrays(stream: BinaryIO, arrays: dict[str, NDArray[Any]]) -> None:
    """Write an archive as NumPy does. The same arrays give the same bytes."""
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            data = io.BytesIO()
            np.lib.format.write_array(data, array, allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), data.getvalue(), zipfile.ZIP_DEFLATED)


def read_network(file: str | Path) -> Network:
    """Return the network in a file.

    Weights may be 16-bit integers with a power of 1/2 for each array, as `write_network` writes
    them, or 32-bit floats.

    Raises
    ------
    UnusableFileError
        If the file cannot be opened, or is not a network of this format.
    TablebaseError
        If the file is damaged, or has infinities, NaN or shapes that do not fit.
    """
    return read_with_size(file)[0]


def read_with_size(file: str | Path) -> tuple[Network, int]:
    """Return the network in a file, and the size of the weights that play, uncompressed, in bytes.

    The errors are the same as in `read_network`.
    """
    file = as_path(file)
    arrays = _arrays(file)
    stored = sum(int(arrays[name].nbytes) for name in WEIGHTS)
    return _network_of(file, arrays), stored


def _network_of(file: Path, arrays: dict[str, NDArray[Any]]) -> Network:
    """Return the network from a file's arrays, after checking them."""
    header = read_json(arrays.pop("header").tobytes(), f"{file}: the header")
    if header.text("kind") != KIND or header.whole("format", 0, 10**6) != FORMAT:
        raise UnusableFileError(f"{file} is not a network that this version of urcx can read")
    rules = rules_of(header.inside("rules"))
    if not rules.path.symmetric:
        raise TablebaseError(f"{file} has a path that differs between the sides")
    activation = header.choice("activation", ACTIVATIONS)
    seen = header.choice("inputs", INPUTS) if "inputs" in header.members else PATH_ONLY
    shifts = header.inside("shifts")
    weights = {name: _weights(file, name, array, shifts) for name, array in arrays.items()}
    inputs, moves = number_of_inputs(rules, seen), number_of_moves(rules)
    units = weights["first_bias"].size
    later = weights["second_bias"].size
    shapes: dict[str, tuple[int, ...]] = {
        "first": (inputs, units),
        "first_bias": (units,),
        "second": (units, later),
        "second_bias": (later,),
        "last": (later or units,),
        "last_bias": (1,),
        "policy": (later or units, moves),
        "policy_bias": (moves,),
    }
    for name, array in weights.items():
        if array.shape != shapes[name] or not 1 <= units <= MAX_UNITS or later > MAX_UNITS:
            raise TablebaseError(
                f"{file}: the array {name} has the shape {array.shape}, which does not fit a "
                f"network of {rules.full_name}"
            )
    parameters: dict[str, Any] = {**weights, "last_bias": float(weights["last_bias"][0])}
    card = header.inside("card").members
    network = Network(rules, activation=activation, card=card, inputs=seen, **parameters)
    try:
        network_arrays(network)
    except UsageError as error:
        raise TablebaseError(f"{file}: {error}") from None
    return network


def _arrays(file: Path) -> dict[str, NDArray[Any]]:
    """Return the arrays of an archive by name, after checking names, types and sizes."""
    try:
        with open_regular(file) as stream:
            data = stream.read() if file.stat().st_size <= MAX_BYTES else b""
    except OSError as error:
        raise UnusableFileError(f"{file} cannot be opened: {error.strerror}") from None
    try:
        result = _unpacked(file, data)
    except UrcxError:
        raise
    except Exception as error:  # from the archive, the decompressor or Python's parser
        if data[:2] != b"PK":
            raise UnusableFileError(f"{file} is not a network of urcx") from None
        raise TablebaseError(f"{file} is damaged: its arrays cannot be unpacked") from error
    if not {"header", *WEIGHTS} <= result.keys() or result["header"].dtype != np.uint8:
        raise UnusableFileError(f"{file} is not a network of urcx")
    return result


def _unpacked(file: Path, data: bytes) -> dict[str, NDArray[Any]]:
    """Return the arrays of an archive. A damaged archive raises exceptions of any kind."""
    names = {"header", *ARRAYS}
    result: dict[str, NDArray[Any]] = {}
    with warnings.catch_warnings(), zipfile.ZipFile(io.BytesIO(data)) as archive:
        warnings.simplefilter("ignore")  # NumPy warns about array headers that it repairs
        for item in archive.infolist():
            name = item.filename.removesuffix(".npy")
            if name not in names or name in result or item.file_size > MAX_BYTES:
                raise UnusableFileError(f"{file} is not a network of urcx")
            with archive.open(item) as stream:
                result[name] = np.lib.format.read_array(stream, allow_pickle=False)
    return result


def _weights(file: Path, name: str, array: NDArray[Any], shifts: Members) -> Floats:
    """Return a file's array as 32-bit floats, or raise `TablebaseError` for other types."""
    if array.dtype == np.dtype("<i2"):
        return (array * 2.0 ** -shifts.whole(name, -UNIT, UNIT)).astype(np.float32)
    if array.dtype != np.dtype("<f4"):
        raise TablebaseError(
            f"{file}: the array {name} must have type <i2 or <f4, not {array.dtype}"
        )
    if not np.isfinite(array).all():
        raise TablebaseError(f"{file}: the array {name} has infinities or NaN")
    return np.ascontiguousarray(array)


def shipped(rules: RuleSet) -> Network:
    """Return the network that comes with urcx for a rule set.

    Raises
    ------
    UsageError
        If urcx has no network for the rule set.
    """
    if (network := network_in(SHIPPED, rules)) is not None:
        return network
    names = ", ".join(file.stem for file in sorted(SHIPPED.glob(f"*{SUFFIX}"))) or "none"
    raise UsageError(
        f"urcx has no network of {rules.full_name}, only of {names}. Train one with urcx train td "
        f"--rules {rules.name} -p {rules.pieces} --yes -o FILE.npz, and play it as net:FILE.npz"
    )


def has_shipped(rules: RuleSet) -> bool:
    """Return whether a network of a rule set comes with urcx."""
    return network_in(SHIPPED, rules) is not None


def shipped_file(rules: RuleSet) -> Path:
    """Return the file for a rule set's network that comes with urcx."""
    return _file_in(SHIPPED, rules)


def _file_in(directory: Path, rules: RuleSet) -> Path:
    """Return a rule set's file in a directory, preferring one for its number of pieces."""
    own = directory / f"{rules.name}-{rules.pieces}{SUFFIX}"
    return own if own.exists() else directory / f"{rules.name}{SUFFIX}"


def network_in(directory: Path, rules: RuleSet) -> Network | None:
    """Return the network of a rule set in a directory, or None."""
    file = _file_in(directory, rules)
    network = read_network(file) if file.exists() else None
    return network if network and network.rules.plays_like(rules) else None
