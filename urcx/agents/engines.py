"""Engines: programs that play over their standard input and output (:doc:`/engines`).

Each request tells an engine the rules, a position, a roll and a seed. Engines remember nothing that
matters, so any process of an engine can answer any request. There is one process for each thread
that asks at the same time, and each worker elsewhere starts its own.
"""

from __future__ import annotations

import multiprocessing
import os
import queue
import re
import shlex
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from time import monotonic
from typing import IO, Any, Self
from weakref import WeakSet, WeakValueDictionary, finalize

import numpy as np

from urcx.engine.moves import Move
from urcx.engine.threads import started_threads
from urcx.errors import EngineError, UsageError, WrongObjectError, printable, quoted
from urcx.game import Game, legal_move
from urcx.rules.catalogue import as_float, catalogue, is_known
from urcx.rules.model import RuleSet

__all__ = ["Engine"]

SECONDS = 10.0  # time limit of an answer
START = 60.0  # least time limit of the first answer, because programs load their data
MOST_SECONDS = 86400.0
GRACE = 1.0  # seconds for a program to end by itself
SEEDS = 1 << 32
LONGEST_LINE = 10_000  # bytes
MOST_LINES = 1000  # unread
NOTED = ("info", "id", "option")  # first words of remarks
WINDOWS = os.name == "nt"
TEXT = re.compile(r"engine:(?:([0-9]+(?:\.[0-9]+)?):)?(.*)\Z", re.DOTALL)


class Engine:
    """A program that plays as an agent, in any programming language.

    urcx starts the program for the first move, and ends it with the object or by `close`, which
    ``with`` calls.

    Parameters
    ----------
    command
        The program with its arguments: a list, or a string that is split as in a shell.
    seconds
        The time limit of a move, up to a day. After that the program is killed.

    Attributes
    ----------
    name : str
        The agent as written on the command line: ``engine:[SECONDS:]COMMAND``.

    Raises
    ------
    UsageError
        If there is no such program.

    Examples
    --------
    >>> import sys
    >>> import urcx
    >>> with urcx.Engine([sys.executable, "docs/examples/engine.py"]) as mine:
    ...     result = urcx.match([mine, "random"], games=20, seed=1)
    >>> result.share(*result.agents).wins > 10
    True
    """

    def __init__(self, command: str | Sequence[str], seconds: float = SECONDS) -> None:
        self.command: str | tuple[str, ...]
        if isinstance(command, str):
            self.command = command if WINDOWS else _words(command)
            words = _words(command)
        else:
            self.command = words = _listed(command)
        self.seconds = as_float("seconds", seconds)
        limit = "" if self.seconds == SECONDS else f"{self.seconds:g}:"
        self.name = f"engine:{limit}{command if isinstance(command, str) else shlex.join(words)}"
        if not 0 < self.seconds <= MOST_SECONDS:
            raise UsageError(
                f"agent {self.name!r}: seconds must be above 0 and at most {MOST_SECONDS:,.0f}"
            )
        if not words:
            raise UsageError(f"agent {self.name!r}: the command is missing. Write engine:COMMAND")
        if shutil.which(words[0]) is None:
            raise UsageError(f"agent {self.name!r}: there is no program {quoted(words[0])}")
        self._idle: list[_Process] = []
        self._all: set[_Process] = set()
        finalize(self, _end, self._all)
        _ENGINES[id(self)] = self

    def __repr__(self) -> str:
        return f"<Engine {self.name}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Engine) and self._parts == other._parts

    def __hash__(self) -> int:
        return hash(self._parts)

    def __reduce__(self) -> tuple[Any, ...]:
        """Return the parts of a copy, which starts its own processes."""
        return Engine, self._parts

    @property
    def _parts(self) -> tuple[Any, ...]:
        return self.command, self.seconds

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the engine's processes. The next request starts a new one."""
        self._idle.clear()
        _end(self._all)

    def _forget(self) -> None:
        """Forget the processes without ending them, because a forked process starts its own."""
        self._idle.clear()
        self._all.clear()

    def choose(self, game: Game, roll: int, rng: np.random.Generator) -> Move:
        """Return the move that the program plays.

        Parameters
        ----------
        game, roll
            A position with its rules, and the roll of the dice.
        rng
            The random numbers from which the program's seed for this move is drawn.

        Raises
        ------
        EngineError
            If the program does not answer in time, ends, or does not play a legal move. It is then
            killed.
        UsageError
            If the program cannot be started, or would play by other rules of the same name.
        """
        try:
            process = self._idle.pop()
        except IndexError:
            process = _Process(self)
            self._all.add(process)
        try:
            move = process.chosen(game, roll, int(rng.integers(SEEDS)))
        except BaseException:  # Ctrl-C too: a late answer would count as the next one
            process.kill()
            self._all.discard(process)
            raise
        self._idle.append(process)
        return move


