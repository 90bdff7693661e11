"""The report of ``urcx report``: sections, their figures and tables, the page and its files."""
