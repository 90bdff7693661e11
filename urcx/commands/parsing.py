"""Interprets the values of options: ranges such as ``1..15``, paths, rule sets, positions.

Users who confuse a path with a rule set, or write a name without its option, are told the right
option.
"""

from __future__ import annotations

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
MAX_VALUES = 10_000  # in one range


def parse_range(text: str, what: str, largest: int = forms.MAX_PIECES) -> tuple[int, ...]:
    """Return the numbers of a range, ascending and distinct.

    Raises
    ------
    UsageError
        If the text is not a range, is descending, or is not within 1..``largest``.
    """
    values: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"\s*(-?[0-9]{1,40})(?:\.\.(-?[0-9]{1,40}))?\s*", part)
        if not match:
            raise UsageError(f"{what} {text!r}: write a range such as 7, 1..15 or 1,3,5..7")
        first = int(match[1])
        last = first if match[2] is None else int(match[2])
        for value in (first, last):
            if not 1 <= value <= largest:
                raise UsageError(f"{what} {text!r}: must be from 1 to {largest}")
        if last < first:
            raise UsageError(f"{what} {text!r}: runs backwards; write {last}..{first}")
        values.update(range(first, last + 1))
    if len(values) > MAX_VALUES:
        raise UsageError(f"{what} {text!r}: more than {MAX_VALUES} values")
    return tuple(sorted(values))


def parse_single(text: str, what: str) -> int:
    """Return a single number, for commands that take no range; raises `UsageError`."""
    values = parse_range(text, what)
    if len(values) > 1:
        raise UsageError(f"{what} {text!r}: this command takes one number, not a range")
    return values[0]


def dark_number(text: str | None) -> int | None:
    """Return dark's number of pieces, or None for as many as light; raises `UsageError`."""
    return None if text is None else parse_single(text, "dark pieces")


def named_path(words: Iterable[str] | str | None, names: str | None) -> str | None:
    """Return the names of paths given as arguments or with ``--path``.

    Raises
    ------
    UsageError
        If both are given.
    """
    if not words:
        return names
    said = words if isinstance(words, str) else ",".join(words)
    if names is not None:
        raise UsageError(f"--path {names} and {said!r} both say which path; leave out one")
    return said


def chosen_paths(names: str | None, file: FilePath | None) -> list[Path]:
    """Return the paths that ``--path`` and ``--path-file`` choose, without repeats.

    ``all`` means those of the catalogue and the file.

    Raises
    ------
    UnknownNameError
        If there is no path with a given name.
    CatalogueError
        If the file cannot be used.
    """
    full = catalogue.catalogue()
    mine: tuple[str, ...] = ("bell",)
    if file is not None:
        full, mine = catalogue.read_catalogue_file(file)
        if names is None and not mine:
            raise UsageError(f"{file} defines no path; choose one with --path")
    paths = full.paths
    wanted = list(mine) if names is None else names_listed("--path", names)
    if wanted == [ALL] and ALL not in paths:
        wanted = list(paths)
    found = [catalogue.resolve_entry("path", Path, paths, name, "bell", full) for name in wanted]
    return distinct("paths", found)


def distinct(kind: str, result: Iterable[E]) -> list[E]:
    """Return entries without repeats; raises `UsageError` if different ones have the same name."""
    known: dict[str, E] = {}
    for one in result:
        if known.setdefault(one.name, one) != one:
            raise UsageError(f"two different {kind} are called {one.name}; give one another name")
    return list(known.values())


def chosen_path(name: str | None, file: FilePath | None) -> Path:
    """Return the one path that the options choose; raises `UsageError` if they choose several."""
    paths = chosen_paths(name, file)
    if len(paths) > 1:
        some = ", ".join(path.name for path in paths[:3]) + (", ..." if len(paths) > 3 else "")
        raise UsageError(f"this command takes one path, not {some}; choose with --path")
    return paths[0]


def default_rules(file: FilePath | None) -> str:
    """Return the rules if none are named: the only ones of a file of the user's, else finkel."""
    own = None if file is None else catalogue.only_own(catalogue.read_catalogue_file(file)[0])
    return catalogue.DEFAULT_RULES if own is None else own.name


