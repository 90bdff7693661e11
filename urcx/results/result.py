"""The base of public functions' results: they show themselves, and give columns.

What is shown of a result is declared where the result is (`urcx.results.fields`). Figures are made
above, by `urcx.figure`.
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

REMEDY = "text(wide=True) shows all"
LIBRARIES = ("pandas", "polars")  # in the order in which they are tried


class Result:
    """The result of a public function.

    It shows itself in a terminal as the command of the same name does, and as a table in a
    notebook. ``class Reach(Result, function="reach")`` says which public function it comes from.

    A class says its ``schema``, such as ``urcx.reach/1``, which attributes are ``lists`` of objects
    of their own, and the fields of further ``parts`` of its JSON, or of lists whose items declare
    others; a key that is itself a name or number is written ``measures.NAME``. The first list are
    the rows of JSON, of CSV and of the table. The rest follows from the fields that the class
    declares (`urcx.results.fields`), and is made when it is asked for.

    The result has an ``answer``, the sentence that is shown first, with the number that was asked
    for and how certain it is. With it only the first ``brief`` tables are shown, as far as a screen
    has room.
    """

    schema: ClassVar[str] = ""
    lists: ClassVar[tuple[str, ...]] = ()
    parts: ClassVar[Mapping[str, Fields]] = {}
    when: ClassVar[str] = ""  # the option that gives this result, if its schema has several
    _function: ClassVar[str] = ""

    def __init_subclass__(cls, *, function: str = "", **more: Any) -> None:
        super().__init_subclass__(**more)
        if function:
            cls._function = function
        if "__repr__" not in cls.__dict__:
            cls.__repr__ = Result.__repr__  # type: ignore[method-assign] # or a dataclass adds its own
        if "__eq__" not in cls.__dict__ and not issubclass(cls, tuple):
            cls.__eq__ = results_equal  # type: ignore[method-assign] # as with repr; hash is kept

    def __repr__(self) -> str:
        try:
            if sys.stdout is None or not sys.stdout.isatty():
                return plain_text(self.shown, remedy=REMEDY).rstrip("\n")
            return terminal_text(self.shown, REMEDY).rstrip("\n")
        except Exception as error:  # noqa: BLE001 - whatever is wrong: a debugger shows the object
            return f"<{type(self).__name__}, which cannot be shown: {type(error).__name__}>"

    def _repr_html_(self) -> str | None:
        with suppress(Exception):
            return html(self.shown)
        return None  # the notebook takes the text

    @property
    def shown(self) -> Result:
        """Return the result that shows this one: itself, or another that is made of it."""
        return self

    # --- for programs

    @classmethod
    def members(cls) -> dict[str, Fields]:
        """Return the members of the JSON object: its own under ``""``, then those of its parts."""
        own: type = cls
        items = [fields_of(item_class(own, name)) for name in cls.lists]
        return {"": fields_of(own), **dict(zip(cls._list_keys(), items, strict=True)), **cls.parts}

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
        """Return how many tables are shown with the answer."""
        return 1

    @property
    def answer(self) -> str:
        """Return the sentence that is shown first."""
        return ""

    @property
    def body(self) -> str:
        """Return the free text that is shown above the tables, such as a board."""
        return ""

    @property
    def legend(self) -> Sequence[str]:
        """Return the notes on the table."""
        return ()

    def tables(self) -> list[Table]:
        """Return the tables to be shown."""
        if self.shown is not self:
            return self.shown.tables()
        if not self.lists:
            return [self.members()[""].listed("", self, self.legend)]
        rows = getattr(self, self.lists[0])
        return [self.members()["rows"].table("", rows, self.legend)]

    def wide_tables(self) -> list[Table]:
        """Return the tables with all there is."""
        return self.tables()

    def text(self, *, wide: bool = False) -> str:
        """Return answer, text and tables as plain text; ``wide`` shows all of them."""
        return plain_text(self.shown, wide=wide, remedy=REMEDY)

    @property
    def latex(self) -> str:
        """Return the text to be put into a paper."""
        return ""

    @property
    def terms(self) -> Sequence[int]:
        """Return a sequence from a(0) on for the OEIS."""
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

        return columns(self.shown)

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


class Rows(Result, tuple[T, ...]):  # noqa: SLOT001 - it has attributes besides its items
    """A tuple of results that shows itself, with the further attributes ``about``.

    It is equal to a plain tuple of the same items, and can be used as one.
    """

    lists = ("rows",)

    def __new__(cls, items: Iterable[T] = (), **about: Any) -> Self:
        """Return the items as a tuple, with attributes."""
        rows = super().__new__(cls, tuple(items))
        rows.__dict__.update(about)
        return rows

    @property
    def rows(self) -> Self:
        """Return the items."""
        return self


def results_equal(one: object, other: object) -> bool:
    """Return whether two results are equal: of the same class, with equal fields.

    Arrays are equal if all their items are: those of dataclasses, dictionaries and tuples too, for
    which ``==`` would fail.
    """
    if one is other or type(one) is not type(other):
        return one is other
    if is_dataclass(one) and not isinstance(one, type):
        names = [item.name for item in fields(one) if item.compare]
        return all(results_equal(getattr(one, name), getattr(other, name)) for name in names)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(
            results_equal(one[key], other[key]) for key in one
        )
    if isinstance(one, tuple | list) and isinstance(other, tuple | list):
        return len(one) == len(other) and all(map(results_equal, one, other))
    if isinstance(one, Result) or getattr(one, "shape", ()) != getattr(other, "shape", ()):
        return False
    found: Any = one == other
    return bool(found.all() if hasattr(found, "all") else found)


class Columns:
    """A dataclass of arrays with a row each: equal if they are, and short where it is shown."""

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        cls.__eq__ = results_equal  # type: ignore[method-assign] # or a dataclass adds its own
        cls.__repr__ = Columns.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        names = [item.name for item in fields(self)]  # type: ignore[arg-type] # a dataclass
        return f"<{type(self).__name__} of {len(getattr(self, names[0]))}: {', '.join(names)}>"


@dataclass(frozen=True)
class Report(Result):
    """A result of parts that are there already: for what a command shows besides results.

    ``data`` are the members of the JSON object, ``rows`` flat rows for CSV, ``listed`` tables and
    the free text ``body`` are for people.
    """

    schema: str = ""  # type: ignore[misc] # of each object
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
        """Return the tables to be shown."""
        return list(self.listed)


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