def engine_called(text: str) -> Engine:
    """Return the engine of the text ``engine:[SECONDS:]COMMAND``, or raise `UsageError`."""
    match = TEXT.match(text)
    if match is None:
        raise UsageError(f"agent {text!r}: write engine:COMMAND, such as 'engine:python3 mine.py'")
    seconds, command = match.groups()
    return Engine(command, SECONDS if seconds is None else float(seconds))


def _words(command: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(command, posix=not WINDOWS))
    except ValueError as error:
        raise UsageError(f"agent 'engine:{command}': {str(error).lower()}") from None


def _listed(command: Any) -> tuple[str, ...]:
    if not (isinstance(command, Sequence) and all(isinstance(word, str) for word in command)):
        raise WrongObjectError("command", str, command, "a program with its arguments")
    return tuple(command)


class _Process:
    """A running program: the lines sent to it, and the lines that it writes."""

    def __init__(self, engine: Engine) -> None:
        self.name, self.seconds = engine.name, engine.seconds
        self.rules: RuleSet | None = None  # the rules sent last
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._last_words = ""
        _end_with_worker()
        try:
            # A separate group: Ctrl-C does not reach it, and its own processes can be killed too.
            self._process = subprocess.Popen(
                engine.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            )
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise UsageError(f"agent {self.name!r} cannot be started: {why}") from None
        _AT_WORK.add(self)
        self._ending = threading.Lock()
        self._reading = started_threads(self._read)
        self._heeding = started_threads(self._heed)
        self._watching = started_threads(self._watch)

    def chosen(self, game: Game, roll: int, seed: int) -> Move:
        """Return the move that the program plays, or raise `EngineError`."""
        where = f"in {game.position} with roll {roll}"
        if self.rules != game.rules:
            self._prepare(game.rules)
        self._tell(f"position {game.position}", f"roll {roll}", f"go seed {seed}")
        answer = self._answer("bestmove", monotonic(), self.seconds, where)
        text = answer.partition(" ")[0]
        legal = game.legal_moves(roll)
        with suppress(UsageError):
            move = legal_move(game, text)
            if move in legal:
                return move
        names = ", ".join(f"{move.start}-{move.end}" for move in legal)
        raise self._failed(f"chose {quoted(text)}", f"{where}; legal: {names}")

    def _prepare(self, rules: RuleSet) -> None:
        if rules.name in catalogue().rules and not is_known(rules):  # the program gets only a name
            why = "of urcx, and these rules differ. Give them another name"
            raise UsageError(f"agent {self.name!r} would play by the rules {rules.name} {why}")
        began, patience = monotonic(), max(START, self.seconds)  # for both answers together
        if self.rules is None:
            self._tell("urgi")
            self._answer("urgiok", began, patience)
        options = {"rules": rules.name, "pieces": rules.pieces}
        lines = (f"setoption name {name} value {value}" for name, value in options.items())
        self._tell(*lines, "isready")
        self._answer("readyok", began, patience)
        self.rules = rules

    def _tell(self, *lines: str) -> None:
        assert self._process.stdin is not None
        with suppress(OSError, ValueError):  # the program has ended, as `_answer` will report
            self._process.stdin.write("".join(f"{line}\n" for line in lines).encode())
            self._process.stdin.flush()

    def _answer(self, word: str, began: float, seconds: float, where: str = "") -> str:
        """Return the rest of the next line that begins with a word, within a time limit."""
        while True:
            try:
                line = self._lines.get(timeout=max(began + seconds - monotonic(), 0.0))
            except queue.Empty:
                late = f"did not answer {word} within {seconds:g} seconds"
                why = "write a whole line and flush it"
                raise self._failed(f"{late} ({why})", where) from None
            if line is None:
                raise self._failed(f"ended{self._how_it_ended()} before its {word}", where)
            first, _, rest = line.strip().partition(" ")
            if first == word:
                return rest.strip()
            if first == "error":
                raise self._failed(f"reported the error {quoted(rest)}", where)
            if first and first not in NOTED:
                wrong = f"wrote {quoted(line.strip())} instead of {word} (remarks begin with info)"
                raise self._failed(wrong, where)

    def _failed(self, fault: str, where: str) -> EngineError:
        return EngineError(" ".join(filter(None, (f"agent {printable(self.name)} {fault}", where))))

    def _how_it_ended(self) -> str:
        """Return the exit code of a program that ended by itself, and its last words."""
        self._watching.join(GRACE)
        self._heeding.join(GRACE)
        code = self._process.returncode
        number = "" if code is None else f" with exit code {code}"
        return f"{number} ({quoted(self._last_words)})" if self._last_words else number

    def _read(self) -> None:
        """Read the program's lines, until it ends or writes far too many."""
        for line in _lines_of(self._process.stdout):
            self._lines.put(line)
            if self._lines.qsize() > MOST_LINES:
                self._strike_once()
                break
        self._lines.put(None)

    def _heed(self) -> None:
        """Remember the program's last line on standard error."""
        for line in _lines_of(self._process.stderr):
            self._last_words = line.strip() or self._last_words

    def ask_to_end(self) -> None:
        """Ask the program to end by itself."""
        self._tell("quit")
        with suppress(OSError):
            assert self._process.stdin is not None
            self._process.stdin.close()

    def _watch(self) -> None:
        """Wait until the program ends, and end the processes that it has started."""
        with suppress(OSError):
            if hasattr(os, "waitid"):  # the number of the group is not free before `wait` below
                os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)
            else:
                self._process.wait()
        self._strike_group()
        with self._ending:
            self._process.wait()
        _AT_WORK.discard(self)
        self._reading.join(GRACE)  # a process that left the group may hold the pipe
        self._lines.put(None)

    def _strike_group(self) -> None:
        """Kill the program and the processes of its group."""
        with suppress(OSError):
            if WINDOWS:
                self._process.kill()
            else:
                os.killpg(self._process.pid, signal.SIGKILL)

    def _strike_once(self) -> None:
        with self._ending:
            if self._process.returncode is None:
                self._strike_group()

    def end(self, until: float) -> None:
        """Wait for the program's end until a time, then kill it."""
        self._watching.join(max(until - monotonic(), 0.0))
        self.kill()

    def strike(self) -> None:
        """Kill the program from a signal handler, which may interrupt `kill`."""
        if self._process.returncode is None:
            self._strike_group()  # without locks, which may be held
            with suppress(OSError):
                os.waitpid(self._process.pid, 0)

    def kill(self) -> None:
        """Kill the program and the processes that it has started."""
        self._strike_once()
        self._watching.join()
        with suppress(OSError):
            assert self._process.stdin is not None
            self._process.stdin.close()


