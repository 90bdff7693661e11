"""The sources' figures as data, and their verification."""
