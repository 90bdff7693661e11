"""Interpret the values of options: ranges such as ``1..15``, paths, rule sets, positions.

If a user confuses a path with a rule set, or writes a name without its option, the error message
names the right option.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, TypeVar

from urcx.commands.options import ALL
from urcx.complexity import forms
from urcx.errors import PositionError, UsageError
from urcx.reading import split_names
from urcx.reports.display.output import note
from urcx.rules import catalogue
from urcx.rules.catalogue import RuleSources
from urcx.rules.model import MAX_PIECES, Dice, Path, RuleSet
from urcx.rules.position import Position

if TYPE_CHECKING:
    from urcx.agents.agents import Agent

E = TypeVar("E", Path, RuleSet, Dice)
MAX_VALUES = 10_000  # of a range


def parse_range(text: str, what: str, largest: int = forms.MAX_PIECES) -> tuple[int, ...]:
    """Return the numbers of a range, ascending and distinct. ``what`` is the option in messages.

    Raises
    ------
    UsageError
        If the text is not a range, is descending, or is not within 1..``largest``.
    """
    values: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"\s*(-?[0-9]{1,40})(?:\.\.(-?[0-9]{1,40}))?\s*", part)
        if not match:
            raise UsageError(f"{what} {text!r}: must be a range such as 7, 1..15 or 1,3,5..7")
        first = int(match[1])
        last = first if match[2] is None else int(match[2])
        for value in (first, last):
            if not 1 <= value <= largest:
                raise UsageError(f"{what} {text!r}: must be from 1 to {largest:,}")
        if last < first:
            raise UsageError(f"{what} {text!r}: runs backwards. Write {last}..{first}")
        values.update(range(first, last + 1))
    if len(values) > MAX_VALUES:
        raise UsageError(f"{what} {text!r}: must have at most {MAX_VALUES} values")
    return tuple(sorted(values))


def parse_single(text: str, what: str) -> int:
    """Return a single number, for commands that take no range.

    Raises
    ------
    UsageError
        If the text is not a number from 1 to the largest number of pieces.
    """
    values = parse_range(text, what)
    if len(values) > 1:
        raise UsageError(f"{what} {text!r}: must be one number for this command, not a range")
    return values[0]


def dark_number(text: str | None) -> int | None:
    """Return dark's number of pieces, None for as many as light. Raises `UsageError`."""
    return None if text is None else parse_single(text, "--dark-pieces")


def named_path(words: Iterable[str] | str | None, names: str | None) -> str | None:
    """Return the names of paths from the arguments, or from ``--path``.

    Raises
    ------
    UsageError
        If the user wrote both.
    """
    if not words:
        return names
    arguments = words if isinstance(words, str) else ",".join(words)
    if names is not None:
        raise UsageError(f"--path {names} and {arguments!r} both name a path: leave out one")
    return arguments


def chosen_paths(names: str | None, file: FilePath | None) -> list[Path]:
    """Return the paths that ``--path`` and ``--path-file`` choose, without repeats.

    ``all`` chooses all paths of the catalogue and the file.

    Raises
    ------
    UnknownNameError
        If there is no path with a name.
    CatalogueError
        If the file cannot be used.
    UsageError
        If the file has no path and ``--path`` is missing, or if two paths have the same name.
    """
    entries = catalogue.catalogue()
    defaults: tuple[str, ...] = ("bell",)
    if file is not None:
        entries, defaults = catalogue.read_catalogue_file(file)
        if names is None and not defaults:
            raise UsageError(f"{file} defines no path. Choose a path with --path")
    paths = entries.paths
    chosen = list(defaults) if names is None else names_listed("--path", names)
    if chosen == [ALL] and ALL not in paths:
        chosen = list(paths)
    return distinct(
        "paths",
        [catalogue.resolve_entry("path", Path, paths, name, "bell", entries) for name in chosen],
    )


def distinct(kind: str, entries: Iterable[E]) -> list[E]:
    """Return entries without repeats.

    Raises
    ------
    UsageError
        If different entries have the same name.
    """
    by_name: dict[str, E] = {}
    for entry in entries:
        if by_name.setdefault(entry.name, entry) != entry:
            raise UsageError(f"two different {kind} are called {entry.name}. Rename one of them")
    return list(by_name.values())


def chosen_path(name: str | None, file: FilePath | None) -> Path:
    """Return the path that the options choose.

    Raises
    ------
    UsageError
        As `chosen_paths` does, and if the options choose several paths.
    """
    paths = chosen_paths(name, file)
    if len(paths) > 1:
        some = ", ".join(path.name for path in paths[:3]) + (", ..." if len(paths) > 3 else "")
        raise UsageError(f"this command takes one path, not {some}. Choose a path with --path")
    return paths[0]


