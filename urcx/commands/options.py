"""Options that several commands share. `command` adds the options of the output.

Each option has one name, meaning and default everywhere. A `Group` is a set of options that choose
one thing together, such as the rule set. The help imports nothing heavy:
`urcx.commands.parsing`, which interprets values, is imported when a command runs.
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

# The possible values: a sequence, a function that returns it, or ``module:NAME`` of either.
Values = Sequence[str] | Callable[[], Iterable[str]] | str

ALL = "all"  # the same as no value, where that is the default
ALL_BY_DEFAULT = f"[default: {ALL}]"


def among(values: Values, *, several: bool = False) -> Callable[[str], list[str]]:
    """Return the function by which the shell completes a value.

    ``several`` completes the last value of a comma-separated list. The module of ``module:NAME`` is
    imported only for completion.
    """

    def complete(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",") if several else ("", "", incomplete)
        resolved: Any = resolve_name(values) if isinstance(values, str) else values
        names = dict.fromkeys(resolved() if callable(resolved) else resolved)
        return [before + comma + name for name in names if name.startswith(last)]

    return complete


def option(
    names: str, text: str, values: Values | None = None, *, several: bool = False, **more: Any
) -> Any:
    """Return an option for ``Annotated``, from its names, help text and possible values.

    The help adds a default that is a single value. Any other default ends the text, in brackets:
    ``[default: all]``. In this case users can also type ``all``, which is the same as no value.
    """
    complete = None if values is None else among(values, several=several)
    if text.endswith(ALL_BY_DEFAULT):
        more["callback"] = _none_for_all
    return typer.Option(*names.split(), help=text, autocompletion=complete, **more)


def argument(
    metavar: str, text: str, values: Values | None = None, *, several: bool = False
) -> Any:
    """Return an argument for ``Annotated``, as `option` does."""
    complete = None if values is None else among(values, several=several)
    callback = _none_for_all if text.endswith(ALL_BY_DEFAULT) else None
    return typer.Argument(metavar=metavar, help=text, autocompletion=complete, callback=callback)


def _none_for_all(value: Any) -> Any:
    """Return the value of an option, or None if it is ``all``, the default."""
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
SAME_AS_PATH = "Same as --path."
PathWords = Annotated[list[str] | None, argument("PATH", SAME_AS_PATH, PATHS, several=True)]
PathWord = Annotated[str | None, argument("PATH", SAME_AS_PATH, PATHS)]
PathNames = Annotated[
    str | None,
    option(
        "--path",
        "Paths, comma separated, or all (see urcx paths). [default: bell, or the paths of "
        "--path-file]",
        PATHS,
        several=True,
    ),
]
PathName = Annotated[
    str | None,
    option(
        "--path",
        "Path (see urcx paths). [default: bell, or the only path of --path-file]",
        PATHS,
    ),
]
PathFile = Annotated[
    FilePath | None,
    option(
        "--path-file",
        "TOML file with your own paths and rules. You can also name an entry as FILE.toml:NAME.",
    ),
]
DiceNames = Annotated[
    str | None,
    option(
        "--dice",
        "Dice, comma separated, or all (see urcx paths). [default: all]",
        dice_names,
        several=True,
    ),
]
PiecesRange = Annotated[
    str, option("--pieces -p", "Pieces per side, from 1: 7, 1..15 or 1,3,5..7.")
]
Pieces = Annotated[str, option("--pieces -p", "Pieces per side, from 1 to 255.")]


def _rules(before: str = "") -> Any:
    """Return the option for a rule set. ``before`` is a default that precedes the usual one."""
    usual = "the only rule set of --path-file, or finkel"
    text = f"Rule set (see urcx paths). [default: {before}{usual}]"
    return option("--rules", text, rule_set_names)


def _pieces(before: str = "") -> Any:
    """Return the option for the number of pieces. ``before`` precedes the usual default."""
    text = f"Pieces per side, from 1 to 255. [default: as in the {before}rule set]"
    return option("--pieces -p", text)


def who(default: str, text: str = "Agent for both sides: NAME[:DEPTH][:LEAF][:TIES].") -> Any:
    """Return the option for the agent of both sides."""
    return option("--agent", f"{text} [default: {default}]", KINDS)


def another(side: str, agents: str = KINDS) -> Any:
    """Return the option for the agent of one side. ``agents`` has the names to complete."""
    return option(f"--{side}", f"Agent for {side}. [default: --agent]", agents)


Rules = Annotated[str | None, _rules()]
SolvedRules = Annotated[str | None, _rules("as in the tablebase, ")]
RulesPieces = Annotated[str | None, _pieces()]
SolvedPieces = Annotated[str | None, _pieces("tablebase or ")]
Solution = Annotated[
    FilePath | None,
    option(
        "--tablebase",
        "Tablebase of the rule set. [default: the saved solution; small rule sets are solved at "
        "once]",
    ),
]
DarkPieces = Annotated[
    str | None, option("--dark-pieces", "Dark's pieces, from 1. [default: as many as light]")
]
Order = Annotated[
    str,
    option(
        "--order",
        "Numbering: tiles (for every path) or pattern (for paths that cross each tile once).",
        "urcx.enumerate.rankings.ranking:ORDERS",
    ),
]
Convention = Annotated[
    str,
    option(
        "--convention",
        "States to number: diagrams (configurations, without a side to move), positions, or "
        "mover-view (seen by the player to move).",
        "urcx.enumerate.rankings.ranking:CONVENTIONS",
    ),
]

# Positions and agents.
PositionText = Annotated[
    str | None,
    argument(
        "POSITION",
        "LIGHT/DARK/HOME/TURN, such as A3/C2,B2/5-5/L, or start. [default: start]",
    ),
]
OnlyRoll = Annotated[
    int | None, option("--roll", "Only this roll, one of the dice's. [default: every roll]")
]
KnownRoll = Annotated[
    int | None, option("--roll", "The roll, one of the dice's. [default: not rolled yet]")
]
Light = Annotated[str | None, another("light")]
Dark = Annotated[str | None, another("dark")]
Method = Annotated[
    str,
    option(
        "--method",
        "How agents look ahead: levels (value tables of all states), tree (a search from each "
        "position) or auto.",
        "urcx.agents.policies:METHODS",
    ),
]
NoCache = Annotated[
    bool, option("--no-cache", "Do not use or save value tables in the cache directory.")
]
First = Annotated[
    str,
    option(
        "--first",
        "First player: alternate, light, dark or coin (at random).",
        "urcx.games.simulator:FIRST_MOVERS",
    ),
]
Seed = Annotated[int, option("--seed", "Seed of the random numbers, from 0.")]


# How a computation is run.


def _capped(threads: int | None) -> int | None:
    """Print a note if the engine starts fewer threads than requested."""
    from urcx.engine.threads import most_threads

    if threads is not None and threads > most_threads():
        note(f"--threads {threads}: this machine can start {most_threads()}, which are used")
    return threads


Threads = Annotated[
    int | None,
    option(
        "--threads",
        "Threads, from 1. Results are the same, except for the last digits of exact means. "
        "[default: all cores]",
        callback=_capped,
    ),
]
Scheduler = Annotated[
    str | None,
    option(
        "--scheduler",
        "Address of a dask scheduler, to work on its cluster. [default: threads on this machine]",
    ),
]
Yes = Annotated[bool, option("--yes -y", "Start long or large computations without asking.")]
Plot = Annotated[
    FilePath | None,
    option(
        "--plot",
        "Draw the figure to a file (.svg, .png or .pdf). --plot alone draws to COMMAND.svg.",
    ),
]

# The form of the result: these options replace a command's parameter ``style``, in this order.
Wide = Annotated[bool, option("--wide", "Print all tables, rows, columns and notes.")]
Json = Annotated[bool, option("--json", "Print JSON.")]
Csv = Annotated[bool, option("--csv", "Print CSV.")]
Latex = Annotated[bool, option("--latex", "Print LaTeX for a paper: formulas and a tabular.")]
Bfile = Annotated[bool, option("--bfile", "Print a b-file of the OEIS: n and a(n), from n = 0.")]
NoHeader = Annotated[
    bool, option("--no-header", "Leave out the comments at the top of CSV, LaTeX or a b-file.")
]
Output = Annotated[FilePath | None, option("--output -o", "Write the result to this file.")]
OUTPUT = {
    "wide": (Wide, False),
    "json": (Json, False),
    "csv": (Csv, False),
    "latex": (Latex, False),
    "bfile": (Bfile, False),
    "no_header": (NoHeader, False),
    "output": (Output, None),
}
# Options at the end of the help of every command, in this order, before the output's options.
LAST = ("threads", "scheduler", "layers", "yes", "path_file", "plot", "sheet")
# The sections of a command's help, with the names of their options. Other options have a
# ``rich_help_panel``, or are in Method.
PANELS = {
    "Game": "rules pieces path path_file dark_pieces dice names tablebase roll",
    "Players": "agent agents light dark against side opponent first pace",
    "Method": "",
    "Output": f"{' '.join(OUTPUT)} plot save help",
}
PANEL_OF = {name: title for title, names in PANELS.items() for name in names.split()}
WRITTEN = ("plot", "sheet", "output", "save")  # options that name a file to write
NOT_ONLY_READ = (*WRITTEN, "resume", "start", "checkpoint", "layers")


@dataclass(frozen=True)
class Group:
    """A set of options that choose one object together: the parameters of ``make``.

    ``make`` returns the object. If a command annotates a parameter with a group, the group's
    options replace the parameter. The command may also declare one of these options itself, to
    receive its value too.
    """

    make: Callable[..., Any]
    # Annotations of the options that ``make`` takes as ``**``. Their default is None.
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def options(self) -> dict[str, inspect.Parameter]:
        """Return the options by name."""
        parameters = inspect.signature(self.make, eval_str=True).parameters
        more = {name: _option(name, annotation, None) for name, annotation in self.more.items()}
        return more | {
            name: parameter
            for name, parameter in parameters.items()
            if parameter.kind is not parameter.VAR_KEYWORD
        }


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
    """Yield the executor for ``--scheduler``, or None without it. Close it at the end.

    Raises
    ------
    UsageError, UrcxError
        The errors of `urcx.engine.dask.cluster`.
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
    """Return a decorator that replaces groups by their options, and ``style`` by the output's.

    The decorated command receives the `Style` that the output's options choose. Before it runs, the
    decorator checks that the files of ``--output`` and ``--plot`` can be written.

    Parameters
    ----------
    wide, csv, file
        Whether to add ``--wide``, ``--csv`` and ``--output``. ``--json`` is always added.
    more
        Other forms to add: ``latex``, ``bfile``.
    """
    offered = {"wide": wide, "json": True, "csv": csv, "no_header": csv, "output": file}
    chosen = [name for name in OUTPUT if offered.get(name, name in more)]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        declared = dict(inspect.signature(command, eval_str=True).parameters)
        del declared["style"]
        groups: dict[str, Group] = {}
        options: dict[str, inspect.Parameter] = {}
        for name, parameter in declared.items():
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
            form = {name: values.pop(name) for name in chosen}
            output = form.pop("output", None)
            style = Style.chosen(**form, file=output)
            check_plot(values.get("plot"), output)
            about_run(
                values.get("seed"), ["--plot", "--sheet", *(["--output", "-o"] if file else [])]
            )
            check_not_read(
                [output, *(values.get(name) for name in WRITTEN)],
                [value for name, value in values.items() if name not in NOT_ONLY_READ],
            )
            objects = {
                name: group.make(**{option: values[option] for option in group.options})
                for name, group in groups.items()
            }
            command(style=style, **{name: values.get(name) for name in declared} | objects)

        # typer reads the options from these.
        vars(wrapper)["__signature__"] = inspect.Signature(parameters)
        wrapper.__annotations__ = {item.name: item.annotation for item in parameters}
        return wrapper

    return decorate


def reject_options(context: typer.Context, why: str, *names: str) -> None:
    """Refuse options that would have no effect. ``names`` are the command's parameters.

    Raises
    ------
    UsageError
        If an option is on the command line, even with its default value.
    """
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if parameter.name in names and source is not None and source.name == "COMMANDLINE":
            off = context.params.get(parameter.name) is False and parameter.secondary_opts
            raise UsageError(f"{max(off or parameter.opts, key=len)} {why}")
