"""Files on disk: the cache directory, checksums, header fields, and ownership checks."""
