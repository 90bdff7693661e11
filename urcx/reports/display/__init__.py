"""Output and progress: where a result goes, and what is shown meanwhile.

Plain text in a pipe, tables laid out for the width of a terminal, JSON, CSV, or a file that appears
under its name only when it is complete: begin at `urcx.reports.display.output`.

While kernels are compiled, a bar says so (`urcx.reports.display.progress`). It is drawn by a
thread of its own, ends before the compiling thread goes on, and goes by ``data/compiling.toml``,
which ``benchmarks/compile_times.py`` writes. It can watch before anything is imported.
"""
