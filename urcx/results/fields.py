"""What a result consists of: each field is declared once, for JSON, CSV, tables and documentation.

A `Field` declares its name in JSON and CSV, its heading in a table, how its value is written in
each (`Kind`), and its description. `Fields` are those of one object, such as a row: they make its
JSON object, its CSV row and its table row. A `Schema` describes the whole JSON object of a command;
``docs/pages.py`` makes the lists of members in ``docs/formats.rst`` from it.

A field without a key is only in tables, one without a heading only in JSON and CSV. A table with an
irregular structure is better written out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from operator import attrgetter
from typing import Any, ClassVar, TypeVar, get_args, get_origin, get_type_hints

from urcx.results.fractions import fraction
from urcx.results.numbers import every_digit, number
from urcx.results.tables import Column, Table

Part = tuple[str, Callable[[Any], Any]]
F = TypeVar("F", bound=Callable[..., Any])


def itself(value: Any) -> Any:
    """Return the value unchanged, for JSON."""
    return value


@dataclass(frozen=True)
class Kind:
    """How a value is written: as a table cell, as JSON members, as CSV columns.

    ``json`` are pairs of a suffix to the field's key and a function that gives this member's value;
    nearly always one pair, without suffix. ``csv`` are the same for CSV, if it differs. A value of
    None is None in both, and ``none`` in a table. ``whole`` says that JSON's texts are whole
    numbers.
    """

    cell: Callable[[Any], str] = str
    json: tuple[Part, ...] = (("", itself),)
    csv: tuple[Part, ...] | None = None
    none: str = ""
    whole: bool = False

    @property
    def columns(self) -> tuple[Part, ...]:
        """Return the columns of CSV."""
        return self.json if self.csv is None else self.csv


def _signs(spec: str, *, none: str = "") -> Kind:
    return Kind(lambda value: format(value, spec), none=none)


def decimals(digits: int, *, none: str = "") -> Kind:
    """Return the kind of numbers that a table rounds to a number of decimals."""
    return _signs(f".{digits}f", none=none)


def percents_of(digits: int = 2, *, none: str = "") -> Kind:
    """Return the kind of shares, which a table shows in percent with a number of decimals."""
    return _signs(f".{digits}%", none=none)


def shown_as(cell: Callable[[Any], str], *, none: str = "") -> Kind:
    """Return the kind of values that JSON has unchanged, and a table as a function writes them."""
    return Kind(cell, none=none)


PLAIN = Kind()  # texts, and small whole numbers such as a depth
TEXT = Kind(json=(("", str),))  # of an object that is not text itself, such as a position
COUNT = Kind(
    number, (("", every_digit),), whole=True
)  # a text in JSON, so that no reader rounds it
FRACTION = Kind(fraction, (("", str), ("_decimal", float)))  # exactly, with a number beside it
# A pair in JSON, two columns in CSV.
INTERVAL = Kind(csv=(("_low", lambda pair: pair[0]), ("_high", lambda pair: pair[1])))


@dataclass(frozen=True)
class Field:
    """One field of a result.

    ``key`` is its name in JSON and CSV, ``heading`` its heading in a table, or its label where a
    table lists names and values: a `Column`, or its title with ``<`` in front for text. ``about``
    is its description in the documentation. ``of`` gives the value: the name of an attribute
    (``side.wins``) or a function of the item; the default is the attribute with the key's name, and
    for a field without a key the item itself. ``exactness`` is ``exact``, ``bound`` or ``estimate``
    if the fields of a result differ in it. What `member` returns knows its attribute only once
    `fields_of` has found it there, and ``after`` which other it stands.
    """

    key: str = ""
    heading: str | Column = ""
    kind: Kind = PLAIN
    about: str = ""
    of: str | Callable[[Any], Any] = ""
    exactness: str = ""
    after: str = ""

    def __call__(self, function: F) -> F:
        """Give a property's function this field, which shows it."""
        vars(function).setdefault("members", []).insert(0, self)
        return function

    def at(self, name: str) -> Field:
        """Return the field as it shows the attribute of this name."""
        get = attrgetter(self.of) if isinstance(self.of, str) and self.of else self.of

        def value(item: Any) -> Any:
            found = getattr(item, name)
            return get(found) if get and found is not None else found

        return replace(self, key=self.key or name, of=value)

    @cached_property
    def value(self) -> Callable[[Any], Any]:
        """Return the function that gives the field's value in an item."""
        if callable(self.of):
            return self.of
        name = self.of or self.key
        return attrgetter(name) if name else itself

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the names of its members in JSON."""
        return tuple(self.key + suffix for suffix, _ in self.kind.json) if self.key else ()

    @property
    def title(self) -> str:
        """Return the heading's text."""
        heading = self.heading
        return heading.title if isinstance(heading, Column) else heading.removeprefix("<")

    def json(self, item: Any) -> dict[str, Any]:
        """Return the field's members in an item's JSON object."""
        return self._written(item, self.kind.json)

    def csv(self, item: Any) -> dict[str, Any]:
        """Return the field's columns in an item's row of CSV."""
        return self._written(item, self.kind.columns)

    def cell(self, item: Any) -> str:
        """Return the field's text in a table."""
        value = self.value(item)
        return self.kind.none if value is None else self.kind.cell(value)

    def _written(self, item: Any, parts: Sequence[Part]) -> dict[str, Any]:
        if not self.key:
            return {}
        value = self.value(item)
        return {self.key + end: None if value is None else part(value) for end, part in parts}


