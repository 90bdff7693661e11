"""What a result consists of: each field is declared once, for JSON, CSV, tables and documentation.

A `Field` declares its name in JSON and CSV, its heading in a table, how its value is written in
each (`Format`), and its description. `Fields` are those of one object, such as a row: they make its
JSON object, its CSV row and its table row. ``docs/pages.py`` makes the lists of members in
``docs/formats.rst`` from those of every result. A table with an irregular structure is better
written out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from operator import attrgetter
from typing import Any, ClassVar, TypeVar, get_args, get_origin, get_type_hints

from urcx.results.fractions import fraction
from urcx.results.numbers import every_digit, number
from urcx.results.tables import Column, Table

Part = tuple[str, Callable[[Any], Any]]
F = TypeVar("F", bound=Callable[..., Any])


def unchanged(value: Any) -> Any:
    """Return the value unchanged, for JSON."""
    return value


@dataclass(frozen=True)
class Format:
    """How a value is written: as a table cell, as JSON members, as CSV columns.

    ``json`` are pairs of a suffix to the field's key and a function that gives this member's value;
    nearly always one pair, without suffix. ``csv`` are the same for CSV, if it differs. A value of
    None is None in both, and ``none`` in a table. ``whole`` says that JSON's texts are whole
    numbers.
    """

    cell: Callable[[Any], str] = str
    json: tuple[Part, ...] = (("", unchanged),)
    csv: tuple[Part, ...] | None = None
    none: str = ""
    whole: bool = False

    @property
    def columns(self) -> tuple[Part, ...]:
        """Return the columns of CSV."""
        return self.json if self.csv is None else self.csv


def decimals(digits: int, *, none: str = "") -> Format:
    """Return the kind of numbers that a table rounds to a number of decimals."""
    return Format(f"{{:.{digits}f}}".format, none=none)


def percents_of(digits: int = 2, *, none: str = "") -> Format:
    """Return the kind of shares, which a table shows in percent with a number of decimals."""
    return Format(f"{{:.{digits}%}}".format, none=none)


PLAIN = Format()  # texts, and small whole numbers such as a depth
TEXT = Format(json=(("", str),))  # of an object that is not text itself, such as a position
COUNT = Format(
    number, (("", every_digit),), whole=True
)  # a text in JSON, so that no reader rounds it
FRACTION = Format(fraction, (("", str), ("_decimal", float)))  # exactly, with a number beside it
# A pair in JSON, two columns in CSV.
INTERVAL = Format(csv=(("_low", lambda pair: pair[0]), ("_high", lambda pair: pair[1])))


@dataclass(frozen=True)
class Field:
    """One field of a result.

    It stands in the annotation of an attribute, or above a property's function, once for each field
    that shows it; `fields_of` collects it::

        wins: Annotated[float, Field("light wins", percents_of(4), "how likely light wins")]

        @property
        @Field("losses", decimals(4), "games lost", after="wins")
        def losses(self) -> float: ...

    Parameters
    ----------
    heading
        Its heading in a table, or its label where a table lists names and values: a `Column`, or
        its title with ``<`` in front for text. A field without one is only in JSON and CSV.
    kind, about
        How its value is written, and its description in the documentation. This says ``(bound)`` or
        ``(estimate)`` where the fields of a result differ in it.
    key
        The name in JSON and CSV, by default the attribute's. Outside of annotations a field without
        a key is only in tables.
    of
        The value: the name of an attribute (``side.wins``) or a function of the item, by default
        the attribute with the key's name, or without a key the item itself. In an annotation it is
        of the attribute's value, unless that is None.
    after
        For a property, the attribute or property behind which it stands; by default it is last.
    """

    heading: str | Column = ""
    kind: Format = PLAIN
    about: str = ""
    key: str = ""
    of: str | Callable[[Any], Any] = ""
    after: str = ""

    def __call__(self, function: F) -> F:
        """Give a property's function this field."""
        vars(function).setdefault("fields", []).insert(0, self)
        return function

    def at(self, name: str) -> Field:
        """Return the field as it shows the attribute of this name."""
        get = attrgetter(self.of) if isinstance(self.of, str) and self.of else self.of

        def value(item: Any) -> Any:
            held = getattr(item, name)
            return get(held) if get and held is not None else held

        return replace(self, key=self.key or name, of=value)

    @cached_property
    def value(self) -> Callable[[Any], Any]:
        """Return the function that gives the field's value in an item."""
        if callable(self.of):
            return self.of
        name = self.of or self.key
        return attrgetter(name) if name else unchanged

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the names of its members in JSON."""
        return tuple(self.key + suffix for suffix, _ in self.kind.json) if self.key else ()

    @property
    def title(self) -> str:
        """Return the heading's text."""
        heading = self.heading
        return heading.title if isinstance(heading, Column) else heading.removeprefix("<")

    def record(self, item: Any, *, flat: bool = False) -> dict[str, Any]:
        """Return the field's members in an item's JSON object, or ``flat`` in its row of CSV."""
        if not self.key:
            return {}
        value, parts = self.value(item), self.kind.columns if flat else self.kind.json
        return {self.key + end: None if value is None else part(value) for end, part in parts}

    def cell(self, item: Any) -> str:
        """Return the field's text in a table."""
        value = self.value(item)
        return self.kind.none if value is None else self.kind.cell(value)


