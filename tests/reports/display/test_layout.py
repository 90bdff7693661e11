from __future__ import annotations

from dataclasses import replace

import pytest

from urcx.results.layout import lay_out, text_of
from urcx.results.tables import MOVE_LOSS, ColouredText, Column, Note, Table, key, secondary

TABLE = Table(
    "Numbers",
    ["p", "<name", "count", "<remark"],
    [["1", "one", "1,234,567", "an [odd] one"], ["10", "ten thousand", "8", ""]],
    ["first note", "second note"],
)


def test_columns_line_up() -> None:
    lines = text_of(lay_out([TABLE])).splitlines()
    assert lines[0] == "Numbers"
    head, rule, one, ten = lines[2:6]
    assert head == " p  name              count  remark"
    assert rule == "--  ------------  ---------  ------------"
    assert one == " 1  one           1,234,567  an [odd] one"
    assert ten == "10  ten thousand          8", "no blanks at the end"
    assert text_of(lay_out([TABLE])).rstrip().endswith("\n* first note\n* second note")


def test_a_table_without_rows_or_title_has_its_head() -> None:
    assert text_of(lay_out([Table("", ["a", "<b"], [])])).splitlines()[0] == "a  b"


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
    return [
        "".join(text for text, _ in line).rstrip() for line in lay_out([table], width, wide=wide)
    ]


def test_secondary_columns_go_first_then_blocks_then_records() -> None:
    assert laid(WIDE, 80)[0].split() == ["id", "of", "n", "m", "k"]
    assert laid(WIDE, 60)[0].split() == ["id", "of", "n", "k"]
    assert "left out to fit: m (add --wide" in " ".join(laid(WIDE, 60))
    blocks = [line.split() for line in laid(WIDE, 60, wide=True) if line.startswith("id")]
    assert blocks == [["id", "of", "n", "m"], ["id", "of", "k"]]
    blocks = [line.split() for line in laid(WIDE, 40) if line.startswith("id")]
    assert blocks == [["id", "of", "n"], ["id", "of", "k"]]
    records = laid(WIDE, 30)
    assert records[:4] == ["id  0", "of  xxxxxxxxxxxx", "n   " + "1" * 18, "k   " + "3" * 18]


def test_joined_columns_are_in_one_block() -> None:
    rows = [[str(k), *("1" * 14 for _ in range(4))] for k in range(6)]
    joined = [Column(title, joined=True) for title in ("high", "highest")]
    heads: list[str | Column] = ["id", "low", "median", *joined]
    table = Table("", heads, rows)

    def blocks(width: int) -> list[list[str]]:
        return [line.split()[1:] for line in laid(table, width) if line.startswith("id")]

    assert blocks(70) == [["low", "median", "high", "highest"]]
    assert blocks(52) == [["low"], ["median", "high", "highest"]]
    assert blocks(40) == [["low"], ["median", "high"], ["highest"]], "or in as few as there can be"


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


def shown(tables: list[Table], width: int) -> str:
    lines = lay_out(tables, width)
    return "\n".join("".join(text for text, _ in line).rstrip() for line in lines)


FIVE = [[str(k), "1" * 8, "2" * 8, "3" * 8] for k in range(5)]
ONE = Table(
    "one",
    ["id", secondary("m"), "n", secondary("k")],
    FIVE,
    ["own note", Note("on m", "m"), Note("on m and n", "m", "n")],
)
TWO = Table("two", ONE.columns, FIVE)
ROWS = "".join(f" {k}  22222222\n" for k in range(5))


def test_a_few_rows_that_do_not_fit_are_turned() -> None:
    rows = [["1", "x" * 9, "", "2" * 9], ["33", "", "y" * 9, "3" * 8], ["4", "", "", ""]]
    table = Table("", ["p", "<name", "<other", "count"], rows)
    assert laid(table, 31) == [
        "p      1          33         4",
        "name   xxxxxxxxx",
        "other             yyyyyyyyy",
        "count  222222222  33333333",
        "",
    ]
    # A place less, and the columns come in blocks.
    assert laid(table, 29)[0] == " p  name       other"
    assert laid(Table("", table.columns, rows * 2), 31)[0] == " p  name       other"


def test_of_the_secondary_columns_the_last_that_fit_stay() -> None:
    assert laid(ONE, 29)[2:5] == [
        "id         n         k",
        "--  --------  --------",
        " 0  22222222  33333333",
    ]
    assert laid(ONE, 19)[2] == "id         n"
    assert laid(ONE, 32)[2].split() == ["id", "m", "n", "k"]


