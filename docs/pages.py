"""The generated pages: commands, notebooks, fields of JSON, and errata.

Outputs of examples are saved in ``transcripts`` (``transcripts.py``). This module needs only urcx,
so tests can check the pages without Sphinx.
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

# Quantities that need thousands of games or all states of a game; ``urcx verify`` computes them.
TAKES_LONG = ("measure", "wins")
MARKUP = re.compile(r"([\\*`|])|_(?![A-Za-z0-9])")


COMMANDS = """\
The help of every command, generated from ``urcx COMMAND --help``, with the outputs of the examples.
An option has the same name, meaning and default in all commands.

Results go to stdout, progress and notes to stderr. The exit code is 0 after success, 1 after a
failed computation or verification, 2 for wrong usage, and 130 after an interruption."""

ERRATA = """\
All published figures that do not hold as stated, source by source, with the printed figure, the
correct value, and an explanation. The page is generated from the data of ``urcx verify``, and the
values are computed when the site is built. The column *Computed* follows the source's own words;
*Exact* is the number of configurations, for figures of state spaces.

* *holds in another reading*: only another reading, form, path or number of pieces gives the figure.
* *does not hold*: no reading that was tried gives it; the explanation lists the readings.
* *inconsistent within the source*: another place in the source contradicts it. We do not decide
  which place is right.
* *no claim*: the source assumes it, or does not state it; our result is given as well.
* *undecided*: no computation can decide it, for example because people played, or because it needs
  a network that is not available.

