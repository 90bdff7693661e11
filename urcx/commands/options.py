"""Shared options: each has one name, meaning and default; `command` adds those of the output.

Options of several commands are declared here, once, and groups of options that say one thing, such
as the rules. Nothing heavy is imported for the help: `urcx.commands.parsing`, which interprets
values, is imported when there are some.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path as FilePath
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Annotated, Any

import typer

from urcx.errors import UsageError
from urcx.reports.display.output import Style, check_not_read, check_plot, note
from urcx.reports.display.provenance import about_run

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from urcx.rules.model import Path, RuleSet

# The possible values: a sequence, a function that returns one, or ``module:NAME`` of either.
Values = Sequence[str] | Callable[[], Iterable[str]] | str

ALL = "all"  # the same as no value, where that is the default
ALL_BY_DEFAULT = f"[default: {ALL}]"


def among(values: Values, *, several: bool = False) -> Callable[[str], list[str]]:
    """Return the shell's completion function for one of some values.

    ``several`` completes the last one of a list with commas. A module is imported only for
    completion.
    """

    def complete(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",") if several else ("", "", incomplete)
        known: Any = resolve_name(values) if isinstance(values, str) else values
        names = dict.fromkeys(known() if callable(known) else known)
        return [before + comma + name for name in names if name.startswith(last)]

    return complete


def option(
    names: str, text: str, values: Values | None = None, *, several: bool = False, **more: Any
) -> Any:
    """Return an option for ``Annotated``: its names, its help text, its possible values.

    The text ends with the default in brackets if that is not a single value, which the help shows
    automatically. ``[default: all]`` can also be typed: ``all`` is the same as no value.
    """
    complete = None if values is None else among(values, several=several)
    if text.endswith(ALL_BY_DEFAULT):
        more["callback"] = _none_for_all
    return typer.Option(*names.split(), help=text, autocompletion=complete, **more)


def argument(
    metavar: str, text: str, values: Values | None = None, *, several: bool = False
) -> Any:
    """Return an argument for ``Annotated``; see `option`."""
    complete = None if values is None else among(values, several=several)
    every = _none_for_all if text.endswith(ALL_BY_DEFAULT) else None
    return typer.Argument(metavar=metavar, help=text, autocompletion=complete, callback=every)


def _none_for_all(value: Any) -> Any:
    """Return the value of an option, None for ``all``, the default."""
    return None if value in (ALL, [ALL]) else value


def rule_set_names() -> list[str]:
    """Return the names of the built-in rule sets."""
    from urcx.rules.catalogue import catalogue

    return [rules.name for rules in catalogue().rules.values()]


def dice_names() -> list[str]:
    """Return the names of the built-in dice."""
    from urcx.rules.catalogue import catalogue

    return [dice.name for dice in catalogue().dice.values()]


PATHS = "urcx.rules.catalogue:path_names"
KINDS = "urcx.agents.kinds:KINDS"  # of agents

# Paths, rule sets, dice and pieces.
SAME_AS_PATH = "The same as --path."
PathWords = Annotated[list[str] | None, argument("PATH", SAME_AS_PATH, PATHS, several=True)]
PathWord = Annotated[str | None, argument("PATH", SAME_AS_PATH, PATHS)]
PathNames = Annotated[
    str | None,
    option(
        "--path",
        "Path or paths, comma separated, or all; see urcx paths. [default: bell, or the file's]",
        PATHS,
        several=True,
    ),
]
PathName = Annotated[
    str | None,
    option("--path", "Path; see urcx paths. [default: bell, or the file's]", PATHS),
]
PathFile = Annotated[
    FilePath | None,
    option(
        "--path-file",
        "TOML file with paths and rules of your own; without it, name one as FILE.toml:NAME.",
    ),
]
DiceNames = Annotated[
    str | None,
    option(
        "--dice",
        "Dice, comma separated; urcx paths lists them. [default: all]",
        dice_names,
        several=True,
    ),
]
PiecesRange = Annotated[str, option("--pieces -p", "Pieces a side, from 1: 7, 1..15 or 1,3,5..7.")]
Pieces = Annotated[str, option("--pieces -p", "Pieces a side, from 1 to 255.")]


def _rules(first: str = "") -> Any:
    """Return the option of a rule set; ``first`` is what may say it besides."""
    own = "the only one of --path-file, else finkel"
    text = f"Rule set; see urcx paths. [default: {first}{own}]"
    return option("--rules", text, rule_set_names)


def _pieces(first: str = "") -> Any:
    """Return the option of a rule set's pieces; ``first`` is what may say it besides."""
    text = f"Pieces a side, from 1 to 255. [default: {first}the rule set's]"
    return option("--pieces -p", text)


def who(default: str, text: str = "Who plays: NAME[:DEPTH][:LEAF][:TIES].") -> Any:
    """Return the option of the agent of both sides."""
    return option("--agent", f"{text} [default: {default}]", KINDS)


