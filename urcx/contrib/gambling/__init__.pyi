# Made from PUBLIC by python docs/names.py
from urcx.contrib.gambling.agents import Gambler as Gambler
from urcx.contrib.gambling.records import Gambles as Gambles
from urcx.contrib.gambling.rules import GamblingGame as GamblingGame
from urcx.contrib.gambling.rules import gambling_game as gambling_game
from urcx.contrib.gambling.simulator import gamble as gamble

COMMANDS: dict[str, tuple[str, str]]
PUBLIC: dict[str, str]