class Fields:
    """The fields of one object, in the order of JSON and CSV.

    They are given one by one, or as those of another object, or by a function that is called when
    they are first needed: a program that shows few results collects few fields.
    """

    def __init__(self, *parts: Field | Fields | Callable[[], Iterable[Field]]) -> None:
        self._parts = parts

    @cached_property
    def _fields(self) -> tuple[Field, ...]:
        fields: list[Field] = []
        for part in self._parts:
            if isinstance(part, Field):
                fields.append(part)
            else:
                fields += part if isinstance(part, Fields) else part()
        return tuple(fields)

    def __iter__(self) -> Iterator[Field]:
        return iter(self._fields)

    def __add__(self, other: Fields) -> Fields:
        return Fields(self, other)

    def __getitem__(self, name: str) -> Field:
        """Return the field with a key, or, without one, with a heading."""
        for item in self:
            if name == (item.key or item.title):
                return item
        raise KeyError(name)

    def pick(self, *names: str) -> Fields:
        """Return some of the fields, in this order."""
        return Fields(lambda: [self[name] for name in names])

    def without(self, *names: str) -> Fields:
        """Return all fields but some."""
        return Fields(lambda: [item for item in self if (item.key or item.title) not in names])

    def inside(self, name: str) -> Fields:
        """Return the fields of what an attribute of an item holds, if it is not None."""
        return Fields(lambda: (replace(field, of=field.value).at(name) for field in self))

    # --- for programs

    def record(self, item: Any) -> dict[str, Any]:
        """Return an item as a JSON object."""
        return {key: value for field in self for key, value in field.record(item).items()}

    def records(self, items: Iterable[Any]) -> list[dict[str, Any]]:
        """Return items as JSON objects."""
        return [self.record(item) for item in items]

    @property
    def names(self) -> list[str]:
        """Return the columns of CSV."""
        return [item.key + end for item in self if item.key for end, _ in item.kind.columns]

    def flat(self, item: Any) -> dict[str, Any]:
        """Return an item as a row of CSV."""
        return {k: value for field in self for k, value in field.record(item, flat=True).items()}

    # --- for people

    @property
    def columns(self) -> list[str | Column]:
        """Return the columns of a table."""
        return [item.heading for item in self if item.heading]

    def cells(self, item: Any) -> list[str]:
        """Return an item's row of a table, a cell for each of the `columns`."""
        return [one.cell(item) for one in self if one.heading]

    def table(self, title: str, items: Iterable[Any], notes: Sequence[str] = ()) -> Table:
        """Return a table with a row for each item."""
        return Table(title, self.columns, [self.cells(item) for item in items], notes)

    def listed(self, title: str, item: Any, notes: Sequence[str] = ()) -> Table:
        """Return a table with the headings of an item's fields and their values, one a row."""
        return Table(title, ["<", "<"], self.lines(item), notes)

    def lines(self, item: Any) -> list[list[str]]:
        """Return headings with an item's values, one pair a row."""
        return [[one.title, one.cell(item)] for one in self if one.heading]


@cache
def fields_of(item: type) -> Fields:
    """Return the fields of a class: those of its attributes and properties.

    A constant that all results share is a ``ClassVar``. A text in an attribute's annotation
    describes one that is not shown, or is shown in parts. Annotations are read when fields are.
    """
    return Fields(lambda: _collected(item))


def annotated_attributes(item: type) -> Iterator[tuple[str, Any, bool]]:
    """Yield a class's annotated attributes: name, annotation, and whether it is a constant."""
    # With names of the class as locals, functions in annotations would not see the module's.
    for name, hint in get_type_hints(item, localns={}, include_extras=True).items():
        constant = get_origin(hint) is ClassVar
        inner = get_args(hint)[0] if constant else hint
        if hasattr(inner, "__metadata__"):
            yield name, inner, constant


def _collected(item: type) -> list[Field]:
    collected: list[tuple[str, Field]] = []

    def put(name: str, metadata: Iterable[Any]) -> None:
        for field in metadata:
            if isinstance(field, Field):
                names = [known for known, _ in collected]
                after = name if name in names else field.after
                place = len(names) - names[::-1].index(after) if after else len(names)
                collected.insert(place, (name, field.at(name)))

    for name, inner, _ in annotated_attributes(item):
        put(name, inner.__metadata__)
    for base in reversed(item.__mro__):
        for name, made in vars(base).items():
            put(name, getattr(_getter(made), "fields", ()))
    return [field for _, field in collected]


def _getter(made: Any) -> Any:
    """Return the function of a property, None of anything else."""
    if isinstance(made, property):
        return made.fget
    return made.func if isinstance(made, cached_property) else None


@cache
def item_class(owner: type, name: str) -> type:
    """Return the class of the items of a list, an attribute or a property, or the tuple itself."""
    if issubclass(owner, tuple) and name == "rows":
        hint = owner.__orig_bases__[0]  # type: ignore[attr-defined] # of a generic class
    else:
        get = _getter(getattr(owner, name, None))
        hint = get_type_hints(get)["return"] if get else get_type_hints(owner, localns={})[name]
    item: type = get_args(hint)[0]
    return item


def column(heading: str | Column, cell: Callable[[Any], str]) -> Field:
    """Return a field that is only in tables, whose cells are given by a function of the item."""
    return Field(heading, Format(cell))


# The first members of many results, which have ``rules``.
RULES = Fields(
    Field(about="name of the rule set", key="rules", of="rules.name"),
    Field(about="pieces a side", key="pieces", of="rules.pieces"),
)
