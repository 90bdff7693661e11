"""The sources' files: all are read, complete, and have no figure twice."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from urcx.published import figures
from urcx.published.figures import FILES, VERDICTS, sources
from urcx.published.quantities.registry import QUANTITIES


def test_every_file_is_read_in_order() -> None:
    assert tuple(source.name for source, _ in sources()) == FILES
    data = Path(figures.__file__).parent / "data"
    known = {file.stem for file in data.glob("*.toml")} - {"readings"}
    assert known == set(FILES), "a file that nothing reads"
    assert all(found for _, found in sources())


def test_every_figure_is_complete() -> None:
    for source, found in sources():
        assert source.title
        assert source.summary == source.summary.strip() != ""
        for figure in found:
            assert figure.source == source.name
            assert figure.quantity in QUANTITIES
            assert figure.verdict in VERDICTS
            assert figure.place
            assert figure.printed


def test_no_figure_is_there_twice() -> None:
    seen = Counter(
        (f.source, f.place, f.quantity, repr(sorted(f.params.items())), f.printed)
        for _, found in sources()
        for f in found
    )
    assert not [key for key, times in seen.items() if times > 1]
