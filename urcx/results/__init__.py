"""How results print themselves: fields, tables and layout, without optional packages.

Start at `urcx.results.fields`. Each field is declared once, in the result's class, with its name in
JSON and CSV, its heading, its format and its description. A column of a table declares its content
(`urcx.results.tables`): text, a key, or something secondary. These declarations decide the layout
of a table that does not fit (`urcx.results.layout`). A command with secondary columns takes
``--wide``. A table with an irregular structure is written out.

To add a column or figure, add a field to the result, or a property with `Field`, where ``after``
names the field before it. Table, JSON, CSV and documentation then contain the field. Run ``python
docs/transcripts.py COMMAND``, then the tests of the result and ``tests/test_results.py
tests/commands/test_cli_widths.py``.
"""
