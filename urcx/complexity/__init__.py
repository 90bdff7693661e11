"""Closed forms of the state space, numeric and symbolic; conventions of game-tree complexity.

What do formulas say? `urcx.complexity.tiles` has the exact count of every path,
`urcx.complexity.forms` the forms of the sources in integers, `urcx.complexity.symbolic` the same in
sympy, written independently, with the proof of their equality. `urcx.complexity.game_tree` has the
conventions for the tree. Nothing here knows the engine: what is computed in closed form and what is
found by search stay independent.

To add a closed form: a function in `urcx.complexity.forms`, its entry in ``data/forms.toml``, whose
author has a key of the bibliography, and its expression in `urcx.complexity.symbolic`; ``urcx
ssc``, JSON, LaTeX and the report follow. Tests: ``tests/complexity
tests/enumerate/test_state_space.py tests/published/test_figures.py
tests/commands/test_cli_latex.py``. To add a convention: a `Convention` in
`urcx.complexity.game_tree`.
"""
