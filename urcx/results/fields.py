"""The fields of a result, each declared once for JSON, CSV, tables and documentation.

A `Field` declares its name in JSON and CSV, its heading in a table, the format of its value in each
(`Format`), and its description. `Fields` are the fields of one object, such as a row: they make its
JSON object, its CSV row and its table row. ``docs/pages.py`` makes the lists of fields in
``docs/formats.rst`` from the fields of every result. A table with an irregular structure is better
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


def _text(value: Any) -> str:
    """Return the value as text. A text keeps its tone."""
    return value if isinstance(value, str) else str(value)


@dataclass(frozen=True)
class Format:
    """The format of a value: as a table cell, as JSON members, as CSV columns.

    ``json`` consists of pairs: a suffix for the field's key, and a function that returns this
    member's value. Nearly always it is one pair, without suffix. ``csv`` is the same for CSV, if
    CSV differs. A value of None is None in both, and ``none`` in a table. ``whole`` marks integers
    that JSON has as strings.
    """

    cell: Callable[[Any], str] = _text
    json: tuple[Part, ...] = (("", unchanged),)
    csv: tuple[Part, ...] | None = None
    none: str = ""
    whole: bool = False

    @property
    def columns(self) -> tuple[Part, ...]:
        """Return the suffixes and functions of the CSV columns."""
        return self.json if self.csv is None else self.csv


def decimals(digits: int, *, none: str = "") -> Format:
    """Return the format of numbers that a table rounds to ``digits`` decimals."""
    return Format(f"{{:.{digits}f}}".format, none=none)


def percents_of(digits: int = 2, *, none: str = "") -> Format:
    """Return the format of shares and probabilities: in percent in a table, such as ``51.86 %``."""
    return Format(lambda share: f"{share:.{digits}%}".replace("%", " %"), none=none)


PLAIN = Format()  # strings, and small integers such as a depth
TEXT = Format(json=(("", str),))  # for an object with a text, such as a position
COUNT = Format(
    number, (("", every_digit),), whole=True
)  # a string in JSON, because some readers round large integers
FRACTION = Format(fraction, (("", str), ("_decimal", float)))  # exact, and as a float
# A pair in JSON, two columns in CSV.
INTERVAL = Format(csv=(("_low", lambda pair: pair[0]), ("_high", lambda pair: pair[1])))


@dataclass(frozen=True)
class Field:
    """One field of a result.

    Write it in the annotation of an attribute, or above a property's function, once for each field
    that shows the value. `fields_of` collects the fields::

        wins: Annotated[float, Field("light wins", percents_of(), "light's win probability")]

        @property
        @Field("losses", decimals(4), "games lost", after="wins")
        def losses(self) -> float: ...

    Parameters
    ----------
    heading
        The heading in a table, or the label where a table lists names and values: a `Column`, or
        a title, with ``<`` in front for text. A field without heading is only in JSON and CSV.
    kind, about
        The format of the value, and its description in the documentation. The description has
        ``(bound)`` or ``(estimate)`` where the fields of a result differ in this respect.
    key
        The name in JSON and CSV, by default the attribute's name. Outside of annotations a field
        without a key is only in tables.
    of
        The value: the name of an attribute (``side.wins``) or a function of the item. By default it
        is the attribute with the key's name, or without a key the item itself. In an annotation,
        ``of`` applies to the attribute's value, unless that value is None.
    after
        For a property, the attribute or property before it. By default the property comes last.
    """

    heading: str | Column = ""
    kind: Format = PLAIN
    about: str = ""
    key: str = ""
    of: str | Callable[[Any], Any] = ""
    after: str = ""

    def __call__(self, function: F) -> F:
        """Attach this field to a property's function."""
        vars(function).setdefault("fields", []).insert(0, self)
        return function

    def at(self, name: str) -> Field:
        """Return this field for the attribute of the given name."""
        get = attrgetter(self.of) if isinstance(self.of, str) and self.of else self.of

        def value(item: Any) -> Any:
            attribute = getattr(item, name)
            return get(attribute) if get and attribute is not None else attribute

        return replace(self, key=self.key or name, of=value)

    @cached_property
    def value(self) -> Callable[[Any], Any]:
        """Return the function that reads the field's value from an item."""
        if callable(self.of):
            return self.of
        name = self.of or self.key
        return attrgetter(name) if name else unchanged

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the field's names in JSON."""
        return tuple(self.key + suffix for suffix, _ in self.kind.json) if self.key else ()

    @property
    def title(self) -> str:
        """Return the text of the heading."""
        heading = self.heading
        return heading.title if isinstance(heading, Column) else heading.removeprefix("<")

    def record(self, item: Any, *, flat: bool = False) -> dict[str, Any]:
        """Return the field's members in an item's JSON object, or if ``flat`` in its CSV row."""
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

    The parts are fields, the fields of another object, or functions that return fields. Functions
    are called on first use, so a program that prints few results collects few fields.
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
        """Return the field with a key, or, if fields have no key, with a heading."""
        for item in self:
            if name == (item.key or item.title):
                return item
        raise KeyError(name)

    def pick(self, *names: str) -> Fields:
        """Return the fields of these names, in this order."""
        return Fields(lambda: [self[name] for name in names])

    def without(self, *names: str) -> Fields:
        """Return all fields except these."""
        return Fields(lambda: [item for item in self if (item.key or item.title) not in names])

    def inside(self, name: str) -> Fields:
        """Return the fields for the object in an attribute of an item, unless it is None."""
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
        return [field.cell(item) for field in self if field.heading]

    def table(self, title: str, items: Iterable[Any], notes: Sequence[str] = ()) -> Table:
        """Return a table with a row for each item."""
        return Table(title, self.columns, [self.cells(item) for item in items], notes)

    def listed(self, title: str, item: Any, notes: Sequence[str] = ()) -> Table:
        """Return a table with two columns: the headings of an item's fields, and their values."""
        return Table(title, ["<", "<"], self.lines(item), notes)

    def lines(self, item: Any) -> list[list[str]]:
        """Return rows of two cells: the heading of a field, and its value in the item."""
        return [[field.title, field.cell(item)] for field in self if field.heading]


