# Made from PUBLIC by python docs/names.py
from urcx.contrib.envs.judging import Judgement as Judgement
from urcx.contrib.envs.judging import judge as judge

COMMANDS: dict[str, tuple[str, str]]
PUBLIC: dict[str, str]
