from __future__ import annotations

from urcx.results.tables import LEAST, Column, Note, Table, Toned, key, secondary


def test_texts_that_say_more() -> None:
    cell = Toned("contradicted", "bad")
    assert (cell, cell.tone) == ("contradicted", "bad")
    note = Note("on two columns", "m", "n")
    assert (note, note.columns) == ("on two columns", ("m", "n"))


def test_kinds_of_columns() -> None:
    assert key("a") == Column("a", text=True, key=True, secondary=False, least=LEAST)
    assert secondary("a") == Column("a", text=False, key=False, secondary=True, least=LEAST)


def test_the_first_column_is_the_key_where_none_is_declared() -> None:
    table = Table("", ["p", "<name", secondary("m")], [])
    assert table.heads == (Column("p", key=True), Column("name", text=True), secondary("m"))
    declared = Table("", ["p", key("name")], [])
    assert declared.heads == (Column("p"), key("name"))
    assert Table("", [], []).heads == ()
