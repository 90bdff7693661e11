"""Solutions on disk: tablebases, work in progress, and RoyalUr-Java's files.

`urcx.solving.files.tablebase` has the file format, memory-mapped reading and probing. ``probe``
verifies the block of one value, ``layer`` all blocks of a layer, once. ``.rgu`` files are read in
the same way, but have neither checksums nor bounds. `urcx.solving.files.work` is the directory of
layers of an unfinished solve.
"""
