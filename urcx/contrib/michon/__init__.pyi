# Made from PUBLIC by python docs/names.py
from urcx.contrib.michon.result import Nalimov as Nalimov
from urcx.contrib.michon.result import nalimov as nalimov

COMMANDS: dict[str, tuple[str, str]]
PUBLIC: dict[str, str]
