"""Closed forms of the state space, numeric and symbolic, and conventions of the game tree.

- `urcx.complexity.tiles`: the exact count for every path.
- `urcx.complexity.forms`: the sources' formulas in integers.
- `urcx.complexity.symbolic`: the same formulas in sympy, written independently, with the proof that
  they are equal.
- `urcx.complexity.board_games`, `urcx.complexity.board_series`: the states of other games, in
  integers (`urcx.complexity.polynomials`) and again in sympy.
- `urcx.complexity.game_tree`: the conventions for the size of the game tree.

No module here imports the engine, so closed forms and searches stay independent.

To add a closed form, write a function in `urcx.complexity.forms`, an entry in ``data/forms.toml``
whose author has a key in the bibliography, and an expression in `urcx.complexity.symbolic`. ``urcx
ssc``, JSON, LaTeX and the report then show it. Tests: ``tests/complexity
tests/enumerate/test_state_space.py tests/published/test_figures.py
tests/commands/test_cli_latex.py``. To add a convention, write a `Convention` in
`urcx.complexity.game_tree`. To add a game, write an entry in ``data/games.toml`` and a row of
``docs/mathematics/other-games.rst``.
"""
