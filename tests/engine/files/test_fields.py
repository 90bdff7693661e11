"""JSON of files through one schema: what is right comes out, all else is one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from urcx.engine.files.fields import Members, read_json
from urcx.errors import TablebaseError, printable


def of(**members: Any) -> Members:
    return read_json(json.dumps(members).encode(), "x: the header")


def test_what_is_right_comes_out() -> None:
    found = of(n=3, x=0.5, y=1, t="text", c="b", f=False, s=[1, "a"], o={"n": 4}, i=[{"n": 5}])
    assert (found.whole("n", 0, 3), found.number("x", 0, 1), found.number("y", 0, 1)) == (3, 0.5, 1)
    assert (found.text("t"), found.choice("c", "abc"), found.flag("f")) == ("text", "b", False)
    assert found.several("s", 2, 2) == [1, "a"]
    assert found.inside("o").whole("n", 4, 4) == 4
    assert [each.whole("n", 5, 5) for each in found.items("i", 0, 1)] == [5]


@pytest.mark.parametrize(
    ("value", "take", "says"),
    [
        (4, lambda f: f.whole("x", 0, 3), "x: the header: x is 4, not a whole number from 0 to 3"),
        (True, lambda f: f.whole("x", 0, 3), "x is true, not"),
        (1.0, lambda f: f.whole("x", 0, 3), "x is 1.0, not"),
        ("1", lambda f: f.whole("x", 0, 3), 'x is "1", not'),
        (None, lambda f: f.number("x", 0, 1), "x is null, not a number from 0 to 1"),
        (1.5, lambda f: f.number("x", 0, 1), "x is 1.5, not"),
        (False, lambda f: f.number("x", 0, 1), "x is false, not"),
        ("a" * 300, lambda f: f.text("x"), r"x is \"a{39}\.\.\., not a text of up to 200"),
        ("a\tb", lambda f: f.text("x"), r'x is "a\\tb", not a text'),
        (1, lambda f: f.text("x"), "x is 1, not a text"),
        ("d", lambda f: f.choice("x", ["a", "b"]), 'x is "d", not one of a, b'),
        ([], lambda f: f.choice("x", ["a", "b"]), "x is a list, not one of a, b"),
        (0, lambda f: f.flag("x"), "x is 0, not true or false"),
        ({}, lambda f: f.several("x", 0, 1), "x is an object, not a list of 0 to 1 items"),
        ([1, 2], lambda f: f.several("x", 0, 1), "x is a list, not a list of 0 to 1 items"),
        ([], lambda f: f.inside("x"), "x is a list, not an object"),
        ([1], lambda f: f.items("x", 1, 1), r"x\[0\] is 1, not an object"),
        ({}, lambda f: f.inside("x").flag("y"), "x: the header has no x.y"),
        ([{}], lambda f: f.items("x", 1, 1)[0].flag("y"), r"the header has no x\[0\].y"),
    ],
)
def test_what_is_wrong_is_named(value: Any, take: Callable[[Members], object], says: str) -> None:
    with pytest.raises(TablebaseError, match=says) as found:
        take(of(x=value))
    assert str(found.value).isprintable()


@pytest.mark.parametrize(
    "data",
    [
        b"", b"[]", b"1", b"{", b"\xff", b'{"x": NaN}', b'{"x": Infinity}', b"1" * 5000,
        b'{"x": ' + b"1" * 19 + b"}", b"[" * 100_000, b'{"x":' * 100_000, b'{"x": 1e999}',
        b'{"x": 1, "x": 1}', b'{"x": [{"y": 0, "\\u0079": 1}]}', b'{"x": "\\ud800"}',
    ],
)  # fmt: skip
def test_what_is_no_object_is_damaged(data: bytes) -> None:
    with pytest.raises(TablebaseError, match=r"^x is damaged: [^\n]+$"):
        read_json(data, "x")


def test_texts_are_shown_without_what_terminals_obey() -> None:
    assert printable("finkel é ß") == "finkel é ß"
    odd = "\x1b[2J\x07\r\n\t\x9b31m\u202e\u2028\ud800\x00"
    assert printable(odd).isprintable()
    assert printable("\x1b[2J\u202e") == r"\x1b[2J\u202e"
