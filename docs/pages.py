"""The pages that are made: one for each command and notebook, members of JSON, the errata.

What the examples print is kept beside (``transcripts.py``). Needs nothing but urcx, so that the
tests can look at the pages without Sphinx.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import Any

import lessons
from transcripts import INSTEAD, kept

import urcx
from urcx import cli
from urcx.complexity.game_tree import CONVENTIONS
from urcx.published.figures import HOLDS, Figure, Source, references, sources
from urcx.published.gtc import ExactMeans, Mean, exact_table, longest_table
from urcx.published.verify import FIGURES, verdict_of
from urcx.results.fields import Field, annotated_attributes
from urcx.results.result import Result

# Games by the thousand, or all states of a game: what they give is left to ``urcx verify``.
TAKES_LONG = ("measure", "wins")
MARKUP = re.compile(r"([\\*`|])|_(?![A-Za-z0-9])")


COMMANDS = """\
What ``urcx COMMAND --help`` says, made from the commands themselves, with what the examples print.
An option has the same name, meaning and default wherever it comes.

Results go to stdout, progress and notes to stderr. The exit code is 0 when all is done, 1 after a
failed computation or verification, 2 for wrong usage, and 130 after an interruption."""

ERRATA = """\
What was printed, what it should be, and how the printed figure comes about, source by source. The
page is made from the data that ``urcx verify`` works with, and the values are computed while it is
made. *Computed* is what the source's own words give; *exact* the number of diagrams, for figures of
state spaces. A figure *holds in another reading* if only another reading, form, path or number of
pieces gives it, and *does not hold* if no reading that was tried does; then these are listed. It is
*inconsistent within the source* if another place there says otherwise; which is right is another
question. *No claim* is what a source assumes, or does not say, with our finding beside it.
*Undecided* is what no computation decides, such as the play of people, or what would need a network
that is not at hand.

