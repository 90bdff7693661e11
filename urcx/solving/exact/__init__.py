"""Perfect play in exact fractions."""