def _lines_of(stream: IO[bytes] | None) -> Iterable[str]:
    assert stream is not None
    with stream, suppress(OSError, ValueError):
        while line := stream.readline(LONGEST_LINE):
            yield line.decode("utf-8-sig", "replace")
            while line and not line.endswith(b"\n"):  # skip the rest of a line that is too long
                line = stream.readline(LONGEST_LINE)


def _end(processes: set[_Process]) -> None:
    """End processes, all at the same time."""
    ending = list(processes)
    processes.clear()
    for process in ending:
        process.ask_to_end()
    until = monotonic() + GRACE
    for process in ending:
        process.end(until)


_ENGINES: WeakValueDictionary[int, Engine] = WeakValueDictionary()  # equal engines too
_AT_WORK: WeakSet[_Process] = WeakSet()


def _forget() -> None:
    """Leave the running programs to the process from which this one was forked."""
    for engine in _ENGINES.values():
        engine._forget()  # noqa: SLF001
    _AT_WORK.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def _end_with_worker() -> None:
    """Kill engines when a worker process is killed. Elsewhere they end with the object."""
    main = threading.current_thread() is threading.main_thread()
    if multiprocessing.parent_process() is None or not main:
        return

    def ended(_number: int, _frame: object) -> None:
        for process in list(_AT_WORK):
            process.strike()
        os._exit(1)

    signal.signal(signal.SIGTERM, ended)
