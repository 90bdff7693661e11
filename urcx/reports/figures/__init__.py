"""Figures and drawn boards.

Boards, ways and positions are drawn as text and as SVG for pages. In figures each path has a colour
and a marker (`urcx.reports.figures.plots`). Labels take free places: after the layout of a figure,
places around each dot are tried with the size of the text (`urcx.reports.figures.labels`).

To add a figure, call `new_figure`, then `caption`, then the functions for labels, which fix the
layout. Add it to the test of overlaps, which measures the texts of all figures. For fewer than
three points, a sentence is better.
"""
