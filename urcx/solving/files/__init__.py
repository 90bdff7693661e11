"""Solutions on disk: tablebases, work in progress, and RoyalUr-Java's files."""
