"""The explorer: a local web page about positions, values and games, and the JSON API beneath it.

Nothing here needs Starlette or uvicorn but `urcx.explore.app` and `urcx.explore.server`, which are
imported when ``urcx explore`` runs (the extra ``urcx[explore]``).

`urcx.explore.app` checks host, origin and size of a request, and finds the question by its address.
`urcx.explore.schema` has a dataclass for each request, whose annotations bound every field. A few
threads compute the answer, so that the event loop waits for nothing. Answers stand on the
functions that everybody has: on `urcx.Game`, hints and probing for positions, on `urcx.PlayedGame`
and reviews for games. The server keeps no game: games travel as text, positions in the address. An
agent is asked by one thread at a time. Large games are solved by a process (`urcx.explore.whole`).

The scripts in ``static`` know no rule, but for ``offline.js``, the API of the page as one file
(`urcx.explore.export`). ``board.js`` draws a position and reports the chosen move.

The page is plain JavaScript in modules, HTML and CSS: no build step, no framework, nothing from
outside. Foreign text becomes text nodes (``h`` in ``dom.js``), never markup, and styles are set by
style sheets and CSSOM alone, because the page's policy allows nothing inline. Look at changes at
1280, 768 and 360 pixels, light and dark, and printed.

To add an endpoint: a request in `urcx.explore.schema`, a function of the `Explorer` and the
request, a line in `ASKED` or `POSTED` of `urcx.explore.app`, its parameters and members in
``docs/explore-api.rst`` (a test compares), its schema in ``docs/formats.rst``. The request bounds
its cost; it reads no file, and keeps nothing.
"""
