"""What a report computes: how many pieces, games and diagrams, for the quick and the full one."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

from urcx.engine.threads import Stage, silent
from urcx.expectations.expected import Expected
from urcx.expectations.regret import Judged
from urcx.published.figures import Source
from urcx.published.gtc import Played
from urcx.published.verify import Verdict, verify
from urcx.reports.book.results import Opening, Visited

PATHS = ("bell", "aseb", "masters", "murray", "skiriuk")


@dataclass(frozen=True)
class Plan:
    """The parameters of a report.

    ``listed`` is the largest number of pieces a side in the tables of counts; ``visits`` the total
    number of diagrams enumerated; ``games`` the number of games of each of ``players``; ``plies``
    the depth to which the game tree is counted; ``rules`` are the rule sets solved and searched;
    ``reached``, ``solved`` and ``judged`` are the largest numbers of pieces a side for reachable
    states, for perfect play and for regret; ``particles`` are simulated for each rush; ``sources``
    are those to verify, all if None.
    """

    seed: int = 1
    tablebases: tuple[Path, ...] = ()
    threads: int | None = None
    quick: bool = False
    listed: int = 15
    visits: int = 40_000_000_000
    games: int = 10_000
    players: tuple[str, ...] = ("panda:7", "greedy", "random")
    plies: int = 10
    rules: tuple[str, ...] = ("finkel", "blitz", "masters", "aseb")
    reached: int = 4
    solved: int = 3
    judged: int = 3
    judges: tuple[str, ...] = ("expectimax:3", "gain", "greedy", "random")
    particles: int = 400_000
    sources: tuple[str, ...] | None = None

    def parameters(self) -> dict[str, Any]:
        """Return the parameters that a report depends on, by name, as texts and numbers."""
        own = {item.name: getattr(self, item.name) for item in fields(self)}
        own["tablebases"] = [file.name for file in self.tablebases]
        del own["threads"]  # only affects the running time
        return own


def full(seed: int = 1, tablebases: tuple[Path, ...] = (), threads: int | None = None) -> Plan:
    """Return the plan of the full report, which takes several minutes."""
    return Plan(seed, tablebases, threads)


def quick(seed: int = 1, tablebases: tuple[Path, ...] = (), threads: int | None = None) -> Plan:
    """Return the plan of the quick report, which takes half a minute."""
    return Plan(
        seed,
        tablebases,
        threads,
        quick=True,
        visits=2_000_000_000,
        games=2000,
        plies=7,
        reached=2,
        solved=2,
        judged=2,
        judges=("gain", "greedy", "random"),
        particles=20_000,
    )


class Work:
    """A plan in progress: the progress callback, and what several sections share."""

    def __init__(self, plan: Plan, stage: Stage = silent) -> None:
        self.plan = plan
        self._stage = stage
        self.part = ""
        # Results of the sections, for the first page; empty for sections left out.
        self.visited: list[Visited] = []
        self.played: list[Played] = []
        self.openings: list[Opening] = []
        self.means: list[Expected] = []
        self.judged: list[Judged] = []

    def stage(self, label: str, total: int, unit: str) -> Any:
        """Begin a piece of work; returns the function to call with the amount done."""
        return self._stage(f"{self.part}: {label}" if self.part else label, total, unit)

    @cached_property
    def verdicts(self) -> tuple[tuple[Source, tuple[Verdict, ...]], ...]:
        """Return the verdicts on the published figures, judged once."""
        from urcx.published.figures import sources

        names = self.plan.sources
        chosen = [(s, figures) for s, figures in sources() if names is None or s.name in names]
        update = self.stage("figures", sum(len(f) for _, f in chosen), "figures")
        found: list[tuple[Source, tuple[Verdict, ...]]] = []
        done = 0
        for source, figures in chosen:
            begun = done

            def tell(judged: int, begun: int = begun) -> None:
                update(begun + judged)

            found += verify(source.name, tell)
            done += len(figures)
        return tuple(found)
