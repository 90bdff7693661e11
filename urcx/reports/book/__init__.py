r"""The report of ``urcx report``: sections, their figures and tables, the page and its files.

Begin at `urcx.reports.book.build`. `urcx.reports.book.plan` says how much is computed; each section
is a function from a `Work` (the plan, progress, the verdicts judged once) to a `Section` of
elements: prose, entries, tables with the rows behind them, figures with their captions in them. The
first page takes its numbers from what the sections computed, and nowhere else
(`urcx.reports.book.story`).

Nothing is written until all is computed. Then the template in ``reports/templates`` is filled,
colours of figures are made to follow the page's theme, and a directory is put in its place by
renaming. Times appear under the title and in ``report.json``, nowhere else. Formulas are LaTeX in
the texts, between ``\(`` and ``\)``, set as MathML, as in the documentation. Tables that are too
wide for 1280 pixels, a phone or a sheet of paper lose columns to the files beside the page, are set
under headings (``grouped``) or, on a phone, one cell below another (``stacked``); others scroll,
and say so.

To add a part: a function that returns a `Section`, listed in `PARTS` of `urcx.reports.book.build`.
Every table and figure in it says how it was obtained. It computes results
(`urcx.reports.book.results`), stores in `Work` those that the first page needs, and shows them with
the tables and fields of the commands' reports. Look at it at widths of 1280 and 390 pixels, in dark
mode and printed; ``tests/reports/book/test_book_chromium.py`` does the same, and reports what
overflows the page.
"""
