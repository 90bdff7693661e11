"""The notebooks of ``docs/notebooks``: how they are run, and the pages that show them.

    python docs/lessons.py [NAME]...

runs notebooks from beginning to end, all by default, and keeps in them what they show. They are run
by IPython itself, one after another in this process, without a server.

A page has the notebook's text and what is kept in it, so that making the documentation runs none.
Needs neither Sphinx nor IPython to make pages.

A lesson is in plain words and small sizes, a few seconds of a processor each; a new one also has
its name in ``docs/notebooks.rst`` and ``tests/test_lessons.py``. What hangs on the machine, such as
seconds, is left out of what the test compares, or better not shown.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from urcx.reading import parse_json
from urcx.reports.page import inline

NOTEBOOKS = Path(__file__).with_name("notebooks")
Notebook = dict[str, Any]


def names() -> list[str]:
    """Return the names of the notebooks."""
    return sorted(file.stem for file in NOTEBOOKS.glob("*.ipynb"))


def file_of(name: str) -> Path:
    """Return the file of a notebook."""
    return NOTEBOOKS / f"{name}.ipynb"


def kept(name: str) -> Notebook:
    """Return a notebook as it is kept."""
    found: Notebook = parse_json(file_of(name).read_bytes())
    return found


def text_of(notebook: Notebook) -> str:
    """Return what a notebook's file contains."""
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def code(notebook: Notebook) -> Iterator[Any]:
    """Yield the cells with code."""
    return (cell for cell in notebook["cells"] if cell["cell_type"] == "code")


def run(notebook: Notebook) -> None:
    """Run a notebook's cells in order, in a directory of their own, and put in what they show.

    Raises
    ------
    RuntimeError
        If a cell fails, with the cell.
    """
    from IPython.core.displayhook import CapturingDisplayHook
    from IPython.core.displaypub import CapturingDisplayPublisher
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.core.pylabtools import select_figure_formats
    from matplotlib import rc_context
    from matplotlib_inline.config import InlineBackend
    from traitlets.config import Config

    class Shell(InteractiveShell):  # type: ignore[misc]
        """IPython without a window that figures could open."""

        def enable_gui(self, gui: str | None = None) -> None:
            """Do nothing."""

    steady: Any = {"svg.hashsalt": "urcx"}  # the same figure is the same text
    with TemporaryDirectory() as directory, chdir(directory), rc_context(steady):
        alone = Config({"HistoryManager": {"enabled": False}})
        shell = Shell.instance(config=alone, ipython_dir=directory)
        try:
            # A figure is then shown after its cell, as in Jupyter; as SVG, for the pages.
            shell.run_line_magic("matplotlib", "inline")
            select_figure_formats(shell, {"svg"})
            for number, cell in enumerate(code(notebook), start=1):
                source = "".join(cell["source"])
                shell.display_pub = CapturingDisplayPublisher()
                rich = shell.display_pub.outputs
                shell.display_trap.hook = CapturingDisplayHook(shell=shell, outputs=rich)
                with redirect_stdout(StringIO()) as printed:
                    done = shell.run_cell(source)
                if not done.success:
                    wrong = done.error_before_exec or done.error_in_exec
                    raise RuntimeError(f"a cell fails, {wrong!r}:\n{source}")
                cell["execution_count"] = number
                cell["outputs"] = list(_outputs(printed.getvalue(), rich))
        finally:
            shell.restore_sys_module_state()
            Shell.clear_instance()
            InlineBackend.clear_instance()  # it belongs to the shell


def _outputs(printed: str, rich: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield what a cell printed and showed, as a notebook keeps it."""
    if printed:
        yield {"name": "stdout", "output_type": "stream", "text": _lines(printed)}
    for one in rich:
        data = {kind: _lines(text) for kind, text in sorted(one["data"].items())}
        if "text/html" in data:  # which has the drawing in it
            data.pop("image/svg+xml", None)
        yield {"data": data, "metadata": {}, "output_type": "display_data"}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def page(name: str) -> str:
    """Return a notebook as a page in MyST's Markdown."""
    notebook = kept(name)
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(_fenced("python", source))
        for output in cell["outputs"]:
            parts.append(_shown(output, f"{name}-{len(parts)}"))
    heading, _, rest = parts[0].partition("\n")
    where = (
        f"*A notebook to run and to change:* {{download}}`{name}.ipynb "
        f"<../../notebooks/{name}.ipynb>`."
    )
    return "\n\n".join((heading, where, rest.strip(), *parts[1:])) + "\n"


def _shown(output: dict[str, Any], prefix: str) -> str:
    """Return what a cell showed: the richest of what is kept of it."""
    data = {kind: "".join(text) for kind, text in output.get("data", {}).items()}
    if "text/html" in data:
        return _raw(data["text/html"])
    if "image/svg+xml" in data:
        drawn = inline(data["image/svg+xml"].encode(), prefix, "what the cell above draws")
        return _raw(f'<figure class="drawn">{drawn}</figure>')
    return _fenced("text", data.get("text/plain") or "".join(output["text"]), "shown")


def _raw(html: str) -> str:
    return _fenced("{raw} html", f'<div class="shown">\n{html}\n</div>')


def _fenced(what: str, text: str, name: str = "") -> str:
    """Return a block of code, or of a directive, with an option for its class."""
    option = ""
    if name:
        what, option = f"{{code-block}} {what}", f":class: {name}\n\n"
    fence = "`" * 5
    return f"{fence}{what}\n{option}{text.rstrip()}\n{fence}"


def said(notebook: Notebook) -> list[str]:
    """Return the text of all that the cells of a notebook show, figures left out."""
    return [
        "".join((*output.get("text", ()), *output.get("data", {}).get(kind, ())))
        for cell in code(notebook)
        for output in cell["outputs"]
        for kind in ("text/plain", "text/html")
    ]


def main(chosen: Iterable[str]) -> None:
    """Run notebooks and keep what they show."""
    for name in tuple(chosen) or names():
        notebook = kept(name)
        run(notebook)
        file_of(name).write_text(text_of(notebook), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