def default_rules(file: FilePath | None) -> str:
    """Return the name of the default rule set: the only one of the user's file, or finkel."""
    rules = None if file is None else catalogue.only_own(catalogue.read_catalogue_file(file)[0])
    return catalogue.DEFAULT_RULES if rules is None else rules.name


def chosen_rules(name: str | None, file: FilePath | None, pieces: str | None = None) -> RuleSet:
    """Return the rule set of a name, from the catalogue or the user's file.

    Without a name, this is `default_rules`. ``pieces``, as text, replaces the rule set's number of
    pieces per side.

    Raises
    ------
    UnknownNameError
        If there is no rule set with this name.
    CatalogueError
        If the file cannot be used.
    UsageError
        If ``name`` is a list of names, or ``pieces`` is not a valid number of pieces.
    """
    _check_single(name)
    rules = catalogue.ruleset(default_rules(file) if name is None else name, path_file=file)
    return rules if pieces is None else replace(rules, pieces=_number(pieces))


def compared_rules(
    names: Iterable[str], file: FilePath | None, pieces: str | None
) -> list[RuleSet]:
    """Return the rule sets of names, with each number of pieces of a range, without repeats.

    Raises
    ------
    UnknownNameError, CatalogueError, UsageError
        As `chosen_rules` does, and if two different rule sets have the same name.
    """
    listed = names_listed("RULES", ",".join(names) or default_rules(file))
    chosen = distinct("rule sets", [catalogue.ruleset(name, path_file=file) for name in listed])
    if pieces is None:
        return chosen
    return [replace(rules, pieces=number) for rules in chosen for number in _numbers(pieces)]


def _check_single(name: str | None) -> None:
    """Raise `UsageError` for a list of rule sets, unless it is a file's name with a comma."""
    if name is None or "," not in name:
        return
    file, _ = catalogue.split_file_name(name)
    if not file or not FilePath(file).exists():
        raise UsageError(
            f"--rules {name}: must be one rule set for this command (urcx compare takes several)"
        )


def _number(pieces: str) -> int:
    numbers = _numbers(pieces)
    if len(numbers) > 1:
        raise UsageError(
            f"--pieces {pieces!r}: must be one number for this command (urcx compare takes a range)"
        )
    return numbers[0]


def _numbers(pieces: str) -> tuple[int, ...]:
    """Return the numbers of pieces in a range, or raise `UsageError` if games cannot have them."""
    return parse_range(pieces, "--pieces", MAX_PIECES)


def names_listed(option: str, names: str) -> list[str]:
    """Return the names of a comma-separated list, or raise `UsageError` if a name is empty."""
    listed = split_names(names)
    if "" in listed:
        raise UsageError(f"{option} {names!r}: a name is empty")
    return listed


def rule_sources(
    name: str | None, pieces: str | None, tablebase: FilePath | None, path_file: FilePath | None
) -> RuleSources:
    """Return the sources of the rules that options name. Raises as `chosen_rules` does."""
    _check_single(name)
    number = None if pieces is None else _number(pieces)
    if tablebase is None and path_file is None:
        return RuleSources(name, number)
    from urcx.solving.files.rgu import rule_sources as sources

    return sources(name, number, tablebase, path_file)


def solved_rules(
    name: str | None, pieces: str | None, tablebase: FilePath | None, path_file: FilePath | None
) -> RuleSet:
    """Return the rule set that options choose as `RuleSources` does, and print its notes."""
    sources = rule_sources(name, pieces, tablebase, path_file)
    rules = sources.decided()
    for line in sources.notes:
        note(line)
    return rules


def check_solution(tablebase: FilePath | None, rules: RuleSet) -> FilePath | None:
    """Return the file of ``--tablebase`` or the saved solution, or None to solve at once.

    Raises
    ------
    UrcxError
        If the file is of other rules, if there is no solution and the rule set is too large, or if
        the path cannot have tablebases.
    """
    from urcx.solving.files.header import check_game
    from urcx.solving.files.kept import find_solution
    from urcx.solving.files.tablebase import open_tablebase
    from urcx.solving.layered.order import order_of

    if tablebase is None:
        order_of(rules)  # raises if the path cannot have tablebases
        return find_solution(rules)
    with open_tablebase(tablebase) as base:
        check_game(tablebase, base.rules, rules)
    return tablebase


def position_text(text: str | None) -> str:
    """Return the text of a position, by default the start.

    Raises
    ------
    PositionError
        If the text is the name of a rule set.
    """
    if text in catalogue.catalogue().rules:
        raise PositionError(f"{text} is a rule set, not a position. Use --rules {text}")
    return str(Position()) if text is None else text