Means and rates of games that a source has played are judged as samples. A value in the 95 %
interval of the difference from ours holds. A value outside does not hold only if chance alone would
keep all samples of this number closer, with 99 % (Sidak's rule; ``urcx verify`` states the number
of standard errors). Between these limits it is *undecided*. Figures that need many games or all
states have no value here, but ``urcx verify`` computes them. *(Recorded)* values were computed once
because they take minutes; ``urcx verify --tablebase`` computes them again from a solved game."""


BIBLIOGRAPHY = """\
``urcx cite`` prints all entries in BibTeX, and ``urcx cite KEY`` prints one. The key can also be a
convention of ``urcx gtc`` or a form of ``urcx ssc``, such as ``urcx cite allis``."""

EXACT = """\
Means over all games of random, greedy and optimal play against themselves; each side begins half of
the games. Nothing is sampled: :doc:`../mathematics/expectations` explains how means and error
bounds are computed. The last column is an error bound of all means of an entry. ``urcx gtc``
compares its estimates for these agents with this table. The page is generated from
``urcx/published/data/exact.toml``, which ``benchmarks/exact_table.py`` writes."""
LONGEST = """\
The mean of the longest game, if both players prolong it: :doc:`../contrib/extremes` explains how it
is computed and bounded. Moves are plies that are not passes. The table is generated from
``urcx/published/data/longest.toml``."""
# The columns of each entry: heading, group of the mean, its key, and its decimals.
SHOWN = (
    ("Plies", "measures", "plies", 6),
    ("Turns", "measures", "turns", 6),
    ("Legal moves per ply", "measures", "choices_per_ply", 8),
    ("Legal moves per move", "measures", "choices_per_move", 8),
)


def write_all(directory: Path) -> None:
    """Write every page below a directory; unchanged files are not touched."""
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
    by_name = {name: group.get_command(parent, name) for name in group.list_commands(parent)}
    return {
        name: (command, type(parent)(command, parent=parent, info_name=name))
        for name, command in by_name.items()
    }


def command_pages() -> dict[str, str]:
    """Return the page of every command, and ``index``."""
    all_commands = commands()
    texts = {
        name: "\n".join(_command_page(name, *pair)) + "\n" for name, pair in all_commands.items()
    }
    lines = [
        *_heading("Commands"),
        COMMANDS,
    ]
    for panel, names in groupby(
        all_commands, key=lambda name: str(all_commands[name][0].rich_help_panel)
    ):
        lines += ["", *_heading(panel, "-")]
        listed = list(names)
        for name in listed:
            lines += [
                f":doc:`urcx {name} <{name}>`",
                f"    {_plain(_summary(all_commands[name][0]))}",
                "",
            ]
        lines += [".. toctree::", "   :hidden:", "", *(f"   {name}" for name in listed)]
    return {**texts, "index": "\n".join(lines) + "\n"}


def _summary(command: Any) -> str:
    return str(command.help).split("\n", maxsplit=1)[0]


def _command_page(name: str, command: Any, context: Any) -> Iterator[str]:
    yield from _heading(f"urcx {name}")
    usage = " ".join(("urcx", name, *command.collect_usage_pieces(context)))
    yield from (".. code-block:: text", "", f"   {usage}", "")
    outputs = dict(kept(name))
    for paragraph in str(command.help).split("\n\n"):
        lines = paragraph.strip().split("\n")
        if lines[0].startswith(("urcx ", "$ ")) or "| urcx " in lines[0]:
            for line in lines:
                yield from _example(line, outputs)
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
    """Return the conventions of game-tree complexity, for inclusion in a page."""
    lines = (
        "\n".join(
            (
                f"``{convention.name}``",
                " ".join(
                    [
                        f"    :math:`{convention.latex}`: {_plain(convention.counts)}.",
                        *map(_cited, convention.sources),
                    ]
                ),
                "",
            )
        )
        for convention in CONVENTIONS
    )
    return "\n".join(lines)


def bibliography_page() -> str:
    """Return the bibliography, whose entries pages cite by their keys."""
    lines = [*_heading("Bibliography", "="), BIBLIOGRAPHY, ""]
    for reference in references().values():
        author = f"{reference.author}, " if reference.author else ""
        rest = reference.text.removeprefix(author + reference.title)
        text = f"{_plain(reference.author)}, *" if author else "*"
        lines.append(f".. [{reference.key}] {text}{_plain(reference.title)}*{_plain(rest)}.")
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
    # If several classes have the same schema, the class with the most fields has all of them.
    declared = sorted(
        results(), key=lambda kind: sum(len(list(fields)) for fields in kind.members().values())
    )
    by_name = {(kind.schema, kind.when): kind for kind in declared}
    return [by_name[name] for name in sorted(by_name)]


def _declaring() -> Iterator[str]:
    """Return the modules that declare JSON; modules of extras may be missing."""
    top = Path(cli.__file__).parent
    for file in sorted(top.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        if "    schema = " in text:
            yield ".".join(("urcx", *file.relative_to(top).with_suffix("").parts))


def members_list() -> str:
    """Return the fields of every schema's JSON object, for inclusion in a page."""
    lines: list[str] = []
    for schema in schemas():
        lines += [f"``{schema.schema}``" + (f", {schema.when}" if schema.when else "")]
        for place, fields in schema.members().items():
            lines += [f"    In {_place(place)}:", ""] if place else []
            lines += [f"    * {_member(field)}" for field in fields if field.keys]
            lines += [""]
    return "\n".join(lines) + "\n"


def _place(place: str) -> str:
    """Return the place of fields: ``rows``, or ``measures``, by name."""
    path, _, last = place.rpartition(".")
    return f"``{path}``, by {last.lower()}" if last.isupper() else f"``{place}``"


def _member(field: Field) -> str:
    keys = ", ".join(f"``{key}``" for key in field.keys)
    return f"{keys}: {_plain(field.about)}"


def further_names() -> str:
    """Return reference entries for public names that no page of the reference has."""
    pages = Path(__file__).parent.glob("api/*.rst")
    written = "".join(file.read_text(encoding="utf-8") for file in pages)
    lines = []
    for name in urcx.PUBLIC:
        documented = re.search(rf":: urcx\.{name}$", written, re.MULTILINE)
        if not documented and name != "UrcxError":  # which is on the page of errors
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
        record = FIGURES.record(verdict_of(figure))
        if record["verdict"] != figure.verdict:
            raise ValueError(f"{figure.place}: {record['verdict']}, recorded as {figure.verdict}")
        computed, explanation = record["computed"], record["explanation"]
        if record["obtained"]:
            computed += " (recorded)"
            explanation += f"; ours: {record['obtained']}"
        exact = f"{int(record['exact']):,}" if record["exact"] else ""
    verdict = f"*{figure.verdict}*" + (f": {_plain(explanation)}" if explanation else "")
    return _plain(figure.place), _plain(figure.printed), _plain(computed), exact, verdict


