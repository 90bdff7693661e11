"""Games played move by move: their record and notation, reviews, hints, and dice with a seed."""
