"""Hints for command lines that the parser refuses: the option that was probably meant.

Most commands that count take a path, and all that play take a rule set. Users who confuse the two,
or write a name without its option, are told the right option.
"""

from __future__ import annotations

import re
from typing import Any

from urcx.rules import catalogue


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
