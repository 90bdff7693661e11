"""Compare the JSON of commands with the schemas that results declare."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from urcx.results.result import Result


def members(result: dict[str, Any], place: str) -> Iterator[set[str]]:
    """Yield the members of each object that stands at a place of a JSON object."""
    items: list[Any] = [result]
    for step in place.split(".") if place else ():
        items = [
            value
            for item in items
            if isinstance(item, dict)
            for value in (item.values() if step.isupper() else [item.get(step)])
        ]
        items = [one for item in items for one in (item if isinstance(item, list) else [item])]
    return (set(item) for item in items if isinstance(item, dict))


def assert_members(schema: type[Result], result: list[dict[str, Any]]) -> None:
    """Assert that JSON objects together have the members that a schema declares, and no others."""
    parts = schema.members()
    tops = {place.split(".")[0] for place in parts if place}
    for place, fields in parts.items():
        declared = {key for field in fields for key in field.keys}
        seen = set().union(*(one for item in result for one in members(item, place)))
        inner = {p.rpartition(".")[2] for p in parts if p.rpartition(".")[0] == place}
        if not place:
            assert {item.pop("schema") for item in result} == {schema.schema}
            seen -= {"schema", "version", "provenance"} | tops
            declared -= tops
        assert seen - inner == declared - inner, place
