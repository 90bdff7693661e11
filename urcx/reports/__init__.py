"""Everything shown to a reader: tables, machine-readable output, figures.

What is shown beyond what a result declares of itself (`urcx.results`)? A report computes nothing:
it takes what was computed, and shows it in a table with an irregular structure, as a figure
(`urcx.reports.figures`), or on a page with others (`urcx.reports.page`). Progress and output
are in `urcx.reports.display`.

What shows itself in a notebook: results by their report; pictures of boards are in `urcx.rules`
(`urcx.results.result`). Ink is ``currentColor``, never a colour that only light pages show.
"""
