"""Compiled kernels, the threads and memory that they use, and the move generator.

For moves, start at `urcx.engine.moves`. A shift of a mask of steps moves all pieces at once.
Tables, made once for a rule set, contain the exceptions: a second crossing of the same tile, or an
enemy on a rosette that protects. All players, searches and solvers use this generator.

`urcx.engine.jit` makes kernels and caches them on disk. It is the only file that uses numba's
internals, and it works without them where they are missing. `urcx.engine.compiling` measures time
with a clock that stops while kernels are compiled. Hot kernels use the vectors of
`urcx.engine.vector_kernels`.

There are two kinds of parallel work:

- Work in independent chunks (enumeration, games, perft by first moves, verification, rushes,
  samples) goes through `urcx.engine.chunks` to an executor. This is a pool of daemon threads (the
  default), the calling thread (`urcx.engine.threads`), a dask cluster, or the user's own executor
  (`urcx.engine.dask`). Each chunk contains the version and a hash of the sources, which the worker
  compares. A graph, such as the pairs of layers, is a job that sometimes cannot cut a chunk before
  others are finished. Its parts exchange data as files in a directory that workers share.
- Loops over arrays in memory, such as sweeps, stay in one process: `urcx.engine.threads`.

`urcx.engine.costs` estimates the time and the memory of work.

`urcx.engine.memory` returns the free memory and the limits of the process (``ulimit -v``). The
limits are checked before numpy is imported, a kernel is compiled or loaded, or a thread is started,
because libraries in C would abort, or never return.

To add work for any executor, write a picklable function or data class with ``__call__`` that does
a chunk and depends on its arguments alone. Add a function that cuts chunks and one that combines
their results, and pass all three to `map_chunks`. The public function takes ``executor=`` and the
command ``--scheduler``. Send rules and names instead of arrays that the worker can make: read-only
arrays arrive writable, so kernels would be compiled for writable arrays as well.
"""
