"""Files on disk: the cache directory, checksums, header fields, and ownership checks.

Whatever of ours lies on a disk and holds values (tablebases, layers at work, levels, checkpoints)
is a sealed file, `urcx.engine.files.sealed`: header, data, and checksums by block, so that
nobody reads a block that was not verified. Headers, ours and others', are read through
`urcx.engine.files.fields`, which gives out what is of the right type and range, or one line of
error; foreign text goes through `urcx.errors.printable` before it is shown.

The cache, `urcx.engine.files.cache`, has compiled kernels in a directory for each version and state
of their sources, and levels, a file for each rule set, agent and depth, named by a hash of all that
they depend on. Levels and other versions' kernels go after a month without use; beyond 2 GB, or as
much as the user says, goes whatever was used least recently. What is in the cache is executed, so
owners and modes of directories are looked at first (`urcx.engine.files.private`), and a private
directory takes the place of one that is refused.

To add a kind of file that holds values: a sealed file with its header read through
`urcx.engine.files.fields`, and a test with damaged files (``tests/solving/files/test_damage.py``).
Checksums say nothing of who wrote them: what kernels rely on is checked when it is read, and
``test_forgery.py`` makes such files with right checksums.
"""
