# Made from PUBLIC by python docs/names.py
from urcx.contrib.puzzles.search import Puzzle as Puzzle
from urcx.contrib.puzzles.search import Puzzles as Puzzles
from urcx.contrib.puzzles.search import puzzles as puzzles

COMMANDS: dict[str, tuple[str, str]]
PUBLIC: dict[str, str]
