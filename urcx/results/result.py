"""The base class of the results of public functions: they print themselves and return columns.

Each result declares its own content (`urcx.results.fields`). Figures are made in a higher layer, by
`urcx.figure`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, is_dataclass
from importlib import import_module
from typing import Any, ClassVar, Literal, Self, TypeVar

from urcx.errors import UrcxError, check_name
from urcx.results.fields import Fields, fields_of, item_class
from urcx.results.html import html
from urcx.results.tables import Table
from urcx.results.writing import plain_text, terminal_text

T = TypeVar("T")

REMEDY = "call text(wide=True)"
LIBRARIES = ("pandas", "polars")  # in the order in which they are tried


class Result:
    """The result of a public function.

    A terminal prints it like the command of the same name, and a notebook shows a table. ``class
    Reach(Result, function="reach")`` names the public function that returns it.

    A class declares its ``schema``, such as ``urcx.reach/1``, and the attributes that are ``lists``
    of other objects. ``parts`` are the fields of other members of its JSON, or of lists whose items
    declare different fields. A key that is itself a name or number is written ``measures.NAME``.
    The first list contains the rows of JSON, CSV and the table. Everything else follows from the
    fields that the class declares (`urcx.results.fields`), and is made on demand.

    The ``answer`` is the sentence at the top, with the main number and its certainty. Below an
    answer only the first ``brief`` tables are shown, as far as a screen has room.
    """

    schema: ClassVar[str] = ""
    lists: ClassVar[tuple[str, ...]] = ()
    parts: ClassVar[Mapping[str, Fields]] = {}
    when: ClassVar[str] = ""  # the option that leads to this class, if its schema has several
    _function: ClassVar[str] = ""

    def __init_subclass__(cls, *, function: str = "", **more: Any) -> None:
        super().__init_subclass__(**more)
        if function:
            cls._function = function
        if "__repr__" not in cls.__dict__:
            cls.__repr__ = Result.__repr__  # type: ignore[method-assign] # or a dataclass adds its own
        if "__eq__" not in cls.__dict__ and not issubclass(cls, tuple):
            cls.__eq__ = results_equal  # type: ignore[method-assign] # like repr, same hash

    def __repr__(self) -> str:
        try:
            if sys.stdout is None or not sys.stdout.isatty():
                return plain_text(self.shown, remedy=REMEDY).rstrip("\n")
            return terminal_text(self.shown, REMEDY).rstrip("\n")
        except Exception as error:  # noqa: BLE001 - debuggers call this for unfinished objects
            return f"<{type(self).__name__}, which cannot be shown: {type(error).__name__}>"

    def _repr_html_(self) -> str | None:
        with suppress(Exception):
            return html(self.shown)
        return None  # the notebook shows the text

    @property
    def shown(self) -> Result:
        """Return the result to show instead of this one: itself, or another made from it."""
        return self

    # --- for programs

    @classmethod
    def members(cls) -> dict[str, Fields]:
        """Return the fields of the JSON object under ``""``, then the fields of its parts."""
        owner: type = cls
        items = [fields_of(item_class(owner, name)) for name in cls.lists]
        return {
            "": fields_of(owner),
            **dict(zip(cls._list_keys(), items, strict=True)),
            **cls.parts,
        }

    @classmethod
    def _list_keys(cls) -> tuple[str, ...]:
        return ("rows", *cls.lists[1:]) if cls.lists else ()

    def document(self) -> dict[str, Any]:
        """Return the members of the JSON object."""
        if self.shown is not self:
            return self.shown.document()
        members = self.members()
        return members[""].record(self) | {
            key: members[key].records(getattr(self, name))
            for key, name in zip(self._list_keys(), self.lists, strict=True)
        }

    def records(self) -> list[dict[str, Any]]:
        """Return the rows of CSV."""
        if self.shown is not self:
            return self.shown.records()
        members = self.members()
        if not self.lists:
            return [members[""].flat(self)]
        return [members["rows"].flat(item) for item in getattr(self, self.lists[0])]

    @property
    def row_fields(self) -> Fields:
        """Return the fields of the rows of CSV."""
        return self.members()["rows" if self.lists else ""]

    # --- for people

    @property
    def brief(self) -> int:
        """Return the number of tables that are shown with the answer."""
        return 1

    @property
    def answer(self) -> str:
        """Return the first sentence of the output."""
        return ""

    @property
    def body(self) -> str:
        """Return the free text above the tables, such as a board."""
        return ""

    @property
    def legend(self) -> Sequence[str]:
        """Return the notes on the table."""
        return ()

    def tables(self) -> list[Table]:
        """Return the tables of the usual output."""
        if self.shown is not self:
            return self.shown.tables()
        if not self.lists:
            return [self.members()[""].listed("", self, self.legend)]
        rows = getattr(self, self.lists[0])
        return [self.members()["rows"].table("", rows, self.legend)]

    def wide_tables(self) -> list[Table]:
        """Return the tables of the full output."""
        return self.tables()

    def text(self, *, wide: bool = False) -> str:
        """Return answer, text and tables as plain text. ``wide`` leaves nothing out."""
        return plain_text(self.shown, wide=wide, remedy=REMEDY)

    @property
    def latex(self) -> str:
        """Return the text for a paper."""
        return ""

    @property
    def terms(self) -> Sequence[int]:
        """Return the terms of a sequence for the OEIS, starting with a(0)."""
        return ()

    @property
    def remarks(self) -> Sequence[str]:
        """Return the remarks on the sequence."""
        return ()

    # --- for data frames

    def to_dict(self) -> dict[str, Any]:
        """Return the rows of the result as columns.

        Returns
        -------
        dict of str to numpy.ndarray
            One-dimensional arrays of equal length, with the names of ``--csv``. Counts are
            ``int64``, or Python integers if a count is larger or missing (None). Other numbers are
            ``float64`` if one of them is a fraction or missing (NaN), else ``int64``. Missing
            strings are empty. Exact fractions are strings such as ``1/16``.

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

        return columns(self.shown)

    def to_frame(self, library: Literal["pandas", "polars"] | None = None) -> Any:
        """Return the rows of the result as a data frame, with the columns of `to_dict`.

        All columns can be written to parquet. If a number has more than 64 bits, the column
        consists of strings with every digit, and the column ``NAME_decimal`` next to it of floats
        (infinite beyond 1e308).

        Parameters
        ----------
        library
            ``pandas`` or ``polars``, by default the installed library, pandas if both are.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame

        Raises
        ------
        UnknownNameError
            If the library has another name.
        UrcxError
            If the library is not installed, or neither is.

        Examples
        --------
        Without either library, `to_dict` returns the same columns as arrays:

        >>> import urcx
        >>> result = urcx.ssc("bell", 2, enumerate=False)
        >>> try:
        ...     names = list(result.to_frame().columns)
        ... except urcx.UrcxError:
        ...     names = list(result.to_dict())
        >>> names[:3]
        ['path', 'pieces', 'dark_pieces']
        """
        from urcx.results.columns import for_frame

        name, module = _import_library(library)
        return module.DataFrame(for_frame(self.to_dict(), name))


