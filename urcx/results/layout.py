"""Layout of tables: in full if there is room, and never truncated otherwise.

The first of these layouts that fits is used:

1. all columns at full width
2. headings on several lines
3. without some or all secondary columns
4. strings wrapped at words
5. blocks of columns below each other, each with the key columns, unwrapped
6. records below each other

A table of one or few rows that does not fit is transposed: its columns become lines. Numbers are
never broken or cut.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from urcx.results.tables import ColouredText, Column, Note, Table
from urcx.results.wrapping import hang, longest_word, wrap

GAP = "  "
LONG_WORD = 30  # characters. A longer word of a string may break at an operator
LONG_HEAD = 10  # characters. A longer word of a heading may break at a hyphen
FEW = 4  # tables of up to so many rows are transposed rather than folded
INDENT = "  "
# The tones of a move's loss in points: from an inaccuracy and from a blunder on.
GRADES = ((8.0, "bad"), (2.0, "fair"))
_NUMBER = re.compile(r"\d+\.\d+")
LEAST_WIDTH = 20  # of a terminal. Narrower ones get tables of this width

Span = tuple[str, str]  # a text and its style: a tone, head, title, note, or none
Line = list[Span]


@dataclass(frozen=True)
class _Block:
    """Several columns of a table next to each other, each with its width."""

    columns: tuple[int, ...]
    widths: tuple[int, ...]


def terminal_width() -> int:
    """Return the width of the terminal on stdout in columns, or the value of ``COLUMNS``.

    The width is 80 if neither is available and positive.
    """
    return max(shutil.get_terminal_size().columns, LEAST_WIDTH)


def lay_out(
    tables: Sequence[Table],
    width: int | None = None,
    *,
    wide: bool = False,
    remedy: str = "add --wide",
    further: str = "",
) -> list[Line]:
    """Return tables as lines for a terminal of ``width`` columns, by default as wide as needed.

    ``wide`` keeps the secondary columns at any width. If several tables in a row leave out the same
    columns, one note below the last of them names the columns, with the ``remedy``. The note also
    has ``further``, the parts of the result that are not shown.
    """
    layouts = [_table_lines(table, width, wide=wide) for table in tables]
    lines: list[Line] = []
    for k, (table_lines, left_out) in enumerate(layouts):
        lines += table_lines
        next_left_out = [names for _, names in layouts[k + 1 : k + 2]]
        repeated = [left_out] == next_left_out
        missing = [f"left out to fit: {left_out}"] if left_out and not repeated else []
        missing += [further] if further and not next_left_out else []
        if missing:
            lines[-1:] = [] if _ends_with_note(table_lines) else [[]]
            text = "; ".join(missing)
            note = f"* {text} ({remedy})" if ":" in text else f"* {text}: {remedy}"
            lines += [[(line, "note")] for line in _wrapped(note, width)] + [[]]
    return lines


def _ends_with_note(lines: list[Line]) -> bool:
    return len(lines) > 1 and any(style == "note" for _, style in lines[-2])


def _table_lines(table: Table, width: int | None, *, wide: bool) -> tuple[list[Line], str]:
    """Return a table with its notes as lines, and the names of the columns left out."""
    lines: list[Line] = []
    if table.title:
        lines += [[(text, "title")] for text in _wrapped(table.title, width)] + [[]]
    columns = tuple(range(len(table.heads)))
    if width is None:
        body = _block_lines(table, _Block(columns, tuple(_natural(table, k) for k in columns)))
    else:
        columns, body = _fitted(table, width, wide=wide)
    lines += [*body, []]
    left_out = [head.title for k, head in enumerate(table.heads) if k not in columns]
    texts = (note.without(left_out) if isinstance(note, Note) else note for note in table.notes)
    notes = list(filter(None, texts))
    lines += [[(line, "note")] for note in notes for line in _wrapped(f"* {note}", width)]
    return lines + ([[]] if notes else []), "; ".join(left_out)


def text_of(lines: Iterable[Line]) -> str:
    """Return lines as plain text, with a line break after each."""
    return "".join("".join(text for text, _ in line).rstrip() + "\n" for line in lines)


def _wrapped(text: str, width: int | None) -> list[str]:
    return [text] if width is None else hang(text, width)


def _fitted(table: Table, width: int, *, wide: bool) -> tuple[tuple[int, ...], list[Line]]:
    """Return the columns in the best layout that fits, and its lines."""
    everything = tuple(range(len(table.heads)))
    block = _one_block(table, everything, width, wrapped=False)
    if block:
        return everything, _block_lines(table, block)
    transposed = _transposed(table, everything, width)
    if len(table.rows) == 1:
        block = None if transposed else _one_block(table, everything, width, wrapped=True)
        stacked = transposed or list(_stacked(table, everything, width))
        return everything, _block_lines(table, block) if block else stacked
    columns, block = _without_secondary(table, width, wide=wide)
    if block:
        return columns, _block_lines(table, block)
    if transposed and len(table.rows) <= FEW:
        return everything, transposed
    blocks = _folded(table, columns, width)
    if not blocks:
        return columns, list(_stacked(table, columns, width))
    lines: list[Line] = []
    for k, part in enumerate(blocks):
        lines += ([[]] if k else []) + _block_lines(table, part)
    return columns, lines


def _without_secondary(
    table: Table, width: int, *, wide: bool
) -> tuple[tuple[int, ...], _Block | None]:
    """Return the columns that are not secondary, and as many of the last secondary ones as fit.

    Secondary columns next to each other, such as quartiles, stay together.
    """
    everything = range(len(table.heads))
    columns = tuple(k for k in everything if wide or not table.heads[k].secondary)
    block = _one_block(table, columns, width, wrapped=False)
    if not block:
        return columns, _one_block(table, columns, width, wrapped=True)
    runs = groupby(everything, lambda k: table.heads[k].secondary)
    for run in reversed([list(run) for secondary, run in runs if secondary]):
        more = tuple(sorted({*columns, *run}))
        wider = _one_block(table, more, width, wrapped=False)
        if wider:
            columns, block = more, wider
    return columns, block


# Widths.


def _cells(table: Table, k: int) -> Iterator[str]:
    return (row[k] for row in table.rows)


def _natural(table: Table, k: int) -> int:
    """Return the width of a column with nothing wrapped."""
    return max([len(table.heads[k].title), *(len(cell) for cell in _cells(table, k))])


def _unwrapped(table: Table, k: int) -> int:
    """Return the width of a column with its heading on several lines, and each cell on one."""
    return max(
        [longest_word(table.heads[k].title, LONG_HEAD), *(len(cell) for cell in _cells(table, k))]
    )


def _least(table: Table, k: int) -> int:
    """Return the least width to which a column may be wrapped."""
    head = table.heads[k]
    unwrapped = _unwrapped(table, k)
    if not head.text:
        return unwrapped
    words = max((longest_word(cell, LONG_WORD) for cell in _cells(table, k)), default=0)
    words += 0 if k or words == unwrapped else len(INDENT)
    return max(
        longest_word(head.title, LONG_HEAD), min(words, unwrapped), min(unwrapped, head.least)
    )


def _one_block(
    table: Table, columns: tuple[int, ...], width: int, *, wrapped: bool, keys: bool = True
) -> _Block | None:
    """Return columns next to each other if they fit.

    With ``wrapped``, texts wrap and not only headings. Without ``keys``, key columns do not wrap.
    """
    room = width - len(GAP) * (len(columns) - 1)
    widths = [_natural(table, k) for k in columns]
    least = [
        _least(table, k) if wrapped and (keys or not table.heads[k].key) else _unwrapped(table, k)
        for k in columns
    ]
    if sum(least) > room:
        return None
    # The widest columns shrink first: lower a common maximum until all fit.
    level = max(widths, default=0)
    while sum(widths) > room:
        level -= 1
        for k, (current, low) in enumerate(zip(widths, least, strict=True)):
            if sum(widths) > room and current > level and current > low:
                widths[k] = current - 1
    return _Block(
        columns, tuple(_needed(table, k, most) for k, most in zip(columns, widths, strict=True))
    )


def _needed(table: Table, k: int, width: int) -> int:
    """Return the width that a column needs. A wrapped column may be narrower than its maximum."""
    head = table.heads[k]
    lines = wrap(head.title, width)
    for cell in _cells(table, k):
        lines += _lines(cell, width, head, first=k == 0)
    return max(map(len, lines))


def _lines(cell: str, width: int, head: Column, *, first: bool) -> list[str]:
    """Return a cell's lines. The first column indents all but the first line."""
    if not head.text:
        return [cell]
    return hang(cell, width) if first else wrap(cell, width)


