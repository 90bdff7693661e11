"""Solutions on disk: tablebases, work in progress, and RoyalUr-Java's files.

`urcx.solving.files.tablebase` is the file format, memory-mapped reading and probing; ``probe``
verifies the block of one value, ``layer`` those of a layer, once. ``.rgu`` files are read in the
same way, and have checksums and bounds, which that format lacks, in a proof beside them
(`urcx.solving.files.proof`). `urcx.solving.files.work` is the directory of layers of an unfinished
solve.
"""