class Rows(Result, tuple[T, ...]):  # noqa: SLOT001 - it has attributes besides its items
    """A tuple of results that prints itself, with additional attributes ``about``.

    It is equal to a plain tuple of the same items, and can be used as a tuple.
    """

    lists: ClassVar[tuple[str, ...]] = ("rows",)

    def __new__(cls, items: Iterable[T] = (), **about: Any) -> Self:
        """Return the items as a tuple, with attributes."""
        rows = super().__new__(cls, tuple(items))
        rows.__dict__.update(about)
        return rows

    @property
    def rows(self) -> Self:
        """Return the items."""
        return self


def results_equal(result: object, other: object) -> bool:
    """Return whether two results are equal: the same class, with equal fields.

    Arrays are equal if all their items are. This also holds for arrays within dataclasses,
    dictionaries and tuples, for which ``==`` would fail.
    """
    if result is other or type(result) is not type(other):
        return result is other
    if is_dataclass(result) and not isinstance(result, type):
        names = [item.name for item in fields(result) if item.compare]
        return all(results_equal(getattr(result, name), getattr(other, name)) for name in names)
    if isinstance(result, dict) and isinstance(other, dict):
        return result.keys() == other.keys() and all(
            results_equal(result[key], other[key]) for key in result
        )
    if isinstance(result, tuple | list) and isinstance(other, tuple | list):
        return len(result) == len(other) and all(map(results_equal, result, other))
    if isinstance(result, Result) or getattr(result, "shape", ()) != getattr(other, "shape", ()):
        return False
    equal: Any = result == other
    return bool(equal.all() if hasattr(equal, "all") else equal)


class Columns:
    """A dataclass of arrays with a row each: equal if the arrays are, and with a short repr."""

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        cls.__eq__ = results_equal  # type: ignore[method-assign] # or a dataclass adds its own
        cls.__repr__ = Columns.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        names = [item.name for item in fields(self)]  # type: ignore[arg-type] # a dataclass
        return f"<{type(self).__name__} of {len(getattr(self, names[0]))}: {', '.join(names)}>"


@dataclass(frozen=True)
class Report(Result):
    """A result of ready-made parts, for commands without a public function.

    ``data`` are the members of the JSON object, and ``rows`` the flat rows for CSV. The tables
    ``listed`` and the free text ``body`` are for people.
    """

    schema: str = ""  # type: ignore[misc] # an attribute of each object here
    data: Mapping[str, Any] = field(default_factory=dict)
    rows: Sequence[Mapping[str, Any]] = ()
    listed: Sequence[Table] = ()
    body: str = ""
    answer: str = ""
    brief: int = 1
    terms: Sequence[int] = ()
    remarks: Sequence[str] = ()

    def document(self) -> dict[str, Any]:
        """Return the members of the JSON object."""
        return dict(self.data)

    def records(self) -> list[dict[str, Any]]:
        """Return the rows of CSV."""
        return [dict(row) for row in self.rows]

    def tables(self) -> list[Table]:
        """Return the tables of the usual output."""
        return list(self.listed)


def function_of(result: Result) -> str:
    """Return the name of the public function that returned a result, or "" if there is none."""
    return result._function  # noqa: SLF001 - declared by its class


def _import_library(library: str | None) -> tuple[str, Any]:
    """Return the name and the module of a library of data frames."""
    if library is not None:
        check_name("library", library, LIBRARIES)
    for name in LIBRARIES if library is None else (library,):
        with suppress(ModuleNotFoundError):
            return name, import_module(name)
    missing = "neither pandas nor polars is" if library is None else f"{library} is not"
    other = "" if library is None else f" (to_frame() also takes {' or '.join(LIBRARIES)})"
    raise UrcxError(f"{missing} installed{other}. to_dict() returns the columns as numpy arrays")
