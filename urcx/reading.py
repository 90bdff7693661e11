"""Open files for reading, both files of users and files of urcx. No other module opens files."""

from __future__ import annotations

import errno
import json
import os
import sys
import tomllib
from collections.abc import Sequence
from contextvars import ContextVar
from importlib import resources
from math import isinf
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from urcx.errors import UnusableFileError, WrongObjectError, printable, quoted

STDIN = "-"
MOST_DIGITS = 18  # of an integer in JSON, to fit into 64 bits
NO_FILE = "it is not a regular file"
# The definitions of paths and rules that a command has read, by name: the text of users' files, and
# rules that are stored in other files. The command's result includes them.
TEXTS: ContextVar[dict[str, str] | None] = ContextVar("texts", default=None)


def split_names(text: str) -> list[str]:
    """Split a list at its commas, except at commas in the name of an existing file."""
    parts, result = text.split(","), []
    while parts:
        lengths = (k for k in range(len(parts), 1, -1) if _in_one_file(",".join(parts[:k])))
        count = next(lengths, 1)
        result.append(",".join(parts[:count]).strip())
        del parts[:count]
    return result


def _in_one_file(text: str) -> bool:
    """Return whether all commas of the text for an agent or entry are in one file's name."""
    fields = text.strip().split(":")
    names = (":".join(fields[k:end]) for end in range(len(fields) + 1) for k in range(end))
    # Path.is_file raises if a name is too long.
    return any(name.count(",") == text.count(",") and os.path.isfile(name) for name in names)  # noqa: PTH113


def as_path(file: str | os.PathLike[str]) -> Path:
    """Return a file name as a path.

    Raises
    ------
    UnusableFileError
        If no file can have this name. Python itself would raise a bare `ValueError`.
    UsageError
        If ``file`` has another type.
    """
    if not isinstance(file, str | os.PathLike):
        raise WrongObjectError("file", Path, file, "a file name")
    try:
        possible = b"\0" not in os.fsencode(file)
    except UnicodeEncodeError:
        possible = False
    if not possible:
        raise UnusableFileError(f"{printable(str(file))}: a file cannot have such a name")
    return Path(file)


def as_paths(files: str | Path | Sequence[str | Path]) -> list[Path]:
    """Return the paths of one file name or several. Raises like `as_path`."""
    if isinstance(files, Sequence) and not isinstance(files, str | bytes):
        return [as_path(file) for file in files]
    return [as_path(files)]


def open_regular(file: str | os.PathLike[str]) -> BinaryIO:
    """Open a regular file for reading.

    A pipe is refused, because opening one waits for a writer. A device is refused, because it has
    no size.

    Raises
    ------
    UnusableFileError
        If no file can have this name.
    OSError
        If the file cannot be opened or is not regular.
    """
    path = as_path(file)
    if path.exists() and not path.is_file() and not path.is_dir():
        raise OSError(errno.EINVAL, NO_FILE)
    return path.open("rb")


def read_bytes(file: str | os.PathLike[str], most: int) -> bytes:
    """Return the first bytes of a file, or of standard input for ``-``. ``most`` limits them.

    Raises
    ------
    UnusableFileError
        If no file can have this name, or the file cannot be read or is not regular.
    """
    try:
        if str(as_path(file)) == STDIN:
            return _standard_input(most)
        with open_regular(file) as stream:
            return stream.read(most)
    except OSError as error:
        reason = error.strerror or str(error)
        reason += f". To read from a pipe, write {STDIN}" if reason == NO_FILE else ""
        raise UnusableFileError(f"cannot read {file}: {reason}") from None


def _standard_input(most: int) -> bytes:
    if sys.stdin is None:
        raise OSError(errno.EBADF, "standard input is closed")
    stream = getattr(sys.stdin, "buffer", None)
    return sys.stdin.read(most).encode() if stream is None else stream.read(most)


def parse_json(data: bytes | str) -> Any:
    """Return the value of a JSON text, without the parts that readers interpret differently.

    Raises
    ------
    ValueError
        If the text is not JSON in UTF-8, is nested too deeply, has a name twice in an object, a
        number that is infinite or too long, or half of a surrogate pair.
    """
    try:
        text = data if isinstance(data, str) else data.decode("utf-8")
        value = DECODER.decode(text)
        json.dumps(value, ensure_ascii=False).encode()  # fails for half a surrogate pair
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except UnicodeError:
        raise ValueError("it is not UTF-8") from None
    return value


def _unique_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for name, value in pairs:
        if name in members:
            raise ValueError(f"{quoted(name)} is there twice")
        members[name] = value
    return members


def _integer(text: str) -> int:
    if len(text) > MOST_DIGITS:
        raise ValueError(f"a number has more than {MOST_DIGITS} digits")
    return int(text)


def _float(text: str) -> float:
    if isinf(number := float(text)):
        raise ValueError("a number is too large")
    return number


def _refuse_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a JSON number")


DECODER = json.JSONDecoder(
    object_pairs_hook=_unique_members,
    parse_int=_integer,
    parse_float=_float,
    parse_constant=_refuse_constant,
)


def install_command(extra: str) -> str:
    """Return the command that installs an extra from the source of this installation.

    The source is the index, a directory (``.`` if it is the current one), an archive or a
    repository, as recorded in ``direct_url.json``.
    """
    from importlib import metadata
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    try:
        origin = parse_json(metadata.distribution("urcx").read_text("direct_url.json") or "{}")
    except (metadata.PackageNotFoundError, ValueError):
        origin = {}
    url, package = origin.get("url", ""), Path(__file__).parents[1]
    checkout = (package / "pyproject.toml").is_file()
    if not checkout and not origin:
        return f"pip install 'urcx[{extra}]'"
    if not checkout and "dir_info" not in origin:
        kind = origin.get("vcs_info", {}).get("vcs")
        return f"pip install 'urcx[{extra}] @ {kind + '+' if kind else ''}{url}'"
    directory = package if checkout else Path(url2pathname(urlsplit(url).path))
    place = "." if _is_current(directory) else directory
    return f"pip install {'-e ' if checkout else ''}'{place}[{extra}]'"


def _is_current(directory: Path) -> bool:
    try:
        return directory.samefile(Path())
    except OSError:
        return False


def package_text(name: str) -> str:
    """Return the text of a file that comes with urcx, such as ``rules/data/dice.toml``."""
    return resources.files("urcx").joinpath(name).read_text("utf-8")


def package_toml(name: str) -> dict[str, Any]:
    """Return the contents of a TOML file that comes with urcx."""
    return tomllib.loads(package_text(name))
