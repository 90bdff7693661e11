"""Output and progress: the destination of a result, and the bars before it.

Results are plain text in a pipe, tables laid out for the width of a terminal, JSON, CSV, or a file
that appears under its name only when it is complete. Start with `urcx.reports.display.output`.

A bar shows that kernels are being compiled (`urcx.reports.display.progress`). A separate thread
draws it, and it ends before the compiling thread goes on. Its estimates come from
``data/compiling.toml``, which ``benchmarks/first_use.py`` writes. It can start before anything
is imported.
"""
