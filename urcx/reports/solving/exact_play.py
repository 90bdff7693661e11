"""What ``urcx compress`` shows of a file of exact play, and ``urcx solve --check`` of its proof."""

from __future__ import annotations

from types import SimpleNamespace

from urcx.agents.play_files.compressing import Compressed
from urcx.agents.play_files.proving import Proved
from urcx.errors import printable
from urcx.results.fields import COUNT, RULES, TEXT, Field, Fields, Schema, decimals
from urcx.results.numbers import at_most, counted, number
from urcx.results.report import Report
from urcx.results.tables import Table

DECISIONS = Fields(
    Field("states", "states (mover views, unfinished)", COUNT, "unfinished states, as mover views"),
    Field(
        "decisions",
        "decisions: states and rolls that leave a choice",
        COUNT,
        "states and rolls with two or more legal moves",
    ),
    Field("equal", "with several best moves", COUNT, "those with several best moves"),
    Field(
        "unsure",
        "with others that error bounds do not tell from them",
        COUNT,
        "those with further moves within error bounds of the best",
    ),
)
WITHIN = Field(
    "within",
    about="how much worse than the best, in chances, a right move may be",
    exactness="bound",
)
PARTS = Fields(
    Field("part", "<part", about="file, network, probabilities, index, corrections or plain"),
    Field("bytes", "bytes", COUNT, "its bytes"),
    Field("bits", "bits a decision", decimals(4, none=""), "its bits for each decision"),
)
COMPRESSED = Fields(
    *RULES,
    Field("file", kind=TEXT, about="name of the file"),
    *DECISIONS,
    WITHIN,
    Field("units", about="hidden units of the network that ranks moves, 0 without one"),
    Field("file_size", kind=COUNT, about="bytes of the file"),
)
COMPRESS = Schema("urcx.compress/1", {"": COMPRESSED, "rows": PARTS})
PROVED = Fields(
    *RULES,
    Field("file", kind=TEXT, about="name of the file"),
    Field("tablebase", kind=TEXT, about="name of the solution's file"),
    Field("file_size", kind=COUNT, about="bytes of the file"),
    *DECISIONS,
    WITHIN,
    Field("wrong", "with a wrong move", COUNT, "decisions whose move is worse than that"),
    Field(
        "most_lost",
        about="the most that a move of the file is worse than the best, in chances",
    ),
    Field(
        "singly",
        "looked up once more, one by one",
        COUNT,
        "decisions that were looked up once more, one by one",
    ),
)
CHECK = Schema("urcx.check-play/1", {"": PROVED})


def _parts(found: Compressed) -> list[SimpleNamespace]:
    """Return what takes the bytes of a file, and what decisions take by plain entropy."""
    other = found.file_size - found.network_size - found.chances_size
    other -= found.index_size + found.corrections_size
    plain = found.plain * found.decisions
    sizes = {
        f"network, {counted(found.units, 'unit')}" if found.units else "network, none": (
            found.network_size
        ),
        "probabilities of corrections": found.chances_size,
        "corrections": found.corrections_size,
        "index of blocks": found.index_size,
        "header, checksums": other,
        "file": found.file_size,
        "best moves by plain entropy": -(-int(plain) // 8),
    }
    return [
        SimpleNamespace(
            part=part, bytes=size, bits=8.0 * size / found.decisions if found.decisions else None
        )
        for part, size in sizes.items()
    ]


def compressed_report(found: Compressed) -> Report:
    """Return the report on a file of exact play."""
    parts = _parts(found)
    rules = f"{found.rules.name}, {counted(found.rules.pieces, 'piece')} a side"
    summary = Table(
        printable(str(found.file)), ["<", "<"], [["rules", rules], *DECISIONS.lines(found)]
    )
    notes = [
        "plain entropy: of the best move's place among the legal ones, by roll and their number",
        f"right: at most {at_most(found.within)} worse than the best, twice the error bound",
    ]
    data = COMPRESS.data(found, rows=parts)
    return Report(
        COMPRESS.name,
        data,
        PARTS.records(parts),
        [summary, PARTS.table("What takes how much", parts, notes)],
    )


def play_check_report(found: Proved) -> Report:
    """Return the report on the proof of a file of exact play."""
    data = PROVED.record(found)
    lines = [
        ["rules", f"{found.rules.name}, {counted(found.rules.pieces, 'piece')} a side"],
        ["bytes", number(found.file_size)],
        *PROVED.lines(found),
        ["most lost by a move", f"{found.most_lost:.2e}"],
    ]
    verdict = (
        "every decision comes out right"
        if not found.wrong
        else "this is not perfect play: write it again with urcx compress"
    )
    notes = [
        f"{verdict}: right is at most {at_most(found.within)} worse than the best"
        if not found.wrong
        else verdict,
        f"compared with {printable(str(found.tablebase))}",
    ]
    title = printable(str(found.file))
    return Report(CHECK.name, data, [data], [Table(title, ["<", "<"], lines, notes)])
