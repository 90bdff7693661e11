"""Files on disk: the cache directory, checksums, header fields, and ownership checks.

All files of urcx's own that hold values or code (tablebases, layers at work, value tables, compiled
kernels, checkpoints) are sealed files, `urcx.engine.files.sealed`: header, data, and checksums by
block, so that nobody reads a block that was not verified. Headers, ours and others', are read
through its `Members`, which gives values of the right type and range, or one line of error; foreign
text goes through `urcx.errors.printable` before it is shown.

All files appear complete or not at all, by `urcx.engine.files.writing`, which also checks owners
and modes of directories whose files nobody has named: compiled kernels are executed, and solutions
are believed. `urcx.engine.files.cache` says where these directories are, and what is in them.

To add a kind of file that holds values: a sealed file with its header read through `Members`, and a
test with damaged files (``tests/solving/files/test_damage.py``). Checksums say nothing of who wrote
them: what kernels rely on is checked when it is read, and ``test_forgery.py`` makes such files with
right checksums.
"""