def _folded(table: Table, columns: tuple[int, ...], width: int) -> list[_Block]:
    """Return blocks of columns that fit, each with the key columns, or [] if that is impossible.

    Keys do not wrap in blocks: a row of several lines would be hard to find again in each block.
    """
    keys = tuple(k for k in columns if table.heads[k].key)

    def fits(*group: int) -> bool:
        return _one_block(table, (*keys, *group), width, wrapped=True, keys=False) is not None

    units: list[tuple[int, ...]] = []
    for k in columns:
        if k in keys:
            continue
        if units and table.heads[k].joined and fits(*units[-1], k):
            units[-1] = (*units[-1], k)
        else:
            units.append((k,))
    blocks: list[tuple[int, ...]] = []
    group: tuple[int, ...] = ()
    for unit in units:
        if fits(*group, *unit):
            group = (*group, *unit)
            continue
        if not group or not fits(*unit):
            return []
        blocks += [group]
        group = unit
    *_, previous = [(), *blocks]
    if len(group) == 1 and len(previous) > 2:  # a block for one column would look like a mistake
        half = (len(previous) + 1) // 2
        even = previous[half:] + group
        if not table.heads[even[0]].joined and fits(*even):
            blocks[-1], group = previous[:half], even
    return [_in_block(table, (*keys, *part), width) for part in (*blocks, group)]


