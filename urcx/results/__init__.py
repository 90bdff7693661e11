"""How results show themselves: their fields, tables and layout, without anything installed.

How does a result look? Begin at `urcx.results.fields`: each field is declared once, where the
result is, with its name in JSON and CSV, its heading, how it is written and what it is. A table's
column says what it has (`urcx.results.tables`): text, a key, something secondary. That decides how
the table is laid out where it does not fit (`urcx.results.layout`); a command with secondary
columns takes ``--wide``. A table with an irregular structure is written out.

To add a column or figure: a field of the result, or a property with `Field`, where ``after`` says
what it follows; table, JSON, CSV and documentation have it then. Tests: those of the result,
``tests/test_results.py tests/commands/test_cli_widths.py``, after ``python docs/transcripts.py
COMMAND``.
"""
