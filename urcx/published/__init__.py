"""The published figures of the sources as data, and their verification.

Start with `urcx.published.verify`. It computes each figure by its quantity
(`urcx.published.quantities`) and compares the value with the printed digits, by one rule of
rounding (`urcx.published.rounding`).

Figures are data (``data/*.toml``, read by `urcx.published.figures`). Each has its place in the
source, its parameters, its digits as printed and the recorded verdict. A figure that does not hold
as printed can have other readings. ``data/exact.toml`` has exact means for rule sets, and
``data/longest.toml`` bounds of the longest games. Both were computed by urcx and are read by
`urcx.published.gtc`.

To add a kind of figure, write a public function of ``params`` in a module of
`urcx.published.quantities` (see its ``registry``). If its value takes minutes, record the value:
add ``found`` and ``how`` to the figure, and a function to ``AGAIN``, which ``urcx verify
--tablebase`` calls. A new measure with exact means needs the greatest number that it counts per
ply. The entry of a web page in the bibliography needs the date of access.
"""
