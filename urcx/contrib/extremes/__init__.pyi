# Made from PUBLIC by python docs/names.py
from urcx.contrib.extremes.longest_game import Longest as Longest
from urcx.contrib.extremes.longest_game import longest as longest
from urcx.contrib.extremes.shortest_game import Shortest as Shortest
from urcx.contrib.extremes.shortest_game import shortest as shortest

COMMANDS: dict[str, tuple[str, str]]
PUBLIC: dict[str, str]
