"""Rule sets beside each other: the same question asked of each, and one table of what is found.

A question can be compared if its module has a function ``compared``, which takes a result and says
what of it stands beside that of other rule sets, as `Beside`. Table, JSON, CSV and figure follow,
and the command takes several rule sets and several numbers of pieces (`urcx.commands.questions`).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from urcx.errors import UsageError, WrongObjectError, shown
from urcx.results.fields import Field, Fields, Schema
from urcx.results.numbers import counted
from urcx.results.report import Report
from urcx.results.result import Result, Rows
from urcx.results.tables import Column, Table, key
from urcx.rules import catalogue
from urcx.rules.model import RuleSet

__all__ = ["Comparison", "compare"]

MOST_SAID = 3  # rule sets with their numbers in the sentence of an answer

R = TypeVar("R", bound=Result)


class ComparedNumber(NamedTuple):
    """A number with its name and its text in a table; a figure shows its value and interval."""

    title: str
    text: str
    value: float = math.nan
    interval: tuple[float, float] | None = None


@dataclass(frozen=True)
class Beside:
    """What of a result stands beside that of other rule sets.

    ``what`` says in a sentence what the first quantity is, and ``how`` where it comes from, which
    is alike for all. The quantities ``drawn`` share the ``axis`` of a figure; if it is of
    ``powers``, their values are logarithms. A table has ``more`` as well.
    """

    what: str
    how: str
    axis: str
    drawn: Sequence[ComparedNumber]
    more: Sequence[ComparedNumber] = ()
    powers: bool = False


class Asked(NamedTuple):
    """A rule set that a question is asked of: its label, and its name without pieces."""

    label: str
    name: str
    rules: RuleSet


class Comparison(Rows[R], function="compare"):
    """What several rule sets give, one result each, in one table.

    Attributes
    ----------
    of : tuple of Asked
        The rule sets with their labels.
    question : str
        The name of the function that was asked.
    compared : Callable
        What says which quantities stand beside each other.
    """

    of: tuple[Asked, ...]
    question: str
    compared: Callable[[R], Beside]

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the rule sets, without pieces; fewer than labels for a range."""
        return tuple(dict.fromkeys(each.name for each in self.of))

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what is to be said of how the results were computed."""
        return tuple(dict.fromkeys(note for one in self for note in getattr(one, "notes", ())))

    @property
    def unfinished(self) -> str:
        """Return how many rule sets were asked before an interrupt, empty if all were."""
        done = sum(not getattr(one, "unfinished", "") for one in self)
        return "" if done == len(self.of) else f"{done} of {len(self.of)} rule sets"

    def report(self) -> Report:
        """Return the quantities beside each other; JSON and CSV have all of every result."""
        asked = list(zip(self.of, self, (one.report() for one in self), strict=False))
        beside = [self.compared(one) for one in self]
        rows = [
            {"label": each.label, "schema": report.schema, **report.data}
            for each, _, report in asked
        ]
        records = [
            {"label": each.label, "rules": each.rules.name, "pieces": each.rules.pieces, **record}
            for each, _, report in asked
            for record in report.records
        ]
        return Report(
            COMPARE.name,
            {"question": self.question, "rows": rows},
            records,
            [self._table(beside)],
            row_fields=asked[0][2].row_fields,
            answer=self._answer(beside),
        )

    def _answer(self, beside: Sequence[Beside]) -> str:
        names = self.names
        at = "in" if len(names) > 1 else "at"
        said = [
            f"{one.drawn[0].text} {at} {each.label}"
            for each, one in zip(self.of, beside, strict=False)
        ]
        if len(said) > MOST_SAID:
            said = [*said[: MOST_SAID - 1], "...", said[-1]]
        where = "" if len(names) > 1 else f" in {names[0]}"
        return f"{beside[0].what}{where}: {'; '.join(said)} ({beside[0].how})"

    def _table(self, beside: Sequence[Beside]) -> Table:
        """Return a column for each rule set, or a row if there are more of them than quantities."""
        ranged = len(self.names) < len(self.of)  # labels have the pieces
        cells = [
            ({} if ranged else {"pieces a side": str(each.rules.pieces)})
            | {item.title: item.text for item in (*one.drawn, *one.more)}
            for each, one in zip(self.of, beside, strict=False)
        ]
        labels = [each.label for each in self.of[: len(cells)]]
        titles = list(dict.fromkeys(title for one in cells for title in one))
        notes = [f"interrupted after {self.unfinished}"] if self.unfinished else []
        title = f"{self.question} of {counted(len(cells), 'rule set')}"
        if len(labels) > len(titles):
            rows = [
                [label, *(one.get(name, "") for name in titles)]
                for label, one in zip(labels, cells, strict=True)
            ]
            return Table(title, ["<", *titles], rows, notes)
        columns = [key(""), *map(Column, labels)]
        rows = [[name, *(one.get(name, "") for one in cells)] for name in titles]
        return Table(title, columns, rows, notes)


COMPARE = Schema(
    "urcx.compare/1",
    {
        "": Fields(Field("question", about="the command whose members each of the rows has")),
        "rows": Fields(
            Field("label", about="what the rule set is called here"),
            Field("schema", about="that of the further members, which are those of the command"),
        ),
    },
)


def compare(
    question: Callable[..., R],
    rules: str | RuleSet | Sequence[str | RuleSet] | Mapping[str, str | RuleSet],
    *,
    pieces: int | Sequence[int] | None = None,
    **given: Any,
) -> Comparison[R]:
    """Ask the same of several rule sets, or of several numbers of pieces.

    Parameters
    ----------
    question
        One that can be compared: `urcx.gtc`, `urcx.lengths`, `urcx.luck`, `urcx.match`,
        `urcx.reach`, `urcx.regret` or `urcx.solve`.
    rules
        Rule sets or their names; or a mapping of labels, for tables and figures, to rule sets.
    pieces
        How many pieces each side has, if not as many as the rule sets say; or several numbers, for
        each rule set with each.
    given
        What the function takes besides.

    Returns
    -------
    Comparison
        A tuple of the results in the order of the rule sets, with those of more pieces behind.

    Raises
    ------
    UsageError
        If the function is another, or there is no rule set; or if two have the same label.
    UrcxError
        What the function raises.

    Examples
    --------
    >>> import urcx
    >>> found = urcx.compare(urcx.lengths, ["finkel", "blitz"], pieces=1, light="random")
    >>> [round(one.mean, 2) for one in found]
    [17.06, 18.95]
    >>> found.to_dict()["rules"][[0, -1]].tolist()
    ['finkel', 'blitz']
    """
    module = sys.modules.get(getattr(question, "__module__", ""))
    compared = getattr(module, "compared", None)
    name = getattr(question, "__name__", "")
    if compared is None or getattr(module, name, None) is not question:
        raise UsageError(f"{name or shown(question)} is not asked of several rule sets")
    if isinstance(rules, str | RuleSet):
        rules = [rules]
    if not isinstance(rules, Iterable):
        raise WrongObjectError("rules", RuleSet, rules, "a list of names such as 'finkel'")
    if isinstance(rules, Mapping):
        named = [(label, catalogue.ruleset(one)) for label, one in rules.items()]
    else:
        chosen = map(catalogue.ruleset, rules)
        named = [(one.name, one) for one in chosen]
    several = pieces if isinstance(pieces, Iterable) else () if pieces is None else (pieces,)
    numbers = [catalogue.whole("pieces", number) for number in several]
    return of_each(question, beside(named, numbers), compared, given)


def beside(named: Iterable[tuple[str, RuleSet]], pieces: Sequence[int] = ()) -> tuple[Asked, ...]:
    """Return rule sets with their labels, each with each number of pieces if there are any.

    Raises
    ------
    UsageError
        If there is none, or two different ones have the same name.
    """
    known: dict[str, RuleSet] = {}
    for name, rules in named:
        if known.setdefault(name, rules) != rules:
            raise UsageError(f"two different rule sets are called {name}; give one another label")
    if not known:
        raise UsageError("there is no rule set to compare")
    found = []
    for name, rules in known.items():
        for number in dict.fromkeys(pieces or (rules.pieces,)):
            label = name if len(known) > 1 else ""
            label += f"{', ' if label else ''}p = {number}" if len(pieces) > 1 else ""
            found.append(Asked(label or name, name, catalogue.ruleset(rules, pieces=number)))
    return tuple(found)


def of_each(
    question: Callable[..., R],
    asked: Sequence[Asked],
    compared: Callable[[R], Beside],
    given: Mapping[str, Any],
) -> Comparison[R]:
    """Ask a question of each rule set; stages of the work have the labels in front."""
    found: list[R] = []
    for each in asked:
        more = dict(given)
        if "stage" in more:
            more["stage"] = _labelled(each.label, more["stage"])
        found.append(question(**more, rules=each.rules))
        if getattr(found[-1], "unfinished", ""):
            break
    return Comparison(found, of=tuple(asked), question=question.__name__, compared=compared)


def _labelled(label: str, stage: Callable[[str, int, str], Any]) -> Callable[[str, int, str], Any]:
    """Return the function that begins a stage with a label in front of its own."""
    return lambda text, total, unit: stage(f"{label}: {text}", total, unit)