def member(
    heading: str | Column = "",
    kind: Kind = PLAIN,
    about: str = "",
    *,
    key: str = "",
    of: str | Callable[[Any], Any] = "",
    exactness: str = "",
    after: str = "",
) -> Field:
    """Return the field that shows the attribute or property at which it stands.

    It stands where that is declared, once for each field that shows it; `fields_of` collects it::

        wins: Annotated[float, member("light wins", percents_of(4), "how likely light wins")]

        @property
        @member("losses", decimals(4), "games lost", after="wins")
        def losses(self) -> float: ...

    Parameters
    ----------
    heading, kind, about, exactness
        As in `Field`.
    key
        The name in JSON and CSV, by default the attribute's.
    of
        What of the attribute's value is shown, unless it is None: the name of an attribute of it,
        or a function.
    after
        For a property, the attribute or property behind which it stands; by default it is last.
    """
    return Field(key, heading, kind, about, of, exactness, after)


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
        for one in self:
            if name == (one.key or one.title):
                return one
        raise KeyError(name)

    def pick(self, *names: str) -> Fields:
        """Return some of the fields, in this order."""
        return Fields(lambda: [self[name] for name in names])

    def without(self, *names: str) -> Fields:
        """Return all fields but some."""
        return Fields(lambda: [one for one in self if (one.key or one.title) not in names])

    def headed(self, headings: Mapping[str, str | Column]) -> Fields:
        """Return the fields, some of them with other headings."""
        return Fields(
            lambda: [replace(f, heading=headings.get(f.key, f.heading)) for f in self],
        )

    def inside(self, name: str) -> Fields:
        """Return the fields of what an attribute of an item holds, if it is not None."""

        def within(one: Field) -> Field:
            def value(item: Any) -> Any:
                held = getattr(item, name)
                return None if held is None else one.value(held)

            return replace(one, of=value)

        return Fields(lambda: map(within, self))

    # --- for programs

    def record(self, item: Any) -> dict[str, Any]:
        """Return an item as a JSON object."""
        return {key: value for one in self for key, value in one.json(item).items()}

    def records(self, items: Iterable[Any]) -> list[dict[str, Any]]:
        """Return items as JSON objects."""
        return [self.record(item) for item in items]

    @property
    def names(self) -> list[str]:
        """Return the columns of CSV."""
        return [one.key + end for one in self if one.key for end, _ in one.kind.columns]

    def flat(self, item: Any) -> dict[str, Any]:
        """Return an item as a row of CSV."""
        return {key: value for one in self for key, value in one.csv(item).items()}

    # --- for people

    @property
    def columns(self) -> list[str | Column]:
        """Return the columns of a table."""
        return [one.heading for one in self if one.heading]

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
    """Return the fields of a class: what its attributes and properties say with `member`, in order.

    A constant that all results share is a ``ClassVar``. A text among an attribute's members
    describes one that is not shown, or is shown in parts. Annotations are read when fields are.
    """
    return Fields(lambda: _collected(item))