def both_sides(
    agent: str | None, light: str | None, dark: str | None, default: str
) -> tuple[str, str]:
    """Return the names of light's and dark's agents.

    Raises
    ------
    UsageError
        If ``agent`` is superfluous, because both sides have their own.
    """
    if agent is not None and light is not None and dark is not None:
        raise UsageError("--light and --dark already name both agents: leave out --agent")
    rest = default if agent is None else agent
    return light or rest, dark or rest


def both_agents(
    agent: str | None, light: str | None, dark: str | None, default: str
) -> tuple[Agent, Agent]:
    """Return light's and dark's agents. Raises as `both_sides` and `urcx.agent` do."""
    from urcx.agents.agents import agent as as_agent

    first, second = both_sides(agent, light, dark, default)
    return as_agent(first), as_agent(second)


# Command lines that the parser refuses.


def correction(error: Any, arguments: list[str]) -> str:
    """Return a message that is better than the parser's, or an empty string.

    ``error`` is the parser's error, ``arguments`` the command line.
    """
    context = getattr(error, "ctx", None)
    command = getattr(context, "command", None)
    if context is None or command is None:
        return ""
    options = {name for parameter in command.params for name in parameter.opts}
    message, wrong = str(error.format_message()), getattr(error, "option_name", "")
    if wrong in ("--rules", "--path"):
        other = _other_option(wrong, _value_of(wrong, arguments), str(command.name), options)
        if other:
            return other
    if "No such option" in message:
        # Without hyphens, since these make all options similar.
        names = [name[2:] for name in options if name.startswith("--")]
        near = difflib.get_close_matches(wrong.lstrip("-"), names, n=2, cutoff=0.7)
        hint = f" Did you mean --{' or --'.join(near)}?" if near else ""
        return f"no such option: {wrong}.{hint} See {context.command_path} --help"
    words = re.search(r"unexpected extra arguments?(?:\(s\))? \((.*)\)", message)
    if words is None:
        return ""
    unexpected = f"unexpected argument: {words[1]}{see_help(error)}"
    return _option_of(words[1].partition(" ")[0], options) or unexpected


def see_help(error: Any) -> str:
    """Return the end of the parser's message: an example, or the command whose help to read."""
    context, message = getattr(error, "ctx", None), str(error.format_message())
    if context is None:
        return ""
    see = f" See {context.command_path} --help"
    if "No such command" in message:
        return see if message.endswith("?") else f".{see}"
    example = re.search(
        rf"^ *({context.command_path} \S.*)$", str(context.command.help), re.MULTILINE
    )
    kinds = ("Missing argument", "Missing option", "unexpected extra argument")
    if example is None or not any(kind in message for kind in kinds):
        return ""
    return f". For example: {example[1]}"


def _value_of(option: str, arguments: list[str]) -> str:
    for k, argument in enumerate(arguments):
        if argument.startswith(f"{option}="):
            return argument.removeprefix(f"{option}=")
        if argument == option and k + 1 < len(arguments):
            return arguments[k + 1]
    return ""


def _other_option(wrong: str, value: str, command: str, options: set[str]) -> str:
    """Return the message for ``--rules`` instead of ``--path``, or the reverse."""
    right = "--path" if wrong == "--rules" else "--rules"
    if right not in options:
        return ""
    entries = catalogue.catalogue()
    rules = entries.rules
    if wrong == "--rules":
        name = rules[value].path.name if value in rules else ""
        kind = "a path, not a rule set"
    else:
        played = [item.name for item in rules.values() if item.path.name == value]
        name = rules[value].name if value in rules else played[0] if played else ""
        kind = "a rule set, not a path"
    advice = f"Use {right} {name}" if name else f"Use {right} NAME (see urcx paths)"
    return f"no such option: {wrong}. urcx {command} takes {kind}. {advice}"


def _option_of(word: str, options: set[str]) -> str:
    """Return the message for a name without its option."""
    entries = catalogue.catalogue()
    kinds = (("--path", entries.paths), ("--rules", entries.rules), ("--dice", entries.dice))
    for option, names in kinds:
        if option in options and word in names:
            return f"unexpected {word!r}. Use {option} {word}"
    if options & {"--agent", "--against", "--source"}:
        return _agent_or_source(word, options)
    return ""


def _agent_or_source(word: str, options: set[str]) -> str:
    from urcx.published.figures import FILES

    if "--source" in options and word in FILES:
        return f"unexpected {word!r}. Use --source {word}"
    agent = next((name for name in ("--agent", "--against") if name in options), "")
    if agent:
        from urcx.agents.kinds import KINDS

        if word.partition(":")[0] in KINDS:
            return f"unexpected {word!r}. Use {agent} {word}"
    return ""
