"""Text in lines that fit: broken at words, or at operators if a single word does not fit.

Numbers are never broken, and never separated from a percent sign or the signs of an interval.
"""

from __future__ import annotations

import re

# Blanks that belong to a number: 95 %, 105.3 ± 0.1, 4: 1/16.
_BOUND = re.compile(r" (?=%)|(?<=\S) (?=± )|(?<=±) |(?<=\d:) (?=\d)")
_JOINT = "\x01"  # unlike U+00A0, not a blank to regular expressions
# Places where a word too long for a line may be broken: after operators (not within **), after a
# comma that does not separate digits, at a hyphen between letters.
_BREAKS = re.compile(
    r"(?<=[*/=;&|)])(?![*/=;&|)])(?<!\*\*)|(?<=,)(?!\d)|(?<=[A-Za-z]-)(?=[A-Za-z])"
)
_LEAD = re.compile(r"(\s*(?:(?:\* |\d+\. ))?)(?:(\S.*?\s{3,})(?=\S))?")


def wrap(text: str, width: int, rest: int | None = None) -> list[str]:
    """Return a text as lines of at most ``width`` characters, at least one line.

    The lines after the first have at most ``rest`` characters, by default ``width``. A word that
    does not fit is broken after operators. A line is longer only if a part of a word without
    operators is longer.
    """
    if len(text) <= width:
        return [text]
    rest = width if rest is None else rest
    lines = [""]
    for space, word in re.findall(r"(\s*)(\S+)", _BOUND.sub(_JOINT, text)):
        line = lines[-1]
        room = width if len(lines) == 1 else rest
        if line and len(line) + len(space) + len(word) <= room:
            lines[-1] += space + word
            continue
        if line:
            lines.append("")
        for part in [word] if len(word) <= rest else _BREAKS.split(word):
            room = width if len(lines) == 1 else rest
            if lines[-1] and len(lines[-1]) + len(part) > room:
                lines.append("")
            lines[-1] += part
    return [line.replace(_JOINT, " ") for line in lines]


def longest_word(text: str, most: int) -> int:
    """Return the least width at which no word of up to ``most`` characters breaks."""
    words = [
        part
        for word in _BOUND.sub(_JOINT, text).split(" ")
        for part in ([word] if len(word) <= most else _BREAKS.split(word))
    ]
    return max(map(len, words), default=0)


def hang(text: str, width: int) -> list[str]:
    """Return a line of running text as lines that fit, with all but the first indented.

    The indent aligns them with the text after a list's bullet, or after a wide gap between columns.
    """
    if len(text) <= width:
        return [text]
    lead = _LEAD.match(text)
    mark, gap = (lead[1] or "", lead[2] or "") if lead else ("", "")
    start = len(mark) + len(gap)
    if start > width // 2 and width - start < 24:
        start = len(mark)
    indent = start or 2
    lines = wrap(text[start:], width - start, width - indent)
    return [text[:start] + lines[0], *(" " * indent + line for line in lines[1:])]


def running(body: str, width: int) -> str:
    """Return text with wrapped lines, except in drawings, which stay unchanged."""
    lines = []
    for line in body.split("\n"):
        is_drawing = line.lstrip()[:1] in ("|", "+")
        lines += [line] if is_drawing else hang(line, width)
    return "\n".join(lines)