def another(side: str, known: str = KINDS) -> Any:
    """Return the option of another agent for a side; ``known`` names what there is."""
    return option(f"--{side}", f"Another agent for {side}. [default: --agent's]", known)


Rules = Annotated[str | None, _rules()]
SolvedRules = Annotated[str | None, _rules("the tablebase's, else ")]
RulesPieces = Annotated[str | None, _pieces()]
SolvedPieces = Annotated[str | None, _pieces("the tablebase's, or ")]
Solution = Annotated[
    FilePath | None,
    option(
        "--tablebase",
        "The rule set's tablebase. [default: that which urcx solve has kept; small rule sets are "
        "solved on the fly]",
    ),
]
DarkPieces = Annotated[
    str | None, option("--dark-pieces", "Dark's pieces, from 1. [default: as many as light's]")
]
Order = Annotated[
    str,
    option(
        "--order",
        "Numbering: tiles (every path) or pattern (crossed once).",
        "urcx.enumerate.rankings.ranking:ORDERS",
    ),
]
Convention = Annotated[
    str,
    option(
        "--convention",
        "What is numbered: diagrams, positions, mover-view.",
        "urcx.enumerate.rankings.ranking:CONVENTIONS",
    ),
]

# Positions and agents.
PositionText = Annotated[
    str | None,
    argument(
        "POSITION",
        "LIGHT/DARK/HOME/TURN, such as A3/C2,B2/5-5/L, or by steps. [default: the start]",
    ),
]
OnlyRoll = Annotated[
    int | None, option("--roll", "Only this roll, one of the dice's. [default: every roll]")
]
KnownRoll = Annotated[int | None, option("--roll", "The roll, one of the dice's, if it is known.")]
Light = Annotated[str | None, another("light")]
Dark = Annotated[str | None, another("dark")]
Method = Annotated[
    str,
    option(
        "--method",
        "How to look ahead: levels (all states at once), tree (each position) or auto.",
        "urcx.agents.policies:METHODS",
    ),
]
NoCache = Annotated[
    bool, option("--no-cache", "Neither read nor keep levels in the cache directory.")
]
First = Annotated[
    str,
    option(
        "--first",
        "Who begins: alternate, light, dark or coin.",
        "urcx.games.simulator:FIRST_MOVERS",
    ),
]
Seed = Annotated[int, option("--seed", "Seed of the random numbers, from 0.")]


# How a computation is run.


def _capped(threads: int | None) -> int | None:
    """Print a note if more threads are requested than the engine starts."""
    from urcx.engine.threads import most_threads

    if threads is not None and threads > most_threads():
        note(f"--threads {threads}: no more than {most_threads()} are started on this machine")
    return threads


Threads = Annotated[
    int | None,
    option(
        "--threads",
        "Threads, from 1; they change no result, or only the last digits of exact means. "
        "[default: all cores]",
        callback=_capped,
    ),
]
Scheduler = Annotated[
    str | None,
    option(
        "--scheduler",
        "Work on a dask cluster, by the address of its scheduler. [default: threads]",
    ),
]
Yes = Annotated[bool, option("--yes -y", "Begin long or large computations without asking.")]
Plot = Annotated[
    FilePath | None,
    option(
        "--plot",
        "Draw the figure to a file (.svg, .png or .pdf); without a name, to COMMAND.svg.",
    ),
]

# How the result is shown: these options replace a command's parameter ``style``, in this order.
Wide = Annotated[bool, option("--wide", "Print all tables, rows, columns and notes.")]
Json = Annotated[bool, option("--json", "Print JSON.")]
Csv = Annotated[bool, option("--csv", "Print CSV.")]
Latex = Annotated[bool, option("--latex", "Print LaTeX for a paper: formulas, and a tabular.")]
Bfile = Annotated[bool, option("--bfile", "Print a b-file of the OEIS: n and a(n), from n = 0 on.")]
NoHeader = Annotated[
    bool, option("--no-header", "Leave out the lines that say how CSV, LaTeX or a b-file was made.")
]
Output = Annotated[FilePath | None, option("--output -o", "Write to a file.")]
OUTPUT = {
    "wide": (Wide, False),
    "json": (Json, False),
    "csv": (Csv, False),
    "latex": (Latex, False),
    "bfile": (Bfile, False),
    "no_header": (NoHeader, False),
    "output": (Output, None),
}
# Options that stand last in the help of every command, in this order, before those of the output.
LAST = ("threads", "scheduler", "layers", "yes", "path_file", "plot", "sheet")
# The sections of a command's help by the names of their options. Others say ``rich_help_panel``, or
# are the method's.
PANELS = {
    "Game": "rules pieces path path_file dark_pieces dice names tablebase roll",
    "Players": "agent agents light dark against side opponent first pace",
    "Method": "",
    "Output": f"{' '.join(OUTPUT)} plot save help",
}
PANEL_OF = {name: title for title, names in PANELS.items() for name in names.split()}
WRITTEN = ("plot", "sheet", "output", "save")  # files
NOT_ONLY_READ = (*WRITTEN, "resume", "start", "checkpoint", "layers")