def test_what_is_left_out_is_said_below_the_notes() -> None:
    # A note on columns that are all left out goes with them.
    table = f"id         n\n--  --------\n{ROWS}\n"
    left_out = "* left out to fit:\n  m; k (add --wide)\n"
    assert shown([ONE], 19) == f"one\n\n{table}* own note\n* on m and n\n{left_out}"
    assert shown([TWO], 19) == f"two\n\n{table}{left_out}"
    whole = shown([ONE, TWO], 32)
    assert "* own note\n* on m\n* on m and n\n" in whole
    assert "left out" not in whole
    # Tables in a row that leave out alike say it once; others each for itself.
    whole = f"one\n\n{table}* own note\n* on m and n\n\ntwo\n\n{table}{left_out}"
    assert shown([ONE, TWO], 19) == whole
    other = Table("three", ["id", secondary("quantity"), "n"], [row[:3] for row in FIVE])
    text = shown([TWO, other], 19)
    assert text.startswith(f"two\n\n{table}{left_out}\nthree\n\n{table}* left out")
    assert text.count("left out") == 2


def test_of_a_note_in_parts_those_on_columns_that_are_shown_stay() -> None:
    parts = Note.of(Note("m: mean", "m"), Note("n: number", "n"), Note("k: kind", "k"))
    table = replace(ONE, notes=[parts, Note.of(Note("m alone", "m"))])
    assert parts == "m: mean; n: number; k: kind"
    assert "* n: number; k: kind\n* left out" in shown([table], 29)
    assert "* m: mean; n: number; k: kind\n* m alone\n" in shown([table], 32)
    assert "* n: number\n* left out" in shown([table], 19)


def test_keys_stand_whole_in_each_block() -> None:
    row = ["a key of several words", *["9" * 9] * 4]
    table = Table("", [key("what"), *(f"c{k}" for k in range(4))], [row] * 5)
    for width, blocks in ((46, [["c0", "c1"], ["c2", "c3"]]), (34, [[f"c{k}"] for k in range(4)])):
        lines = laid(table, width)
        assert [line.split()[1:] for line in lines if line.startswith("what")] == blocks
        assert sum(line.startswith(row[0]) for line in lines) == 5 * len(blocks)
        assert max(map(len, lines)) <= width
    # Where there is no room for a key and a column beside it, records.
    assert laid(table, 32)[:2] == ["what  a key of several words", "c0    999999999"]


def test_numbers_are_never_broken() -> None:
    number = "*".join(["12345678"] * 4)
    table = Table("", ["p", "product", "<remark"], [["1", number, "some words " * 3]] * 5)
    lines = laid(table, 50)
    assert sum(number in line for line in lines) == 5
    assert max(map(len, lines)) <= 50


def test_records_keep_to_the_width_and_names_apart_from_what_they_name() -> None:
    rows = [["1", "words " * 9, "7" * 8], ["2", "a*b*" * 9, "8" * 8]]
    table = Table("", ["p", "<remark of it", "n"], [*rows, *rows, rows[0]])
    for width in (13, 17):
        lines = laid(table, width)
        assert max(map(len, lines)) <= width
        assert [line.split()[0] for line in lines if line[:1] == "p"] == ["p"] * 5
        assert sum(line.split()[:2] == ["remark", "words"] for line in lines) == 3
        assert lines.count("") == 5, "between records, and at the end"


@pytest.mark.parametrize("width", [80, 30, 20])
def test_tones_reach_the_terminal_in_every_form(width: int) -> None:
    rows = [[str(k), "x" * 9, ColouredText("contradicted", "bad")] for k in range(5)]
    spans = [
        span
        for line in lay_out([Table("title", ["p", "<what", "<verdict"], rows, ["note"])], width)
        for span in line
    ]
    assert spans.count(("contradicted", "bad")) == 5
    assert ("title", "title") in spans
    assert ("* note", "note") in spans
    assert {style for text, style in spans if text.strip() in {"p", "verdict"}} == {"head"}


@pytest.mark.parametrize("width", [None, 60, 14], ids=["whole", "wide", "stacked"])
def test_the_best_row_and_losses_of_moves_have_colours(width: int | None) -> None:
    losses = ["0.00", "1.99", "2.00", "7.99", "8.00", "1.0e-05", ""]
    rows = [[f"move{k}", loss, "", "9.00"] for k, loss in enumerate(losses)]
    rows[0][2] = ColouredText("best", "best")
    table = Table("", ["<move", MOVE_LOSS, "<choice", "other"], rows)
    spans = [span for line in lay_out([table], width) for span in line]
    tones = {text: tone for text, tone in spans if text.strip() and tone not in ("", "head")}
    grades = {"2.00": "fair", "7.99": "fair", "8.00": "bad"}
    assert tones == {"move0": "good", "0.00": "good", "best": "best", "9.00": "good", **grades}
