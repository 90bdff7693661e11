"""The tablebases that a verification is given: recorded values are computed again from them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from urcx.errors import UsageError
from urcx.published.figures import Figure
from urcx.published.quantities.registry import QUANTITIES
from urcx.published.quantities.values import rules_from
from urcx.rules.model import RuleSet


class Solutions:
    """Tablebases by the rule sets that they are of.

    Raises
    ------
    UnusableFileError, TablebaseError
        If a file cannot be read, or is damaged.
    """

    def __init__(self, files: Sequence[str | Path] = ()) -> None:
        self._known: list[tuple[RuleSet, Path, dict[str, object]]] = []
        if not files:
            return
        from urcx.solving.files.tablebase import open_tablebase

        for file in files:
            with open_tablebase(file) as base:
                self._known.append((base.rules, Path(file), base.described))

    def of(self, rules: RuleSet) -> Path | None:
        """Return the tablebase of a rule set, or None."""
        if not self._known:
            return None
        from urcx.solving.files.header import describe_rules, same_rules

        wanted = describe_rules(rules)
        found = [file for _, file, described in self._known if same_rules(described, wanted)]
        return found[0] if found else None

    def check(self, figures: Iterable[Figure]) -> None:
        """Raise `UsageError` if a tablebase is of a game of which nothing is computed again."""
        recorded = [one for one in figures if one.found and QUANTITIES[one.quantity].again]
        used = {self.of(rules_from(figure.params)) for figure in recorded} if self._known else set()
        for rules, file, _ in self._known:
            if file not in used:
                games = sorted({rules_from(figure.params).name for figure in recorded})
                raise UsageError(
                    f"{file} is of {rules.name} with {rules.pieces} pieces, of which these sources "
                    f"have no recorded figures; they have them of: {', '.join(games) or 'no game'}"
                )