def chosen_rules(name: str | None, file: FilePath | None, pieces: str | None = None) -> RuleSet:
    """Return the rule set of a name, from the catalogue or a file of the user's.

    Without a name it is that of `default_rules`.
    ``pieces`` replaces the rule set's number of pieces a side; it is given as text.

    Raises
    ------
    UnknownNameError
        If there is none with this name.
    CatalogueError
        If the file cannot be used.
    UsageError
        If ``pieces`` is not a valid number of pieces.
    """
    _check_single(name)
    found = catalogue.ruleset(default_rules(file) if name is None else name, path_file=file)
    return found if pieces is None else replace(found, pieces=_number(pieces))


def compared_rules(
    names: Iterable[str], file: FilePath | None, pieces: str | None
) -> list[RuleSet]:
    """Return rule sets of names, each with each number of pieces of a range, without repeats.

    Raises as `chosen_rules` does, and `UsageError` if two different ones have the same name.
    """
    listed = names_listed("RULES", ",".join(names) or default_rules(file))
    result = distinct("rule sets", [catalogue.ruleset(name, path_file=file) for name in listed])
    if pieces is None:
        return result
    return [replace(one, pieces=number) for one in result for number in _numbers(pieces)]


def _check_single(name: str | None) -> None:
    """Raise `UsageError` for a list of rule sets, if it is not the name of a file with a comma."""
    if name is None or "," not in name:
        return
    file, _ = catalogue.split_file_name(name)
    if not file or not FilePath(file).exists():
        raise UsageError(f"{name}: this command takes one rule set; urcx compare takes several")


def _number(pieces: str) -> int:
    numbers = _numbers(pieces)
    if len(numbers) > 1:
        raise UsageError(
            f"pieces {pieces!r}: this command takes one number; urcx compare takes a range"
        )
    return numbers[0]


def _numbers(pieces: str) -> tuple[int, ...]:
    """Return numbers of pieces of a range; raises `UsageError` if games do not have as many."""
    numbers = parse_range(pieces, "pieces")
    if max(numbers) > MAX_PIECES:
        raise UsageError(
            f"pieces {pieces!r}: must be from 1 to {MAX_PIECES} (only the closed forms "
            "of urcx ssc take more)"
        )
    return numbers


def names_listed(option: str, names: str) -> list[str]:
    """Return the names of a list with commas; raises `UsageError` if one is empty."""
    result = split_names(names)
    if "" in result:
        raise UsageError(f"{option} {names!r}: a name is empty")
    return result


def rule_sources(
    name: str | None, pieces: str | None, tablebase: FilePath | None, path_file: FilePath | None
) -> RuleSources:
    """Return what options say of the rules; raises `UsageError` as `chosen_rules` does."""
    _check_single(name)
    number = None if pieces is None else _number(pieces)
    if tablebase is None and path_file is None:
        return RuleSources(name, number)
    from urcx.solving.files.rgu import rule_sources as sources

    return sources(name, number, tablebase, path_file)


def solved_rules(
    name: str | None, pieces: str | None, tablebase: FilePath | None, path_file: FilePath | None
) -> RuleSet:
    """Return the rules that options say, in the order of `RuleSources`."""
    sources = rule_sources(name, pieces, tablebase, path_file)
    result = sources.decided()
    for line in sources.notes:
        note(line)
    return result


def check_solution(tablebase: FilePath | None, rules: RuleSet) -> FilePath | None:
    """Return the tablebase that is given, or that is kept; None if the rule set is solved at once.

    Raises an error if it is of other rules, or if there is none and the rule set is too large.
    """
    from urcx.solving.files.header import check_game
    from urcx.solving.files.kept import find_solution
    from urcx.solving.files.tablebase import open_tablebase
    from urcx.solving.layered.order import order_of

    if tablebase is None:
        order_of(rules)  # raises if there are no tablebases of its path
        return find_solution(rules)
    with open_tablebase(tablebase) as base:
        check_game(tablebase, base.rules, rules)
    return tablebase


def position_text(text: str | None) -> str:
    """Return the text of a position, by default the start; raises `PositionError` for rules."""
    if text in catalogue.catalogue().rules:
        raise PositionError(f"{text} is a rule set, not a position; use --rules {text}")
    return str(Position()) if text is None else text


