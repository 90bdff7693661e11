"""How any result is shown: tables and their layout, numbers, progress, output.

Plain text in a pipe, tables laid out for the width of a terminal, JSON, CSV, or a file that appears
under its name only when it is complete: begin at `urcx.reports.display.output`. What each column is
(`urcx.reports.display.tables`) decides how a table is laid out where it does not fit
(`urcx.reports.display.layout`).

While kernels are compiled, a bar says so (`urcx.reports.display.compiling`). It is drawn by a
thread of its own, ends before the compiling thread goes on, and goes by ``data/compiling.toml``,
which ``benchmarks/compile_times.py`` writes. It can watch before anything is imported.

A column is declared once, with what it has: text, a key, something secondary. A command with
secondary columns takes ``--wide``. A table with an irregular structure is written out.
"""
