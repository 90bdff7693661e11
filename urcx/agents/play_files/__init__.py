"""Perfect play in a file: which move is best in every state and for every roll, without values."""