def _in_block(table: Table, columns: Iterable[int], width: int) -> _Block:
    # Keep the order of the table, where a key column need not be the first.
    ordered = tuple(sorted(columns))
    block = _one_block(table, ordered, width, wrapped=False)
    block = block or _one_block(table, ordered, width, wrapped=True, keys=False)
    assert block is not None
    return block


# Lines.


def _block_lines(table: Table, block: _Block) -> list[Line]:
    """Return the lines of columns next to each other: headings, a rule, rows."""
    heads = [table.heads[k] for k in block.columns]
    lines: list[Line] = []
    if any(head.title for head in heads):
        tops = [wrap(head.title, w) for head, w in zip(heads, block.widths, strict=True)]
        height = max(map(len, tops))
        # Headings of several lines are aligned at the rule.
        tops = [[""] * (height - len(top)) + top for top in tops]
        lines += _row(tops, block.widths, heads, ["head"] * len(heads))
        lines.append([(GAP.join("-" * w for w in block.widths), "head")])
    for texts in table.rows:
        cells = [texts[k] for k in block.columns]
        parts = [
            _lines(cell, w, head, first=k == 0)
            for cell, w, head, k in zip(cells, block.widths, heads, block.columns, strict=True)
        ]
        tones = _tones(table, texts)
        lines += _row(parts, block.widths, heads, [tones[k] for k in block.columns])
    return lines


def _row(
    cells: Sequence[Sequence[str]],
    widths: Sequence[int],
    heads: Sequence[Column],
    tones: Sequence[str],
) -> list[Line]:
    """Return the lines of one row, whose cells have several lines each."""
    lines = []
    for n in range(max(map(len, cells))):
        line: Line = []
        for cell, width, head, tone in zip(cells, widths, heads, tones, strict=True):
            text = cell[n] if n < len(cell) else ""
            blank = " " * (width - len(text))
            gap = GAP if line else ""
            if head.text:
                line += [(gap, ""), (text, tone), (blank, "")]
            else:
                line += [(gap + blank, ""), (text, tone)]
        lines.append(line)
    return lines


def _tones(table: Table, row: Sequence[str]) -> list[str]:
    """Return the tone of each cell of a row. The other cells of a best row are good."""
    tones = [_tone(cell, head) for cell, head in zip(row, table.heads, strict=True)]
    return [tone or "good" for tone in tones] if "best" in tones else tones


def _tone(cell: str, head: Column) -> str:
    if isinstance(cell, ColouredText):
        return cell.tone
    loss = float(cell) if head.losses and _NUMBER.fullmatch(cell) else 0.0
    return next((tone for least, tone in GRADES if loss >= least), "")


def _labels(table: Table) -> int:
    return max(len(head.title) for head in table.heads)


def _transposed(table: Table, columns: tuple[int, ...], width: int) -> list[Line]:
    """Return a table transposed, with columns as lines, or [] if it does not fit."""
    if not table.rows or len(columns) < 2 or not any(head.title for head in table.heads):
        return []
    sides = [max(len(row[k]) for k in columns) for row in table.rows]
    label = _labels(table)
    if label + sum(len(GAP) + side for side in sides) > width:
        return []
    lines: list[Line] = []
    tones = [_tones(table, row) for row in table.rows]
    for k in columns:
        line: Line = [(table.heads[k].title.ljust(label), "head")]
        for row, tone, side in zip(table.rows, tones, sides, strict=True):
            text = row[k]
            line += [(GAP, ""), (text, tone[k]), (" " * (side - len(text)), "")]
        lines.append(line)
    return lines


def _stacked(table: Table, columns: tuple[int, ...], width: int) -> Iterator[Line]:
    """Yield records below each other, with each column on its own line."""
    words = max(longest_word(head.title, LONG_HEAD) for head in table.heads)
    label = max(min(_labels(table), width // 3), words)
    for n, row in enumerate(table.rows):
        tones = _tones(table, row)
        if n:
            yield []
        for k in columns:
            names = wrap(table.heads[k].title, label)
            fits = longest_word(row[k], LONG_WORD) <= width - label - len(GAP)
            # A text too wide to fit next to its name goes below the name.
            start = label + len(GAP) if fits else len(INDENT)
            texts = wrap(row[k], width - start) if table.heads[k].text else [row[k]]
            if not fits:
                yield from ([(name, "head")] for name in names)
                names = []
            for i in range(max(len(names), len(texts))):
                name = names[i] if i < len(names) else ""
                text = texts[i] if i < len(texts) else ""
                yield [(name.ljust(start), "head"), (text, tones[k])]
