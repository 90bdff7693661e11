# Made from PUBLIC by python docs/names.py
from urcx.contrib.exact.exact_solution import ExactSolution as ExactSolution
from urcx.contrib.exact.rational import solve_exactly as solve_exactly

COMMANDS: dict[str, tuple[str, str]]
PUBLIC: dict[str, str]
