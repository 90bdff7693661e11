"""Files on disk: the cache directory, checksums, schemas, and whose files they are."""
