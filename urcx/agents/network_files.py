"""Files that hold networks, and those that come with urcx.

A file is an ``.npz`` archive of NumPy arrays: ``header``, the bytes of a JSON object, and the
weights of `urcx.agents.networks.Network` by name, as 16-bit multiples of a power of 1/2 or as
32-bit floats. Nothing in it is ever unpickled, and everything is checked before use.
"""

from __future__ import annotations

import io
import json
import warnings
import zipfile
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from urcx.agents.network_kernels import UNIT
from urcx.agents.networks import (
    ACTIVATIONS,
    INPUTS,
    PATH_ONLY,
    Floats,
    Network,
    network_arrays,
    number_of_inputs,
    number_of_moves,
)
from urcx.engine.files.sealed import Members, read_json
from urcx.engine.files.writing import atomic_file
from urcx.errors import (
    TablebaseError,
    UnusableFileError,
    UrcxError,
    UsageError,
)
from urcx.reading import named, open_regular
from urcx.rules.model import RuleSet
from urcx.solving.files.header import describe_rules, rules_of

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

    Weights are written as 16-bit multiples of a power of 1/2 for each array, so that the file holds
    no more than what plays.

    Raises
    ------
    UsageError
        If weights are not finite.
    UrcxError
        If the file cannot be written.
    """
    file = named(file)
    arrays: dict[str, NDArray[Any]] = {}
    shifts: dict[str, int] = {}
    for name in ARRAYS:
        weights = getattr(network, name)
        if weights is None:
            continue
        weights = np.atleast_1d(np.asarray(weights, np.float32))
        if not np.isfinite(weights).all():
            raise UsageError(f"the network's array {name} has values that are not finite")
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
    """Write an archive as NumPy does; the same arrays give the same bytes."""
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
        If the file cannot be opened or is no network of this format.
    TablebaseError
        If it is damaged, or has values that are not finite or shapes that do not fit.
    """
    return read_with_size(file)[0]


def read_with_size(file: str | Path) -> tuple[Network, int]:
    """Return the network in a file, and the bytes of what plays, as they are before compression.

    Raises what `read_network` does.
    """
    file = named(file)
    arrays = _arrays(file)
    stored = sum(int(arrays[name].nbytes) for name in WEIGHTS)
    return _network_of(file, arrays), stored


def _network_of(file: Path, arrays: dict[str, NDArray[Any]]) -> Network:
    """Return the network that a file's arrays are of, after checking them."""
    header = read_json(arrays.pop("header").tobytes(), f"{file}: the header")
    if header.text("kind") != KIND or header.whole("format", 0, 10**6) != FORMAT:
        raise UnusableFileError(f"{file} is not a network that this version of urcx reads")
    rules = rules_of(header.inside("rules"))
    if not rules.path.symmetric:
        raise TablebaseError(f"{file} is of a path that is not alike for both sides")
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
                f"{file}: the array {name} has the shape {array.shape}, which fits no network of "
                f"{rules.name} with {rules.pieces} pieces"
            )
    made: dict[str, Any] = {**weights, "last_bias": float(weights["last_bias"][0])}
    card = header.inside("card").members
    network = Network(rules, activation=activation, card=card, inputs=seen, **made)
    try:
        network_arrays(network)
    except UsageError as error:
        raise TablebaseError(f"{file}: {error}") from None
    return network


def _arrays(file: Path) -> dict[str, NDArray[Any]]:
    """Return the arrays of an archive, by name, after checking names, types and sizes."""
    try:
        with open_regular(file) as stream:
            data = stream.read() if file.stat().st_size <= MAX_BYTES else b""
    except OSError as error:
        raise UnusableFileError(f"{file} cannot be opened: {error.strerror}") from None
    try:
        found = _unpacked(file, data)
    except UrcxError:
        raise
    except Exception as error:  # of the archive, of what unpacks it, of Python's own parser
        if data[:2] != b"PK":
            raise UnusableFileError(f"{file} is not a network of urcx") from None
        raise TablebaseError(f"{file} is damaged") from error
    if not {"header", *WEIGHTS} <= found.keys() or found["header"].dtype != np.uint8:
        raise UnusableFileError(f"{file} is not a network of urcx")
    return found


def _unpacked(file: Path, data: bytes) -> dict[str, NDArray[Any]]:
    """Return the arrays of an archive; what damage to it raises is of any kind."""
    known = {"header", *ARRAYS}
    found: dict[str, NDArray[Any]] = {}
    with warnings.catch_warnings(), zipfile.ZipFile(io.BytesIO(data)) as archive:
        warnings.simplefilter("ignore")  # NumPy's, of array headers that it mends
        for item in archive.infolist():
            name = item.filename.removesuffix(".npy")
            if name not in known or name in found or item.file_size > MAX_BYTES:
                raise UnusableFileError(f"{file} is not a network of urcx")
            with archive.open(item) as stream:
                found[name] = np.lib.format.read_array(stream, allow_pickle=False)
    return found


def _weights(file: Path, name: str, array: NDArray[Any], shifts: Members) -> Floats:
    """Return an array of a file as 32-bit floats; raises `TablebaseError` if it holds others."""
    if array.dtype == np.dtype("<i2"):
        return (array * 2.0 ** -shifts.whole(name, -UNIT, UNIT)).astype(np.float32)
    if array.dtype != np.dtype("<f4"):
        raise TablebaseError(f"{file}: the array {name} is of type {array.dtype}, not <i2 or <f4")
    if not np.isfinite(array).all():
        raise TablebaseError(f"{file}: the array {name} has values that are not finite")
    return np.ascontiguousarray(array)


def shipped(rules: RuleSet) -> Network:
    """Return the network of a rule set that comes with urcx.

    Raises
    ------
    UsageError
        If there is none.
    """
    if (network := network_in(SHIPPED, rules)) is not None:
        return network
    names = ", ".join(file.stem for file in sorted(SHIPPED.glob(f"*{SUFFIX}"))) or "none"
    raise UsageError(
        f"no network of {rules.name} with {rules.pieces} pieces comes with urcx (there are: "
        f"{names}); train one: urcx train td --rules {rules.name} -p {rules.pieces} --yes -o "
        "FILE.npz, and play it as net:FILE.npz"
    )


def has_shipped(rules: RuleSet) -> bool:
    """Return whether a network of a rule set comes with urcx."""
    return network_in(SHIPPED, rules) is not None


def shipped_file(rules: RuleSet) -> Path:
    """Return the file that a rule set's network would come in."""
    return _file_in(SHIPPED, rules)


def _file_in(directory: Path, rules: RuleSet) -> Path:
    """Return a rule set's file in a directory: that for its number of pieces, if there is one."""
    own = directory / f"{rules.name}-{rules.pieces}{SUFFIX}"
    return own if own.exists() else directory / f"{rules.name}{SUFFIX}"


def network_in(directory: Path, rules: RuleSet) -> Network | None:
    """Return the network of a rule set in a directory, if there is one."""
    file = _file_in(directory, rules)
    network = read_network(file) if file.exists() else None
    return network if network and network.rules.plays_like(rules) else None
