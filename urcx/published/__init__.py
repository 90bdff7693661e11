"""The published figures of the sources as data, and their verification.

Does a printed figure hold? Begin at `urcx.published.verify`: it computes each figure by its
quantity (`urcx.published.quantities`) and compares it to the digits printed, by one rule of
rounding (`urcx.published.rounding`).

Figures are data (``data/*.toml``), each with its place in the source, its parameters, its digits as
printed, the recorded verdict, and the readings in which it holds where it does not as it stands
(`urcx.published.figures`). ``data/exact.toml`` has exact means of whole rule sets, and
``data/longest.toml`` bounds of the longest games, both computed here (`urcx.published.gtc`).

To add a kind of figure: a public function of ``params`` in a module of `urcx.published.quantities`
(see its ``registry``). A figure of a whole game that takes minutes is recorded: ``found`` and
``how`` beside it, and a function in ``AGAIN``, which ``urcx verify --tablebase`` calls. A new
measure of exact means needs the most that it counts in a ply. A page that is a source has its date
of access.
"""
