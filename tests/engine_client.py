"""A client of the protocol of engines, in plain Python: it asks a program for its moves."""

from __future__ import annotations

import subprocess


class Client:
    """A program that plays, and what is said to it."""

    def __init__(self, *command: str, **options: str | int) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, encoding="utf-8")
        self.about = self.asked("urgi", "urgiok")
        for name, value in options.items():
            self.tell(f"setoption name {name} value {value}")
        self.asked("isready", "readyok")

    def tell(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def asked(self, line: str, awaited: str) -> list[str]:
        """Say a line, and return what is answered up to the line that begins with a word."""
        self.tell(line)
        answers: list[str] = []
        assert self.process.stdout is not None
        for answer in self.process.stdout:
            answers.append(answer.rstrip("\n"))
            if answer.split()[0] == "error":
                raise ValueError(answers[-1])
            if answer.split()[0] == awaited:
                return answers
        raise EOFError(f"the program ended before its {awaited}")

    def best(self, position: str, roll: int) -> tuple[str, float | None]:
        """Return the move that is played, and its value where the program has one."""
        self.tell(f"position {position}")
        self.tell(f"roll {roll}")
        _, move, *value = self.asked("go", "bestmove")[-1].split()
        return move, float(value[1]) if value else None

    def close(self) -> None:
        self.tell("quit")
        self.process.communicate()
