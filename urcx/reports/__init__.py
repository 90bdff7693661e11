"""Everything shown to a reader: tables, machine-readable output, figures.

Results declare their own fields and tables (`urcx.results`). This package adds irregular tables,
figures (`urcx.reports.figures`) and the page of many results (`urcx.reports.page`). It computes
nothing. Progress and output are in `urcx.reports.display`.

In notebooks, results show their report (`urcx.results.result`), and `urcx.rules` draws boards. Ink
is ``currentColor``, never a colour that only light pages show.
"""
