"""The published figures of the sources as data, and their verification.

Does a printed figure hold? Begin at `urcx.published.verify`: it computes each figure by its
quantity (`urcx.published.quantities`), compares it to the digits printed, by one rule of rounding
(`urcx.published.rounding`), and tries other readings where they differ (`urcx.published.readings`).

Figures are data (``data/*.toml``), each with its place in the source, its parameters, its digits as
printed and the recorded verdict. ``data/exact.toml`` has exact means of whole rule sets, and
``data/longest.toml`` bounds of the longest games, both computed here (`urcx.published.exact`).

To add a kind of figure: a `Quantity` (`urcx.published.quantities.values`), listed in
`urcx.published.quantities.registry`, with other possible meanings of its wording as readings; one
that applies to any number is an entry in ``data/readings.toml``. A figure of a whole game that
takes minutes is recorded: ``found`` and ``how`` beside it, and a function ``again`` of its quantity
(`urcx.published.quantities.whole_games`), which ``urcx verify --tablebase`` calls. A new measure of
exact means needs the most that it counts in a ply. A page that is a source has its date of access.
"""
