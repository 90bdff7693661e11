"""How results show themselves: their fields, tables and layout, without anything installed."""
