"""What counting, numbering and searching states takes, estimated before it begins."""

from __future__ import annotations

from collections.abc import Sequence

from urcx.complexity import tiles
from urcx.engine.work import WorkEstimate, on_threads
from urcx.enumerate.rankings.ranking import why_no_layers
from urcx.rules.model import Path, RuleSet

# Seconds of one core for one operation or object.
VISIT = 1 / 1.5e9  # a diagram, by the enumerator where its lists are short
FORMULATED = 1.5e-6  # a piece in a row of ssc: upper bounds have as many digits as there are pieces
WRITTEN_DIAGRAM = 4e-7  # as a line of text
RANKED_DIAGRAM = 2e-8
DRAWN = 4e-5  # a random position
SEARCHED = 2e-7  # a state visited by reach, by shared pattern; total over all levels
SEARCHED_BY_TILES = 1.4e-6
BACK = 0.01  # a backward search from a state, on a path crossed once
BACK_TWICE = 0.25  # and on other paths, where many searches are given up
LINE = 30  # bytes of a position in notation


def enumerating(
    diagrams: int, path: str = "the paths", advice: str = "take fewer pieces"
) -> WorkEstimate:
    """Estimate visits of so many diagrams, on all cores."""
    return WorkEstimate(
        f"visiting {diagrams:,} diagrams of {path}",
        on_threads(diagrams * VISIT, None),
        advice=advice,
    )


def formulating(paths: int, pieces: Sequence[int]) -> WorkEstimate:
    """Estimate rows of closed forms, one for each path and number of pieces."""
    return WorkEstimate(
        f"{paths * len(pieces):,} rows of closed forms",
        paths * sum(pieces) * FORMULATED,
        advice="take fewer numbers with -p",
    )


def writing(path: Path, pieces: int, dark: int | None, *, to_file: bool) -> WorkEstimate:
    """Estimate a text with every diagram."""
    diagrams = tiles.diagrams(path, pieces, dark)
    return WorkEstimate(
        f"writing {diagrams:,} diagrams of {path.name}",
        diagrams * WRITTEN_DIAGRAM,
        disk=diagrams * LINE if to_file else 0,
        advice="take fewer pieces with -p, or --visit count",
    )


def proving(path: Path, pieces: int, dark: int | None) -> WorkEstimate:
    """Estimate the proof of a ranking, which has a byte for each diagram."""
    diagrams = tiles.diagrams(path, pieces, dark)
    return WorkEstimate(
        f"ranking {diagrams:,} diagrams of {path.name}",
        diagrams * RANKED_DIAGRAM,
        memory=diagrams,
        advice="take fewer pieces with -p",
    )


def drawing_positions(number: int, *, held: bool, to_file: bool) -> WorkEstimate:
    """Estimate a sample of positions, which JSON and CSV hold as a whole."""
    return WorkEstimate(
        f"drawing {number:,} positions",
        number * DRAWN * (2 if held else 1),
        memory=number * 600 if held else 0,
        disk=number * LINE if to_file else 0,
        advice="draw fewer with -n",
    )


def searching(rules: RuleSet, threads: int | None) -> WorkEstimate:
    """Estimate a search of all states from the start."""
    size = tiles.conventions(rules.path, rules.pieces)[
        "diagrams" if rules.path.symmetric else "positions"
    ]
    rate = SEARCHED_BY_TILES if why_no_layers(rules) else SEARCHED
    return WorkEstimate(
        f"searching {size:,} states of {rules.name}",
        on_threads(size * rate, threads),
        memory=size,
        advice="take fewer pieces (-p), or --samples",
    )


def searching_back(rules: RuleSet, samples: int) -> WorkEstimate:
    """Estimate searches back from random states."""
    return WorkEstimate(
        f"searching back from {samples:,} states of {rules.name}",
        samples * (BACK if rules.path.crossed_once else BACK_TWICE),
        advice="take fewer --samples",
    )
