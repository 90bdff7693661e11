"""The base of public functions' results: they show themselves, and give columns.

What is shown of a result is declared where the result is (`urcx.results.fields`). Figures are made
above, by `urcx.figure`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import Any, ClassVar, Literal, Self, TypeVar

from urcx.errors import UrcxError, check_name
from urcx.results.html import html
from urcx.results.layout import terminal_width, text_of
from urcx.results.report import Report
from urcx.results.wrapping import running, wrap

T = TypeVar("T")

REMEDY = "report().text(wide=True) shows all"
LIBRARIES = ("pandas", "polars")  # in the order in which they are tried


class Result:
    """The result of a public function.

    It shows itself in a terminal as the command of the same name does, and as a table in a
    notebook. ``class Reach(Result, function="reach")`` says which public function it comes from.
    """

    _function: ClassVar[str] = ""

    def __init_subclass__(cls, *, function: str = "", **more: Any) -> None:
        super().__init_subclass__(**more)
        if function:
            cls._function = function
        if "__repr__" not in cls.__dict__:
            cls.__repr__ = Result.__repr__  # type: ignore[method-assign] # or a dataclass adds its own
        if "__eq__" not in cls.__dict__ and not issubclass(cls, tuple):
            cls.__eq__ = same  # type: ignore[method-assign] # as with repr; hash is kept

    def __repr__(self) -> str:
        try:
            text = shown_text(self.report())
        except Exception as error:  # noqa: BLE001 - whatever is wrong: a debugger shows the object
            return f"<{type(self).__name__}, which cannot be shown: {type(error).__name__}>"
        return text

    def _repr_html_(self) -> str | None:
        with suppress(Exception):
            return self._html()
        return None  # the notebook takes the text

    def _html(self) -> str:
        return html(self.report())

    def report(self) -> Report:
        """Return the tables, JSON and CSV that the command of the same name prints."""
        raise AttributeError(f"{type(self).__name__} has no report")

    def rows_report(self) -> Report:
        """Return the report whose rows are those of `to_dict`."""
        return self.report()

    def to_dict(self) -> dict[str, Any]:
        """Return the rows of the result as columns.

        Returns
        -------
        dict of str to numpy.ndarray
            One-dimensional arrays of the same length, by the names that ``--csv`` has. Counts are
            ``int64``, or Python integers if one is larger than that or missing (None). Other
            numbers are ``float64`` if one is a fraction or missing (NaN), else ``int64``. Texts are
            empty where missing; exact fractions are texts such as ``1/16``.

        Examples
        --------
        >>> import urcx
        >>> columns = urcx.perft("finkel", 3).to_dict()
        >>> list(columns)
        ['depth', 'nodes', 'distinct', 'positions', 'growth']
        >>> columns["nodes"].tolist()
        [5, 28, 192]
        """
        from urcx.results.columns import columns

        return columns(self.rows_report())

    def to_frame(self, library: Literal["pandas", "polars"] | None = None) -> Any:
        """Return the rows of the result as a data frame, with the columns of `to_dict`.

        All columns can be written to parquet. Where a number has more than 64 bits, the column has
        texts with every digit, and ``NAME_decimal`` beside it floats (infinite beyond 1e308).

        Parameters
        ----------
        library
            ``pandas`` or ``polars``; by default the one that is installed, pandas if both are.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame

        Raises
        ------
        UnknownNameError
            If it is another library.
        UrcxError
            If it is not installed, or neither is.

        Examples
        --------
        Without either library, the same columns are to be had as arrays:

        >>> import urcx
        >>> found = urcx.ssc("bell", 2, enumerate=False)
        >>> try:
        ...     names = list(found.to_frame().columns)
        ... except urcx.UrcxError:
        ...     names = list(found.to_dict())
        >>> names[:3]
        ['path', 'pieces', 'dark_pieces']
        """
        from urcx.results.columns import for_frame

        name, module = _frames(library)
        return module.DataFrame(for_frame(self.to_dict(), name))


def shown_text(report: Report) -> str:
    """Return a report as the command line would print it: laid out if stdout is a terminal."""
    if sys.stdout is None or not sys.stdout.isatty():
        return report.text(remedy=REMEDY).rstrip("\n")
    width = terminal_width()
    lines = ["\n".join(wrap(report.answer, width)) + "\n"] if report.answer else []
    lines += [running(report.body, width)] if report.body else []
    return "\n".join([*lines, text_of(report.lines(width, remedy=REMEDY))]).rstrip("\n")


class Rows(Result, tuple[T, ...]):  # noqa: SLOT001 - it has attributes besides its items
    """A tuple of results that shows itself, with the further attributes ``about``.

    It is equal to a plain tuple of the same items, and can be used as one.
    """

    def __new__(cls, items: Iterable[T] = (), **about: Any) -> Self:
        """Return the items as a tuple, with attributes."""
        rows = super().__new__(cls, tuple(items))
        rows.__dict__.update(about)
        return rows


def same(one: object, other: object) -> bool:
    """Return whether two results are equal: of the same class, with equal fields.

    Arrays are equal if all their items are: those of dataclasses, dictionaries and tuples too, for
    which ``==`` would fail.
    """
    if one is other or type(one) is not type(other):
        return one is other
    if is_dataclass(one) and not isinstance(one, type):
        names = [field.name for field in fields(one) if field.compare]
        return all(same(getattr(one, name), getattr(other, name)) for name in names)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, tuple | list) and isinstance(other, tuple | list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, Result) or getattr(one, "shape", ()) != getattr(other, "shape", ()):
        return False
    found: Any = one == other
    return bool(found.all() if hasattr(found, "all") else found)


class Columns:
    """A dataclass of arrays with a row each: equal if they are, and short where it is shown."""

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        cls.__eq__ = same  # type: ignore[method-assign] # or a dataclass adds its own
        cls.__repr__ = Columns.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        names = [field.name for field in fields(self)]  # type: ignore[arg-type] # a dataclass
        return f"<{type(self).__name__} of {len(getattr(self, names[0]))}: {', '.join(names)}>"


def function_of(result: Result) -> str:
    """Return the name of the public function that a result comes from, empty if none."""
    return result._function  # noqa: SLF001 - said by its class


def _frames(library: str | None) -> tuple[str, Any]:
    """Return a library of data frames: its name and its module."""
    if library is not None:
        check_name("library", library, LIBRARIES)
    for name in LIBRARIES if library is None else (library,):
        with suppress(ModuleNotFoundError):
            return name, import_module(name)
    missing = "neither pandas nor polars is" if library is None else f"{library} is not"
    other = "" if library is None else f"; to_frame() also takes {' or '.join(LIBRARIES)}"
    raise UrcxError(f"{missing} installed{other}; to_dict() gives the same columns as numpy arrays")
