"""Going through all diagrams, numbering them, and drawing from them."""
