"""The explorer: a local web page for positions, values and games, and its JSON API.

Only `urcx.explore.app` and `urcx.explore.server` need Starlette and uvicorn, the extra
``urcx[explore]``. ``urcx explore`` imports them when it runs.

A request passes these modules:

- `urcx.explore.app` checks its host, origin and size, and finds the function for its address.
- `urcx.explore.schema` has a dataclass for each kind of request. Annotations bound every field.
- A few threads compute the answers, so the event loop never waits for one.

The answers come from public functions: `urcx.Game`, hints and probing for positions,
`urcx.PlayedGame` and reviews for games. The server stores no game: games travel as text, and
positions in the address. Only one thread at a time runs an agent. A separate process solves large
games (`urcx.explore.whole`).

The scripts in ``static`` contain no rules, except ``offline.js``, which replaces the API when the
page is exported as one file (`urcx.explore.export`). In a file with one review, ``stored.js``
replaces it, and has stored answers. ``board.js`` draws a position and reports the
chosen move.

The page is plain HTML, CSS and JavaScript modules, without a build step or a framework, and it
loads nothing from outside. Foreign text becomes text nodes (``h`` in ``dom.js``), never markup. The
page's policy forbids inline styles, so only style sheets and CSSOM set them. Look at every change
at 1280, 768 and 360 pixels, in light and dark, and printed.

To add an endpoint, write a request in `urcx.explore.schema`, a function of the `Explorer` and the
request, and a line in `GET` or `POST` of `urcx.explore.app`. Describe its parameters and fields
in ``docs/explore-api.rst`` (a test compares them), and its schema in ``docs/formats.rst``. The
request must bound its cost, read no file, and store nothing.
"""
