"""Enumerating, numbering and sampling diagrams; perft and reachability."""