Means and rates of games that a source has played are judged as samples: what lies in the 95 %
interval of the difference from ours holds, and what is further off does not hold only if chance
would put none of so many samples there, with 99 % (Sidak's rule; ``urcx verify`` says how many
standard errors that are). Between the two it is *undecided*. Where games have to be played or a
whole game gone through, the column is left to ``urcx verify``, which does so. *(Recorded)* are
values that were found once, as they take minutes; ``urcx verify --tablebase`` computes them again
from a solved game."""


BIBLIOGRAPHY = """\
``urcx cite`` prints all of it in BibTeX, ``urcx cite KEY`` an entry; a convention of ``urcx gtc``
or a form of ``urcx ssc`` will do for a key, such as ``urcx cite allis``."""

EXACT = """\
Means over all games of random, greedy and perfect play against themselves, each side beginning half
of the games. Nothing is sampled: :doc:`../mathematics/expectations` says how they are computed, and
how they are bounded. The last column is what any of an entry's means is off by at most. Where
``urcx gtc`` plays games of such agents, these figures stand beside the estimates. The page is made
from ``urcx/published/data/exact.toml``, which ``benchmarks/exact_table.py`` writes."""
LONGEST = """\
The mean of the longest game, if both players prolong it: :doc:`../contrib/extremes` says how it
is computed and bounded. Moves are plies that are no passes. The table is made from
``urcx/published/data/longest.toml``."""
# What is shown of each entry: a heading, where the mean is, its key, and its decimals.
SHOWN = (
    ("Plies", "measures", "plies", 6),
    ("Turns", "measures", "turns", 6),
    ("Legal moves a ply", "measures", "choices_per_ply", 8),
    ("Legal moves a move", "measures", "choices_per_move", 8),
)


def write_all(directory: Path) -> None:
    """Write every page below a directory, touching only those that change."""
    texts = {f"commands/{name}": text for name, text in command_pages().items()}
    texts["errata"] = errata_page()
    texts["exact"] = exact_page()
    texts["bibliography"] = bibliography_page()
    texts["conventions"] = conventions_table()
    texts["members"] = members_list()
    texts["names"] = further_names()
    files = {f"{name}.rst": text for name, text in texts.items()}
    files |= {f"notebooks/{name}.md": lessons.page(name) for name in lessons.names()}
    for room in ("commands", "notebooks"):
        directory.joinpath(room).mkdir(parents=True, exist_ok=True)
    for old in (*directory.glob("commands/*.rst"), *directory.glob("notebooks/*.md")):
        if f"{old.parent.name}/{old.name}" not in files:
            old.unlink()
    for name, text in files.items():
        file = directory / name
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")


def commands() -> dict[str, Any]:
    """Return the commands by name, in the order of the help, with a context for each."""
    group: Any = cli.commands()
    parent = group.make_context("urcx", [], resilient_parsing=True)
    found = {name: group.get_command(parent, name) for name in group.list_commands(parent)}
    return {
        name: (command, type(parent)(command, parent=parent, info_name=name))
        for name, command in found.items()
    }


def command_pages() -> dict[str, str]:
    """Return the page of every command, and ``index``."""
    known = commands()
    texts = {name: "\n".join(_command_page(name, *pair)) + "\n" for name, pair in known.items()}
    lines = [
        *_heading("Commands"),
        COMMANDS,
    ]
    for panel, names in groupby(known, key=lambda name: str(known[name][0].rich_help_panel)):
        lines += ["", *_heading(panel, "-")]
        here = list(names)
        for name in here:
            lines += [f":doc:`urcx {name} <{name}>`", f"    {_plain(_summary(known[name][0]))}", ""]
        lines += [".. toctree::", "   :hidden:", "", *(f"   {name}" for name in here)]
    return {**texts, "index": "\n".join(lines) + "\n"}


def _summary(command: Any) -> str:
    return str(command.help).split("\n", maxsplit=1)[0]


def _command_page(name: str, command: Any, context: Any) -> Iterator[str]:
    yield from _heading(f"urcx {name}")
    usage = " ".join(("urcx", name, *command.collect_usage_pieces(context)))
    yield from (".. code-block:: text", "", f"   {usage}", "")
    shown = dict(kept(name))
    for paragraph in str(command.help).split("\n\n"):
        lines = paragraph.strip().split("\n")
        if lines[0].startswith(("urcx ", "$ ")) or "| urcx " in lines[0]:
            for line in lines:
                yield from _example(line, shown)
        else:
            yield from (_plain(" ".join(line.strip() for line in lines)), "")
    yield from (f".. program:: urcx {name}", "")
    for title, records in command.sections(context).items():
        yield from _heading(title, "-")
        for written, text in records:
            if title == "Arguments":
                yield from (f"``{written}``", f"    {_plain(text)}", "")
            else:
                options = written.replace(" / ", ", ")
                yield from (f".. option:: {options}", "", f"   {_plain(text)}", "")


def conventions_table() -> str:
    """Return the conventions of game-tree complexity, to be included in a page."""
    lines = (
        "\n".join(
            (
                f"``{one.name}``",
                " ".join(
                    [f"    :math:`{one.latex}`: {_plain(one.counts)}.", *map(_cited, one.sources)]
                ),
                "",
            )
        )
        for one in CONVENTIONS
    )
    return "\n".join(lines)


def bibliography_page() -> str:
    """Return the bibliography, whose entries pages cite by their keys."""
    lines = [*_heading("Bibliography", "="), BIBLIOGRAPHY, ""]
    for one in references().values():
        author = f"{one.author}, " if one.author else ""
        rest = one.text.removeprefix(author + one.title)
        text = f"{_plain(one.author)}, *" if author else "*"
        lines.append(f".. [{one.key}] {text}{_plain(one.title)}*{_plain(rest)}.")
    return "\n".join([*lines, ""])


def _cited(key: str) -> str:
    return f"[{key}]_"


def results() -> list[type[Result]]:
    """Return the classes of results that declare JSON."""
    for name in _declaring():
        import_module(name)

    def kinds(base: type[Result]) -> Iterator[type[Result]]:
        for kind in base.__subclasses__():
            yield from (kind, *kinds(kind))

    return [kind for kind in kinds(Result) if kind.schema]


def schemas() -> list[type[Result]]:
    """Return the result that declares each schema, in the order of the names."""
    # Of several classes of one schema, such as a result and what it is shown as, one has all.
    declared = sorted(
        results(), key=lambda kind: sum(len(list(fields)) for fields in kind.members().values())
    )
    by_name = {(kind.schema, kind.when): kind for kind in declared}
    return [by_name[name] for name in sorted(by_name)]


def _declaring() -> Iterator[str]:
    """Return the modules that declare JSON; the others need not be there, such as extras."""
    top = Path(cli.__file__).parent
    for file in sorted(top.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        if "    schema = " in text:
            yield ".".join(("urcx", *file.relative_to(top).with_suffix("").parts))


def members_list() -> str:
    """Return the members of every schema's JSON object, to be included in a page."""
    lines: list[str] = []
    for schema in schemas():
        lines += [f"``{schema.schema}``" + (f", {schema.when}" if schema.when else "")]
        for place, fields in schema.members().items():
            lines += [f"    In {_place(place)}:", ""] if place else []
            lines += [f"    * {_member(one)}" for one in fields if one.keys]
            lines += [""]
    return "\n".join(lines) + "\n"


