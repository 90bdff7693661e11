"""The published figures of the sources as data, and their verification.

Does a printed figure hold? Begin at `urcx.published.verify`: it computes each figure by its
quantity (`urcx.published.quantities`), compares it to the digits printed, by one rule of rounding
(`urcx.published.rounding`), and tries other readings where they differ (`urcx.published.readings`).

Figures are data (``data/*.toml``), each with its place in the source, its parameters, its digits as
printed and the recorded verdict. ``data/exact.toml`` has exact means of whole rule sets, and
``data/longest.toml`` bounds of the longest games, both computed here (`urcx.published.exact`).
"""