def both_sides(
    agent: str | None, light: str | None, dark: str | None, default: str
) -> tuple[str, str]:
    """Return light's and dark's agent as texts; raises `UsageError` if ``agent`` is neither."""
    if agent is not None and light is not None and dark is not None:
        raise UsageError("--light and --dark say who plays; leave out --agent")
    rest = default if agent is None else agent
    return light or rest, dark or rest


def both_agents(
    agent: str | None, light: str | None, dark: str | None, default: str
) -> tuple[Agent, Agent]:
    """Return light's and dark's agent; raises as `both_sides` and `urcx.agent` do."""
    from urcx.agents.agents import agent as as_agent

    first, second = both_sides(agent, light, dark, default)
    return as_agent(first), as_agent(second)


# Command lines that the parser refuses.


def correction(error: Any, arguments: list[str]) -> str:
    """Return a line on what to write instead, or an empty text if that is unknown.

    ``error`` is the parser's error, ``arguments`` the command line.
    """
    context = getattr(error, "ctx", None)
    command = getattr(context, "command", None)
    if command is None:
        return ""
    options = {name for parameter in command.params for name in parameter.opts}
    wrong = getattr(error, "option_name", "")
    if wrong in ("--rules", "--path"):
        return _other_option(wrong, _value_of(wrong, arguments), str(command.name), options)
    words = re.search(
        r"unexpected extra arguments?(?:\(s\))? \((.*)\)", str(error.format_message())
    )
    return _option_of(words[1].partition(" ")[0], options) if words else ""


def see_help(error: Any) -> str:
    """Return what goes behind the parser's own words: an example, and whose help to read."""
    context, message = getattr(error, "ctx", None), str(error.format_message())
    if context is None:
        return ""
    see = f"see {context.command_path} --help"
    if "No such command" in message:
        return f" See {see[4:]}" if message.endswith("?") else f"; {see}"
    if "No such option" in message:
        return f"; {see}"
    example = re.search(
        rf"^ *({context.command_path} \S.*)$", str(context.command.help), re.MULTILINE
    )
    lacking = ("Missing argument", "Missing option", "unexpected extra argument")
    if example is None or not any(text in message for text in lacking):
        return ""
    return f"; for example: {example[1]}"


def _value_of(option: str, arguments: list[str]) -> str:
    for k, argument in enumerate(arguments):
        if argument.startswith(f"{option}="):
            return argument.removeprefix(f"{option}=")
        if argument == option and k + 1 < len(arguments):
            return arguments[k + 1]
    return ""


def _other_option(wrong: str, value: str, command: str, options: set[str]) -> str:
    """Return the message for ``--rules`` in place of ``--path``, or the reverse."""
    right = "--path" if wrong == "--rules" else "--rules"
    if right not in options:
        return ""
    full = catalogue.catalogue()
    if wrong == "--rules":
        known = full.rules[value].path.name if value in full.rules else ""
        what = "a path, not a rule set"
    else:
        played = [item.name for item in full.rules.values() if item.path.name == value]
        known = full.rules[value].name if value in full.rules else played[0] if played else ""
        what = "a rule set, not a path"
    advice = f"use {right} {known}" if known else f"use {right} NAME, see urcx paths"
    return f"no such option: {wrong}; urcx {command} takes {what}: {advice}"


def _option_of(word: str, options: set[str]) -> str:
    """Return the message for a name without its option."""
    full = catalogue.catalogue()
    kinds = (("--path", full.paths), ("--rules", full.rules), ("--dice", full.dice))
    for option, names in kinds:
        if option in options and word in names:
            return f"unexpected {word!r}; use {option} {word}"
    if options & {"--agent", "--against", "--source"}:
        return _agent_or_source(word, options)
    return ""


def _agent_or_source(word: str, options: set[str]) -> str:
    from urcx.published.figures import FILES

    if "--source" in options and word in FILES:
        return f"unexpected {word!r}; use --source {word}"
    agent = next((name for name in ("--agent", "--against") if name in options), "")
    if agent:
        from urcx.agents.kinds import KINDS

        if word.partition(":")[0] in KINDS:
            return f"unexpected {word!r}; use {agent} {word}"
    return ""
