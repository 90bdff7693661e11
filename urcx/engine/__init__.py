"""Compiled kernels, the threads and memory they use, and the one move generator.

What may be moved, and how does much work get done? Moves: begin at `urcx.engine.moves`. All pieces
are moved at once by a shift of a mask of steps; what stops one of them (a second crossing of its
tile, an enemy on a rosette that protects) is looked up in tables made once for a rule set.
Everything that plays, searches or solves uses this generator.

Kernels are made, and cached on disk, by `urcx.engine.jit`, the one file that uses what numba keeps
to itself, with a fallback where that is missing. Time is measured by `urcx.engine.compiling`, whose
clock stands still while kernels are compiled. Vectors for hot kernels are those of
`urcx.engine.vector_kernels`.

Work of two kinds is spread:

- What can be cut into chunks that need nothing of each other (enumeration, games, perft by first
  moves, verification, rushes, samples) goes through `urcx.engine.chunks` to an executor: threads
  (daemons, the default) or the calling thread (`urcx.engine.threads`), a dask cluster or the user's
  own (`urcx.engine.dask`). Each chunk carries
  the version and a hash of the sources, which the worker compares. A graph, as of pairs of layers,
  is a job that sometimes has no chunk to cut before others are back; what passes between its parts
  travels as files of a directory that workers share.
- Loops over arrays in memory, such as sweeps, stay in one process: `urcx.engine.threads`.

How long and large work will be is estimated by `urcx.engine.costs`.

How much memory is free, and what a process may take (``ulimit -v``), says `urcx.engine.memory`:
before numpy is imported, a kernel compiled or loaded or a thread started, since libraries in C
would abort, or never return.

To add work for any executor: a picklable function or data class with ``__call__`` that does a chunk
and depends on its arguments alone, a function that cuts chunks and one that adds up what comes
back, both passed to `map_chunks`; ``executor=`` in the public function and ``--scheduler`` in the
command. Send rules and names, not arrays that the worker can make: read-only arrays arrive
writable, and kernels would be compiled for those as well.
"""