@cache
def fields_of(item: type) -> Fields:
    """Return the fields of a class, from its attributes and properties.

    Declare a constant that all results share as a ``ClassVar``. A string in an attribute's
    annotation describes an attribute that is not shown, or only in parts. Annotations are read on
    first use of the fields.
    """
    return Fields(lambda: _collect_fields(item))


def annotated_attributes(item: type) -> Iterator[tuple[str, Any, bool]]:
    """Yield a class's annotated attributes: name, annotation, and whether it is a constant."""
    # If the class's names were the locals, annotations would not see functions of the module.
    for name, hint in get_type_hints(item, localns={}, include_extras=True).items():
        constant = get_origin(hint) is ClassVar
        inner = get_args(hint)[0] if constant else hint
        if hasattr(inner, "__metadata__"):
            yield name, inner, constant


def _collect_fields(item: type) -> list[Field]:
    collected: list[tuple[str, Field]] = []

    def put(name: str, metadata: Iterable[Any]) -> None:
        for field in metadata:
            if isinstance(field, Field):
                names = [collected_name for collected_name, _ in collected]
                after = name if name in names else field.after
                place = len(names) - names[::-1].index(after) if after else len(names)
                collected.insert(place, (name, field.at(name)))

    for name, inner, _ in annotated_attributes(item):
        put(name, inner.__metadata__)
    for base in reversed(item.__mro__):
        for name, member in vars(base).items():
            put(name, getattr(_getter(member), "fields", ()))
    return [field for _, field in collected]


def _getter(member: Any) -> Any:
    """Return the function of a property, or None for anything else."""
    if isinstance(member, property):
        return member.fget
    return member.func if isinstance(member, cached_property) else None


@cache
def item_class(owner: type, name: str) -> type:
    """Return the class of the items in a list, which is an attribute, a property or the tuple."""
    if issubclass(owner, tuple) and name == "rows":
        hint = owner.__orig_bases__[0]  # type: ignore[attr-defined] # of a generic class
    else:
        get = _getter(getattr(owner, name, None))
        hint = get_type_hints(get)["return"] if get else get_type_hints(owner, localns={})[name]
    item: type = get_args(hint)[0]
    return item


def column(heading: str | Column, cell: Callable[[Any], str]) -> Field:
    """Return a field for tables only, whose cells a function of the item returns."""
    return Field(heading, Format(cell))


# The first members of many results, which have ``rules``.
RULES = Fields(
    Field(about="name of the rule set", key="rules", of="rules.name"),
    Field(about="pieces per side", key="pieces", of="rules.pieces"),
)
