"""Figures and drawn boards.

Boards, ways and positions are drawn as text and as SVG for pages. In figures a path has one colour
and one marker (`urcx.reports.figures.plots`), and labels stand where nothing else is: a figure is
laid out first, and then places around a dot are tried by the room that the text takes there
(`urcx.reports.figures.labels`).

To add a figure: `new_figure`, then `caption`, then labels, which fix the layout. Fewer than three
points are better said in a sentence.
"""