def exact_page() -> str:
    """Return the page of exact means."""
    lines = [*_heading("Exact means"), EXACT, ""]
    for rules, entries in groupby(exact_table(), lambda entry: entry.rules):
        group = tuple(entries)
        lines += _heading(f"{rules}, {group[0].pieces} pieces per side", "-")
        heads = ("Agent", *(title for title, *_ in SHOWN), "First player wins", "Error bound")
        lines += _table(heads, map(_exact_row, group), "12 14 14 15 15 18 12")
        names = ("Agent", *group[0].gtc)
        rows = [
            (entry.agent, *(f"{mean:.6f}" for mean, _ in entry.gtc.values())) for entry in group
        ]
        lines += ["Game-tree complexity, log10, in each convention:", ""]
        lines += _table(names, rows, " ".join(["10"] * len(names)))
        lines += [f"* ``{entry.command}``, commit {entry.commit}" for entry in group] + [""]
    lines += [*_heading("The longest expected game", "-"), LONGEST, ""]
    heads = ("Rules", "Pieces", "Unit", "At least", "At most", "Command, commit")
    rows = [
        (
            entry.rules, str(entry.pieces), entry.unit, _long_mean(entry.lower),
            "" if entry.upper is None else _long_mean(entry.upper),
            f"``{entry.command}``, {entry.commit}",
        )
        for entry in longest_table()
    ]  # fmt: skip
    lines += _table(heads, rows, "10 8 8 17 17 40")
    return "\n".join(lines) + "\n"


def _long_mean(mean: float) -> str:
    """Return a bound; bounds of many plies have seven digits in the data."""
    return f"{mean:,.3f}" if mean < 1e15 else f"{mean:.6e}"


def _exact_row(entry: ExactMeans) -> tuple[str, ...]:
    parts: list[tuple[Mean, int]] = [(getattr(entry, part)[key], n) for _, part, key, n in SHOWN]
    parts.append((entry.first_wins, 10))
    most = max(bound for group in (entry.measures, entry.gtc) for _, bound in group.values())
    return (entry.agent, *(f"{mean[0]:.{n}f}" for mean, n in parts), f"{most:.0e}")


def _example(line: str, outputs: dict[str, str]) -> Iterator[str]:
    """Yield an example with its output, or with a smaller example and its output."""
    small = INSTEAD.get(line, line)
    if small != line or small not in outputs:
        yield from (".. code-block:: sh", "", f"   {line}", "")
    if small != line and small in outputs:
        yield from ("A smaller example:", "")
    if small in outputs:
        printed = outputs.pop(small).split("\n")
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
    """Return a text in which all markup of reStructuredText is escaped."""
    return MARKUP.sub(r"\\\g<0>", " ".join(text.split()))


def described(item: type, text: str) -> str:
    """Return a class's docstring with a section of the attributes that its annotations describe.

    The section is before errors and examples. A docstring with such a section stays the same.
    """
    hints = [hint for kind in item.__mro__ for hint in inspect.get_annotations(kind).values()]
    if not any("Annotated[" in str(hint) for hint in hints):
        return text
    section = []
    for name, inner, constant in annotated_attributes(item):
        if constant:
            continue
        texts = [part for part in inner.__metadata__ if isinstance(part, str)]
        fields = [part.about for part in inner.__metadata__ if isinstance(part, Field)]
        about = "; ".join(texts or fields)
        section.append(f"{name} : {_type_text(inner.__origin__)}")
        section.append(f"    {about[:1].upper()}{about[1:]}.")
    if not section or "\nAttributes\n---" in text:
        return text
    match = re.search(r"^(Raises|Examples)\n-----", text, re.MULTILINE)
    before, after = (text[: match.start()], text[match.start() :]) if match else (text, "")
    return "\n".join([before.rstrip(), "", "Attributes", "----------", *section, "", after])


def _type_text(kind: Any) -> str:
    """Return a type as text for a docstring, without modules."""
    return kind.__name__ if isinstance(kind, type) else re.sub(r"\w+\.", "", str(kind))