def _place(place: str) -> str:
    """Return where members stand: ``rows``, or ``measures``, by name."""
    path, _, last = place.rpartition(".")
    return f"``{path}``, by {last.lower()}" if last.isupper() else f"``{place}``"


def _member(one: Field) -> str:
    keys = ", ".join(f"``{key}``" for key in one.keys)
    return f"{keys}: {_plain(one.about)}"


def further_names() -> str:
    """Return entries of the reference for public names that no page of it has."""
    pages = Path(__file__).parent.glob("api/*.rst")
    written = "".join(file.read_text(encoding="utf-8") for file in pages)
    lines = []
    for name in urcx.PUBLIC:
        there = re.search(rf":: urcx\.{name}$", written, re.MULTILINE)
        if not there and name != "UrcxError":  # which is with all errors
            kind = "class" if isinstance(getattr(urcx, name), type) else "function"
            lines += [f".. auto{kind}:: urcx.{name}"]
            lines += ["   :members:"] if kind == "class" else []
    return "\n".join(lines) + "\n"


def errata_page() -> str:
    """Return the page of the published figures that do not hold as they are stated."""
    lines = [
        *_heading("Errata"),
        ERRATA,
        "",
    ]
    for source, figures in sources():
        lines += _source(source, figures)
    return "\n".join(lines) + "\n"


def _source(source: Source, figures: tuple[Figure, ...]) -> Iterator[str]:
    wrong = [figure for figure in figures if figure.verdict != HOLDS]
    yield from _heading(source.title, "-")
    yield from (_plain(source.summary), "")
    yield f"{len(figures) - len(wrong)} of {len(figures)} figures hold as stated."
    yield ""
    if wrong:
        yield from _table(
            ("Where", "Printed", "Computed", "Exact", "Verdict and explanation"),
            (_cells(figure) for figure in wrong),
        )


def _cells(figure: Figure) -> tuple[str, ...]:
    if figure.quantity in TAKES_LONG:
        computed, exact, explanation = "", "", figure.explanation
    else:
        found = FIGURES.record(verdict_of(figure))
        if found["verdict"] != figure.verdict:
            raise ValueError(f"{figure.place}: {found['verdict']}, recorded as {figure.verdict}")
        computed, explanation = found["computed"], found["explanation"]
        if found["obtained"]:
            computed += " (recorded)"
            explanation += f"; ours: {found['obtained']}"
        exact = f"{int(found['exact']):,}" if found["exact"] else ""
    verdict = f"*{figure.verdict}*" + (f": {_plain(explanation)}" if explanation else "")
    return _plain(figure.place), _plain(figure.printed), _plain(computed), exact, verdict


