"""The explorer: a local web page about positions, values and games, and the JSON API beneath it.

Nothing here needs Starlette or uvicorn but `urcx.explore.app` and `urcx.explore.server`, which are
imported when ``urcx explore`` runs (the extra ``urcx[explore]``).
"""