@dataclass(frozen=True)
class Group:
    """Options that together say one thing, the parameters of ``make``, which returns the thing.

    A command that has a parameter annotated with a group gets its options in place of it. It may
    declare an option of the group itself, to have its value as well.
    """

    make: Callable[..., Any]
    # Annotations of what ``make`` takes as ``**``; None by default.
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def options(self) -> dict[str, inspect.Parameter]:
        """Return the options by name."""
        named = inspect.signature(self.make, eval_str=True).parameters
        more = {name: _option(name, annotation, None) for name, annotation in self.more.items()}
        return more | {name: one for name, one in named.items() if one.kind is not one.VAR_KEYWORD}


def _option(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=default, annotation=annotation)


def _game(rules: Rules = None, pieces: RulesPieces = None, path_file: PathFile = None) -> Any:
    from urcx.commands import parsing

    return parsing.chosen_rules(rules, path_file, pieces)


def _solved_game(
    rules: SolvedRules = None,
    pieces: SolvedPieces = None,
    tablebase: Solution = None,
    path_file: PathFile = None,
) -> Any:
    from urcx.commands import parsing

    return parsing.solved_rules(rules, pieces, tablebase, path_file)


def _position(position: PositionText = None) -> str:
    from urcx.commands import parsing

    return parsing.position_text(position)


def _one_path(word: PathWord = None, path: PathName = None, path_file: PathFile = None) -> Any:
    from urcx.commands import parsing

    return parsing.chosen_path(parsing.named_path(word, path), path_file)


Game = Annotated["RuleSet", Group(_game)]
SolvedGame = Annotated["RuleSet", Group(_solved_game)]
OnePosition = Annotated[str, Group(_position)]
OnePath = Annotated["Path", Group(_one_path)]


@contextmanager
def open_executor(scheduler: str | None) -> Iterator[Executor | None]:
    """Yield the executor that ``--scheduler`` names, None without it; close it at the end.

    Raises
    ------
    UsageError, UrcxError
        As `urcx.engine.dask.cluster` does.
    """
    if scheduler is None:
        yield None
        return
    from urcx.engine.dask import cluster

    with cluster(scheduler) as executor:
        yield executor


def command(
    *, wide: bool = False, csv: bool = True, file: bool = True, more: Sequence[str] = ()
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command its groups of options, and those of the output in place of ``style``.

    The command receives the `Style` that they choose, after a check that the file can be written,
    and that of ``--plot``, if the command has a parameter of this name.

    Parameters
    ----------
    wide, csv, file
        Whether to add ``--wide``, ``--csv`` and ``--output``; ``--json`` is always added.
    more
        Further forms: ``latex``, ``bfile``.
    """
    offered = {"wide": wide, "json": True, "csv": csv, "no_header": csv, "output": file}
    chosen = [name for name in OUTPUT if offered.get(name, name in more)]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = dict(inspect.signature(command, eval_str=True).parameters)
        del own["style"]
        groups: dict[str, Group] = {}
        options: dict[str, inspect.Parameter] = {}
        for name, parameter in own.items():
            for group in getattr(parameter.annotation, "__metadata__", ()):
                if isinstance(group, Group):
                    groups[name] = group
            options |= groups[name].options if name in groups else {name: parameter}
        options |= {name: _option(name, *OUTPUT[name]) for name in chosen}
        last = [*LAST, *chosen]
        ordered = sorted(options, key=lambda name: last.index(name) if name in last else -1)
        parameters = [
            options[name].replace(kind=inspect.Parameter.KEYWORD_ONLY) for name in ordered
        ]

        @wraps(command)
        def wrapper(**values: Any) -> None:
            shown = {name: values.pop(name) for name in chosen}
            output = shown.pop("output", None)
            style = Style.chosen(**shown, file=output)
            check_plot(values.get("plot"), output)
            about_run(
                values.get("seed"), ["--plot", "--sheet", *(["--output", "-o"] if file else [])]
            )
            check_not_read(
                [output, *(values.get(name) for name in WRITTEN)],
                [value for name, value in values.items() if name not in NOT_ONLY_READ],
            )
            made = {
                name: group.make(**{option: values[option] for option in group.options})
                for name, group in groups.items()
            }
            command(style=style, **{name: values.get(name) for name in own} | made)

        # typer reads the options from these.
        vars(wrapper)["__signature__"] = inspect.Signature(parameters)
        wrapper.__annotations__ = {item.name: item.annotation for item in parameters}
        return wrapper

    return decorate


def reject_options(context: typer.Context, why: str, *names: str) -> None:
    """Refuse options that would have no effect; ``names`` are the command's parameters.

    Raises
    ------
    UsageError
        If one of them is on the command line, even with its default.
    """
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if parameter.name in names and source is not None and source.name == "COMMANDLINE":
            off = context.params.get(parameter.name) is False and parameter.secondary_opts
            raise UsageError(f"{max(off or parameter.opts, key=len)} {why}")
