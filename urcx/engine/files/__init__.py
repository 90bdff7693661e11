"""Files on disk: the cache directory, checksums, header fields, and ownership checks.

All files that urcx makes for values or code (tablebases, layers of unfinished solutions, value
tables, compiled kernels, checkpoints) are sealed files (`urcx.engine.files.sealed`): header, data,
and a checksum for each block. No block is used unverified. Headers, including the headers of other
programs, are read through `Members`, which returns values of the right type and range, or raises an
error of one line. Foreign text goes through `urcx.errors.printable` before it is shown.

All files appear complete or not at all (`urcx.engine.files.writing`). The same module checks owners
and modes of the directories whose files no user has named, because urcx executes compiled kernels
and believes solutions. `urcx.engine.files.cache` has the places and contents of these directories.

To add a kind of file with values, write a sealed file, read its header through `Members`, and add a
test with damaged files (``tests/solving/files/test_damage.py``). Checksums do not prove who wrote a
file. So readers check everything on which kernels rely, and ``test_forgery.py`` makes wrong files
with right checksums.
"""
