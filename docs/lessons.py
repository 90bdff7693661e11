"""The notebooks of ``docs/notebooks``, and the pages that show them.

    python docs/lessons.py [NAME]...

runs notebooks from beginning to end, all by default, and saves their outputs in them. IPython runs
them one after another in this process, without a server.

A page has the notebook's text and saved outputs, so building the documentation runs no notebook.
Making pages needs neither Sphinx nor IPython.

A lesson uses plain words and small sizes, and takes a few CPU seconds. Add the name of a new lesson
to ``docs/notebooks.rst`` and ``tests/test_lessons.py``. The test ignores outputs that depend on the
machine, such as seconds; it is better not to show them.
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
    """Return a notebook with its saved outputs."""
    notebook: Notebook = parse_json(file_of(name).read_bytes())
    return notebook


def text_of(notebook: Notebook) -> str:
    """Return the text of a notebook's file."""
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def code(notebook: Notebook) -> Iterator[Any]:
    """Yield the cells with code."""
    return (cell for cell in notebook["cells"] if cell["cell_type"] == "code")


def run(notebook: Notebook) -> None:
    """Run a notebook's cells in order, in a temporary directory, and put their outputs into it.

    Raises
    ------
    RuntimeError
        If a cell fails; the message has the cell.
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

    steady: Any = {"svg.hashsalt": "urcx"}  # equal figures have equal texts
    with TemporaryDirectory() as directory, chdir(directory), rc_context(steady):
        alone = Config({"HistoryManager": {"enabled": False}})
        shell = Shell.instance(config=alone, ipython_dir=directory)
        try:
            # Show figures after their cells, as in Jupyter, and as SVG for the pages.
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
                    error = done.error_before_exec or done.error_in_exec
                    raise RuntimeError(f"a cell fails, {error!r}:\n{source}")
                cell["execution_count"] = number
                cell["outputs"] = list(_outputs(printed.getvalue(), rich))
        finally:
            shell.restore_sys_module_state()
            Shell.clear_instance()
            InlineBackend.clear_instance()  # it belongs to the shell


def _outputs(printed: str, rich: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the printed and displayed outputs of a cell in a notebook's format."""
    if printed:
        yield {"name": "stdout", "output_type": "stream", "text": _lines(printed)}
    for output in rich:
        data = {kind: _lines(text) for kind, text in sorted(output["data"].items())}
        if "text/html" in data:  # HTML contains the drawing
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
    """Return the richest form of a cell's output."""
    data = {kind: "".join(text) for kind, text in output.get("data", {}).items()}
    if "text/html" in data:
        return _raw(data["text/html"])
    if "image/svg+xml" in data:
        drawn = inline(data["image/svg+xml"].encode(), prefix, "figure of the cell above")
        return _raw(f'<figure class="drawn">{drawn}</figure>')
    return _fenced("text", data.get("text/plain") or "".join(output["text"]), "shown")


def _raw(html: str) -> str:
    return _fenced("{raw} html", f'<div class="shown">\n{html}\n</div>')


def _fenced(kind: str, text: str, name: str = "") -> str:
    """Return a block of code or of a directive, with an option for its class."""
    option = ""
    if name:
        kind, option = f"{{code-block}} {kind}", f":class: {name}\n\n"
    fence = "`" * 5
    return f"{fence}{kind}\n{option}{text.rstrip()}\n{fence}"


def said(notebook: Notebook) -> list[str]:
    """Return the texts of all outputs of a notebook's cells, without figures."""
    return [
        "".join((*output.get("text", ()), *output.get("data", {}).get(kind, ())))
        for cell in code(notebook)
        for output in cell["outputs"]
        for kind in ("text/plain", "text/html")
    ]


def main(chosen: Iterable[str]) -> None:
    """Run notebooks and save their outputs."""
    for name in tuple(chosen) or names():
        notebook = kept(name)
        run(notebook)
        file_of(name).write_text(text_of(notebook), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