def exact_page() -> str:
    """Return the page of exact means."""
    lines = [*_heading("Exact means"), EXACT, ""]
    for rules, entries in groupby(exact_table(), lambda one: one.rules):
        group = tuple(entries)
        lines += _heading(f"{rules}, {group[0].pieces} pieces a side", "-")
        heads = ("Agent", *(title for title, *_ in SHOWN), "Who begins wins", "Off by at most")
        lines += _table(heads, map(_exact_row, group), "12 14 14 15 15 18 12")
        names = ("Agent", *group[0].gtc)
        rows = [(one.agent, *(f"{mean:.6f}" for mean, _ in one.gtc.values())) for one in group]
        lines += ["Game-tree complexity, log10, in each convention:", ""]
        lines += _table(names, rows, " ".join(["10"] * len(names)))
        lines += [f"* ``{one.command}``, commit {one.commit}" for one in group] + [""]
    lines += [*_heading("The longest expected game", "-"), LONGEST, ""]
    heads = ("Rules", "Pieces", "Unit", "At least", "At most", "Command, commit")
    rows = [
        (
            one.rules, str(one.pieces), one.unit, _long_mean(one.lower),
            "" if one.upper is None else _long_mean(one.upper), f"``{one.command}``, {one.commit}",
        )
        for one in longest_table()
    ]  # fmt: skip
    lines += _table(heads, rows, "10 8 8 17 17 40")
    return "\n".join(lines) + "\n"


def _long_mean(mean: float) -> str:
    """Return a bound; those of many plies have seven digits in the data."""
    return f"{mean:,.3f}" if mean < 1e15 else f"{mean:.6e}"


def _exact_row(one: ExactMeans) -> tuple[str, ...]:
    parts: list[tuple[Mean, int]] = [(getattr(one, part)[key], n) for _, part, key, n in SHOWN]
    parts.append((one.first_wins, 10))
    most = max(bound for found in (one.measures, one.gtc) for _, bound in found.values())
    return (one.agent, *(f"{mean[0]:.{n}f}" for mean, n in parts), f"{most:.0e}")


def _example(line: str, shown: dict[str, str]) -> Iterator[str]:
    """Yield an example with what it prints, or a smaller one's output below it."""
    small = INSTEAD.get(line, line)
    if small != line or small not in shown:
        yield from (".. code-block:: sh", "", f"   {line}", "")
    if small != line and small in shown:
        yield from ("In small:", "")
    if small in shown:
        printed = shown.pop(small).split("\n")
        block = (f"$ {small}", *printed)
        yield from (".. code-block:: console", "", *(f"   {row}".rstrip() for row in block), "")


def _table(
    heads: Iterable[str], rows: Iterable[tuple[str, ...]], widths: str = "22 11 11 11 45"
) -> Iterator[str]:
    yield from (".. list-table::", "   :header-rows: 1", f"   :widths: {widths}", "")
    for cells in (tuple(heads), *rows):
        for k, cell in enumerate(cells):
            yield f"   {'  -' if k else '* -'} {cell}".rstrip()
    yield ""


def _heading(text: str, line: str = "=") -> tuple[str, str, str]:
    return text, line * len(text), ""


def _plain(text: str) -> str:
    """Return text with nothing left in it that reStructuredText would take for markup."""
    return MARKUP.sub(r"\\\g<0>", " ".join(text.split()))


def described(item: type, text: str) -> str:
    """Return a class's docstring with a section of the attributes that its annotations describe.

    It stands in front of errors and examples; a docstring that has one is left as it is.
    """
    hints = [hint for kind in item.__mro__ for hint in inspect.get_annotations(kind).values()]
    if not any("Annotated[" in str(hint) for hint in hints):
        return text
    section = []
    for name, inner, constant in annotated_attributes(item):
        if constant:
            continue
        texts = [one for one in inner.__metadata__ if isinstance(one, str)]
        fields = [one.about for one in inner.__metadata__ if isinstance(one, Field)]
        about = "; ".join(texts or fields)
        section.append(f"{name} : {_type_text(inner.__origin__)}")
        section.append(f"    {about[:1].upper()}{about[1:]}.")
    if not section or "\nAttributes\n---" in text:
        return text
    found = re.search(r"^(Raises|Examples)\n-----", text, re.MULTILINE)
    before, after = (text[: found.start()], text[found.start() :]) if found else (text, "")
    return "\n".join([before.rstrip(), "", "Attributes", "----------", *section, "", after])


def _type_text(kind: Any) -> str:
    """Return a type as a docstring has it, without modules."""
    return kind.__name__ if isinstance(kind, type) else re.sub(r"\w+\.", "", str(kind))
