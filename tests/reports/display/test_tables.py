from __future__ import annotations

from urcx.results.tables import Column, Table, key, secondary


def test_the_first_column_is_the_key_where_none_is_declared() -> None:
    table = Table("", ["p", "<name", secondary("m")], [])
    assert table.heads == (Column("p", key=True), Column("name", text=True), secondary("m"))
    declared = Table("", ["p", key("name")], [])
    assert declared.heads == (Column("p"), key("name"))
    assert Table("", [], []).heads == ()
