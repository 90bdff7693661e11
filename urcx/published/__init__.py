"""The published figures of the sources as data, and their verification."""
