"""Perfect play in a file: which move is best in every state and for every roll, without values.

Moves are ranked by a small network and by what neighbouring states chose, and only what is then
surprising is written, in blocks, by arithmetic coding. One model of the decisions serves writing,
playing and proving: begin at `urcx.agents.play_files.play_kernels`.
"""