def annotated_attributes(item: type) -> Iterator[tuple[str, Any, bool]]:
    """Yield a class's annotated attributes: name, annotation, and whether it is a constant."""
    # With names of the class as locals, functions among the members would not see the module's.
    for name, hint in get_type_hints(item, localns={}, include_extras=True).items():
        constant = get_origin(hint) is ClassVar
        inner = get_args(hint)[0] if constant else hint
        if hasattr(inner, "__metadata__"):
            yield name, inner, constant


def _collected(item: type) -> list[Field]:
    found: list[tuple[str, Field]] = []

    def put(name: str, members: Iterable[Any]) -> None:
        for one in members:
            if isinstance(one, Field):
                names = [known for known, _ in found]
                after = name if name in names else one.after
                place = len(names) - names[::-1].index(after) if after else len(found)
                found.insert(place, (name, one.at(name)))

    for name, inner, _ in annotated_attributes(item):
        put(name, inner.__metadata__)
    for base in reversed(item.__mro__):
        for name, made in vars(base).items():
            if isinstance(made, property | cached_property):
                get = made.fget if isinstance(made, property) else made.func
                put(name, vars(get).get("members", ()))
    return [field for _, field in found]


@cache
def item_class(owner: type, name: str) -> type:
    """Return the class of the items of a list, an attribute or a property, or the tuple itself."""
    if issubclass(owner, tuple) and name == "rows":
        hint = owner.__orig_bases__[0]  # type: ignore[attr-defined] # of a generic class
    else:
        made = getattr(owner, name, None)
        get = made.fget if isinstance(made, property) else getattr(made, "func", None)
        hint = get_type_hints(get)["return"] if get else get_type_hints(owner, localns={})[name]
    found: type = get_args(hint)[0]
    return found


def column(heading: str | Column, cell: Callable[[Any], str]) -> Field:
    """Return a field that is only in tables, whose cells are given by a function of the item."""
    return Field("", heading, Kind(cell))


def always(key: str, value: Any, about: str) -> Field:
    """Return a member with the same value in every result."""
    return Field(key, about=about, of=lambda _: value)


# The first members of many results, which have ``rules``.
RULES = Fields(
    Field("rules", about="name of the rule set", of="rules.name"),
    Field("pieces", about="pieces a side", of="rules.pieces"),
)


@dataclass(frozen=True)
class Schema:
    """The members of a command's JSON object.

    ``name`` is ``urcx.perft/1`` or the like. ``parts`` are the fields by their place: those of the
    object itself under ``""``, those of each of its ``rows`` under ``rows``, and so on. A key that
    is itself a name or number in the result is written ``measures.NAME``. ``when`` names the option
    that gives these members, if a schema has several variants.
    """

    name: str
    parts: Mapping[str, Fields]
    when: str = ""

    def keys(self, part: str) -> list[str]:
        """Return the names of the members of a part."""
        return [key for one in self.parts[part] for key in one.keys]

    def data(self, item: Any, **lists: Iterable[Any]) -> dict[str, Any]:
        """Return the members of the object: the item's own, then the lists that follow."""
        own = self.parts[""].record(item)
        return own | {name: self.parts[name].records(items) for name, items in lists.items()}
