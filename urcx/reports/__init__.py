"""Everything shown to a reader: tables, machine-readable output, figures.

How does a result look? A report computes nothing: it takes what was computed and shows it as
tables, JSON or CSV (`urcx.reports.display`), as a figure (`urcx.reports.figures`), or as a page of
all of them (`urcx.reports.book`).

What shows itself in a notebook: results by their report; what is drawn derives from `Drawn`
(`urcx.results`). Ink is ``currentColor``, never a colour that only light pages show.
"""
