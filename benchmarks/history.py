"""The history of urcx's speed: times of typical tasks, and the chart of the performance page.

    python benchmarks/history.py [--runs N] [WORD...]
    python benchmarks/history.py --draw

The first command runs each task of ``TASKS``, or each task with one of the words in its name, once
to compile and then N times, five by default. It appends a row of medians per task to
``history.csv``. All tasks take about two hours, 5 GB of memory and 4 GB of disk on two cores. The
second command draws ``docs/performance.svg`` from the latest rows of the tasks in ``CURVES``.

Rows until 2026-11-27 were measured in other ways, which their column ``conditions`` names. If the
measured revision is unknown, they have the revision that recorded the figure.
"""

from __future__ import annotations

import argparse
import csv
import datetime as dt
import os
import platform
import shlex
import subprocess
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from matplotlib import rc_context
from matplotlib.ticker import MaxNLocator
from processes import URCX, run

from urcx.reports.figures.labels import End, label_beside
from urcx.reports.figures.plots import COLOURS, MARKERS, RC, new_figure, render

HERE = Path(__file__).parent
FILE = HERE / "history.csv"
CHART = HERE.parent / "docs" / "performance.svg"
# {place} is a directory that has finkel.urcx, the solved game.
SOLVED = "solve --rules finkel -o {place}/finkel.urcx --yes"
FINKEL = "{place}/finkel.urcx"
TASKS = {
    "help": "--help",
    "closed forms, bell": "ssc --path bell -p 1..15 --no-enumerate",
    "count, bell": "ssc --path bell -p 1..15",
    "reach": "reach --rules finkel",
    "2,000 games of panda": "gtc --games 2000",
    "quick report": "report --quick -o {place}/report",
    **{f"solve finkel -p {n}": f"solve --rules finkel -p {n} --no-keep" for n in range(3, 7)},
    "solve finkel": "solve --rules finkel --no-keep --yes",
    "solve blitz": "solve --rules blitz --no-keep --yes",
    "solve masters": "solve --rules masters --no-keep --yes",
    "exact means, greedy -p 5": "gtc --exact --agent greedy -p 5 --yes",
    "exact means, greedy -p 6": "gtc --exact --agent greedy -p 6 --yes",
    "exact means, greedy": "gtc --exact --agent greedy --yes",
    "exact means, random -p 6": "gtc --exact --agent random -p 6 --yes",
    "exact means, random": "gtc --exact --agent random --yes",
    "exact means, optimal": "gtc --exact --agent optimal:" + FINKEL + " --yes",
    "regret, learned": "regret --agent learned --tablebase " + FINKEL + " --yes",
    "lengths, greedy": "lengths --agent greedy --yes",
    "luck, greedy": "luck --agent greedy --tablebase " + FINKEL + " --yes",
}
CURVES = {
    "exact means, optimal": "exact means, optimal play",
    "exact means, random": "exact means, random play",
    "exact means, greedy": "exact means, greedy play",
    "solve finkel": "solve",
}


def rows() -> list[dict[str, str]]:
    """Return the rows of the history, oldest first."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def timed(name: str, place: Path, runs: int) -> dict[str, str]:
    """Run a task and return its row: medians of times, and the greatest peak of memory."""
    command = shlex.split(TASKS[name].format(place=place))
    counted = [run((URCX, *command), place / "cache") for _ in range(runs + 1)][1:]
    peaks = [execution.peak for execution in counted if execution.peak is not None]
    cpu = [execution.cpu for execution in counted if execution.cpu is not None]
    task, _, pieces = name.partition(" -p ")
    git = ("git", "-C", str(HERE), "describe", "--always", "--dirty")
    return {
        "date": str(dt.datetime.now(tz=dt.UTC).date()),
        "revision": subprocess.run(git, check=True, capture_output=True, text=True).stdout.strip(),
        "task": task,
        "pieces": pieces or ("7" if "finkel" in name or "exact" in name else ""),
        "wall_s": f"{median(execution.seconds for execution in counted):.3g}",
        "cpu_s": f"{median(cpu):.3g}" if cpu else "",
        "memory_mb": f"{max(peaks) * 2**20 / 1e6:.0f}" if peaks else "",
        "command": f"urcx {shlex.join(command)}".replace(f"{place}/", ""),
        "conditions": f"{os.cpu_count()} threads, median of {runs} runs, {platform.machine()}, "
        f"Python {platform.python_version()}",
    }


def measure(words: list[str], runs: int) -> None:
    """Time the tasks whose names have one of the words, and append and print their rows."""
    names = [name for name in TASKS if not words or any(word in name for word in words)]
    fields = list(rows()[0])
    with TemporaryDirectory() as directory:
        place = Path(directory)
        if any("{place}/finkel" in TASKS[name] for name in names):
            run((URCX, *shlex.split(SOLVED.format(place=place))), place / "cache")
        for name in names:
            row = timed(name, place, runs)
            with FILE.open("a", encoding="utf-8", newline="") as file:
                csv.DictWriter(file, fields, lineterminator="\n").writerow(row)
            print(*(row[field] for field in fields[:-1]), flush=True)


def points(task: str) -> dict[int, float]:
    """Return the latest CPU time of a task for each number of pieces."""
    timed_rows = [row for row in rows() if row["task"] == task and row["cpu_s"]]
    latest = {int(row["pieces"]): float(row["cpu_s"]) for row in timed_rows}
    return {pieces: latest[pieces] for pieces in sorted(latest) if pieces >= 4}


def chart() -> bytes:
    """Return the chart of the page on performance, as SVG."""
    with rc_context(RC):
        figure, (axes,) = new_figure(3.8)
        ends = []
        for (task, label), colour, marker in zip(CURVES.items(), COLOURS, MARKERS, strict=False):
            curve = points(task)
            x, y = list(curve), list(curve.values())
            axes.plot(x, y, color=colour, marker=marker)
            ends.append(End(x[-1], y[-1], label, colour))
        axes.set_yscale("log")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.yaxis.set_major_formatter("{x:g}")
        axes.set_xlabel("pieces per side, finkel")
        axes.set_ylabel("CPU seconds")
        label_beside(axes, ends)
    return render(figure, "svg")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--draw", action="store_true")
    options = parser.parse_args()
    if options.draw:
        CHART.write_bytes(chart())
    else:
        measure(options.words, options.runs)
