from __future__ import annotations

from urcx.reports.display.layout import lay_out
from urcx.reports.display.output import (
    Column,
    Table,
    plain,
)

TABLE = Table(
    "Numbers",
    ["p", "<name", "count", "<remark"],
    [["1", "one", "1,234,567", "an [odd] one"], ["10", "ten thousand", "8", ""]],
    ["first note", "second note"],
)


def test_columns_line_up() -> None:
    lines = plain(TABLE).splitlines()
    assert lines[0] == "Numbers"
    head, rule, one, ten = lines[2:6]
    assert head == " p  name              count  remark"
    assert rule == "--  ------------  ---------  ------------"
    assert one == " 1  one           1,234,567  an [odd] one"
    assert ten == "10  ten thousand          8", "no blanks at the end"
    assert plain(TABLE).rstrip().endswith("\n* first note\n* second note")


def test_a_table_without_rows_or_title_has_its_head() -> None:
    assert plain(Table("", ["a", "<b"], [])).splitlines()[0] == "a  b"


WIDE = Table(
    "",
    [
        Column("id", key=True),
        Column("of", text=True, key=True),
        "n",
        Column("m", secondary=True),
        "k",
    ],
    [[str(k), "x" * 12, "1" * 18, "2" * 18, "3" * 18] for k in range(6)],
)


def laid(table: Table, width: int, *, wide: bool = False) -> list[str]:
    return ["".join(text for text, _ in line).rstrip() for line in lay_out(table, width, wide=wide)]


def test_secondary_columns_go_first_then_blocks_then_records() -> None:
    assert laid(WIDE, 80)[0].split() == ["id", "of", "n", "m", "k"]
    assert laid(WIDE, 60)[0].split() == ["id", "of", "n", "k"]
    assert "left out to fit: m; --wide shows" in " ".join(laid(WIDE, 60))
    blocks = [line.split() for line in laid(WIDE, 60, wide=True) if line.startswith("id")]
    assert blocks == [["id", "of", "n", "m"], ["id", "of", "k"]]
    blocks = [line.split() for line in laid(WIDE, 40) if line.startswith("id")]
    assert blocks == [["id", "of", "n"], ["id", "of", "k"]]
    records = laid(WIDE, 30)
    assert records[:4] == ["id  0", "of  xxxxxxxxxxxx", "n   " + "1" * 18, "k   " + "3" * 18]


def test_a_single_row_that_does_not_fit_is_turned() -> None:
    table = Table("", WIDE.columns, WIDE.rows[:1])
    assert [line.split()[0] for line in laid(table, 60) if line] == ["id", "of", "n", "m", "k"]


def test_texts_wrap_at_words_and_keep_a_least_width() -> None:
    words = "a remark of several words, 105.3 ± 0.1 and 95 % and 4: 1/16"
    table = Table("", ["p", Column("remark", text=True, least=24), "n"], [["1", words, "9" * 9]])
    for width in range(40, 80):
        lines = laid(Table("", table.columns, [*table.rows] * 5), width)
        assert max(map(len, lines)) <= width
        text = " ".join(lines)
        assert all(whole in text for whole in ("105.3 ± 0.1", "95 %", "4: 1/16", "several"))
