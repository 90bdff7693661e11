"""Everything shown to a reader: tables, machine-readable output, figures."""
