from __future__ import annotations

import pytest

from urcx.results.wrapping import hang, longest_word, running, wrap


def test_a_text_that_fits_is_one_line() -> None:
    assert wrap("four word", 9) == ["four word"]
    assert wrap("four words", 9) == ["four", "words"]
    assert wrap("", 5) == [""]


def test_lines_are_filled_up_to_the_width() -> None:
    assert wrap("ab cd ef gh", 5) == ["ab cd", "ef gh"]
    assert wrap("ab cd ef gh", 4) == ["ab", "cd", "ef", "gh"]
    # The first line may be wider than the others.
    assert wrap("ab cd ef gh ij", 8, 5) == ["ab cd ef", "gh ij"]
    assert wrap("ab cd ef gh ij", 5, 8) == ["ab cd", "ef gh ij"]


@pytest.mark.parametrize("whole", ["95 %", "105.3 ± 0.1", "4: 1/16"])
def test_numbers_stay_with_their_signs(whole: str) -> None:
    for width in range(len(whole), len(whole) + 9):
        lines = wrap(f"a word {whole} and more", width)
        assert any(whole in line for line in lines), width
        assert max(map(len, lines)) <= width


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("alpha*beta/gamma", ["alpha*", "beta/", "gamma"]),
        ("alphas**7", ["alphas**7"]),  # a power is not broken
        ("names,others", ["names,", "others"]),
        ("12,345,678", ["12,345,678"]),  # nor is a number
        ("no-names", ["no-", "names"]),
        ("2021-11", ["2021-11"]),
    ],
)
def test_words_that_do_not_fit_break_behind_operators(word: str, parts: list[str]) -> None:
    assert wrap(word, 6) == parts
    assert wrap(word, len(word)) == [word]
    assert wrap(f"a {word}", len(word)) == ["a", word]  # not where a line of its own is enough


def test_the_longest_word() -> None:
    assert longest_word("a word or 105.3 ± 0.1", 20) == len("105.3 ± 0.1")
    assert longest_word("alpha*beta or", 10) == 10
    assert longest_word("alpha*beta or", 9) == len("alpha*")
    assert longest_word("", 9) == 0


def test_further_lines_stand_below_what_a_list_says() -> None:
    assert hang("* one two three", 9) == ["* one two", "  three"]
    assert hang("12. one two three", 11) == ["12. one two", "    three"]
    assert hang("one two three", 9) == ["one two", "  three"]
    assert hang("one two", 7) == ["one two"]
    # Behind a wide gap, as between two columns, unless that leaves too little room.
    text = "key     " + "word " * 8
    assert hang(text.strip(), 30) == [
        "key     word word word word",
        "        word word word word",
    ]
    long = "a key that is long     " + "word " * 8
    lines = hang(long.strip(), 30)
    assert lines[0].startswith("a key that is long     word")
    assert all(line.startswith("  word") for line in lines[1:])
    assert max(map(len, lines)) <= 30


def test_drawings_are_left_as_they_are() -> None:
    drawing = "  +----+----+\n  | A1 | B1 |"
    assert running(f"{drawing}\none two three", 9) == f"{drawing}\none two\n  three"
