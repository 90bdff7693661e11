"""Perfect play: solving games, tablebases, and the analysis of solutions."""
