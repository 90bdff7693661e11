"""A field, declared once, in JSON, in CSV, in tables and in the documentation."""

from __future__ import annotations

import json
from fractions import Fraction
from types import SimpleNamespace
from typing import Annotated, NamedTuple

import pages
import pytest

from urcx.results.fields import (
    COUNT,
    FRACTION,
    INTERVAL,
    TEXT,
    Field,
    Fields,
    Format,
    column,
    decimals,
    percents_of,
)
from urcx.results.result import Rows
from urcx.results.tables import Column
from urcx.rules.position import Position

ITEM = SimpleNamespace(
    name="one",
    size=10**22,
    share=Fraction(1, 3),
    chance=0.25,
    ci95=(0.125, 0.5),
    gone=None,
    side=SimpleNamespace(wins=0.5),
    first=Position(),
)
ALL = Fields(
    Field("<name", about="what it is called", key="name"),
    Field("size", COUNT, "how many", key="size"),
    Field("part", FRACTION, "which part", key="share"),
    Field(Column("chance", secondary=True), percents_of(1), "how likely (bound)", key="chance"),
    Field(kind=INTERVAL, about="its interval", key="ci95"),
    Field("wins", decimals(2), "how often it wins", of="side.wins", key="wins"),
    Field("gone", decimals(2, none="-"), "what there is not", key="gone"),
    Field(kind=TEXT, about="where it begins", key="first"),
    Field(about="of all of it", key="exactness", of=lambda _: "exact"),
    column("twice", lambda item: item.name * 2),
)


class Half(NamedTuple):
    wins: Annotated[float, Field("wins", about="how often it wins")]


class Two(Rows[Half]):
    name: Annotated[str, Field(about="its name")]


def test_json_has_every_key_in_order_and_counts_as_texts() -> None:
    assert json.dumps(ALL.record(ITEM)) == (
        '{"name": "one", "size": "10000000000000000000000", "share": "1/3", '
        '"share_decimal": 0.3333333333333333, "chance": 0.25, "ci95": [0.125, 0.5], "wins": 0.5, '
        '"gone": null, "first": "-/-/0-0/L", "exactness": "exact"}'
    )


def test_csv_has_an_interval_in_two_columns() -> None:
    row = ALL.flat(ITEM)
    assert (row["ci95_low"], row["ci95_high"]) == (0.125, 0.5)
    assert list(row) == [
        *("name", "size", "share", "share_decimal", "chance", "ci95_low", "ci95_high"),
        *("wins", "gone", "first", "exactness"),
    ]
    nothing = SimpleNamespace(ci95=None)
    assert ALL.pick("ci95").flat(nothing) == {"ci95_low": None, "ci95_high": None}
    assert ALL.pick("ci95").record(nothing) == {"ci95": None}


def test_a_table_has_what_has_a_heading() -> None:
    table = ALL.table("All", [ITEM], ["a note"])
    assert [head.title for head in table.heads] == [
        *("name", "size", "part", "chance", "wins", "gone", "twice"),
    ]
    assert table.heads[0].text
    assert table.heads[3].secondary
    assert table.rows == [["one", "1.0e22", "1/3", "25.0 %", "0.50", "-", "oneone"]]
    assert table.notes == ["a note"]


def test_a_list_has_headings_before_values() -> None:
    assert ALL.pick("size", "name").lines(ITEM) == [["size", "1.0e22"], ["name", "one"]]


def test_some_fields_in_another_order() -> None:
    some = ALL.pick("twice", "wins", "name")
    assert some.columns == ["twice", "wins", "<name"]
    assert some.cells(ITEM) == ["oneone", "0.50", "one"]
    assert [one.key for one in ALL.without("size", "share", "twice")] == [
        *("name", "chance", "ci95", "wins", "gone", "first", "exactness"),
    ]
    with pytest.raises(KeyError, match="nothing"):
        list(ALL.pick("nothing"))


def test_cells_as_a_function_says() -> None:
    field = Field("odds", Format(lambda value: f"1 in {1 / value:.0f}"), key="chance")
    assert field.cell(ITEM) == "1 in 4"
    assert field.record(ITEM) == {"chance": 0.25}


def test_an_object_has_its_members_and_then_its_lists() -> None:
    assert Two((Half(0.5), Half(0.25)), name="one").document() == {
        "name": "one",
        "rows": [{"wins": 0.5}, {"wins": 0.25}],
    }


def test_the_documentation_has_every_member_of_every_schema() -> None:
    text = pages.members_list()
    assert pages.schemas()
    for schema in pages.schemas():
        when = f", {schema.when}" if schema.when else ""
        assert f"\n``{schema.schema}``{when}\n" in f"\n{text}"
        for place, fields in schema.members().items():
            for one in fields:
                assert not one.keys or one.about, f"{schema.schema} {place}: say what {one.key} is"
                assert all(f"``{key}``" in text for key in one.keys)


def test_a_line_of_the_documentation(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = {"": ALL.pick("share", "twice"), "rows": ALL.pick("chance"), "by.NAME": Fields()}
    schema = SimpleNamespace(schema="urcx.none/1", when="", members=lambda: parts)
    monkeypatch.setattr(pages, "schemas", lambda: [schema])
    assert pages.members_list().splitlines() == [
        "``urcx.none/1``",
        "    * ``share``, ``share_decimal``: which part",
        "",
        "    In ``rows``:",
        "",
        "    * ``chance``: how likely (bound)",
        "",
        "    In ``by``, by name:",
        "",
        "",
    ]


def test_nothing_is_said_of_what_is_not_there() -> None:
    assert Field("gone", Format(), key="gone").cell(ITEM) == ""
    assert Field("gone", COUNT, key="gone").record(ITEM) == {"gone": None}
