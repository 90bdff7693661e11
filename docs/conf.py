"""The settings of Sphinx: ``sphinx-build -W --keep-going -b html docs docs/_build``.

Formulas become MathML, which browsers show without scripts, so no page loads anything from other
sites.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import drawings  # noqa: E402 - in the folder of this file
import figures  # noqa: E402
import pages  # noqa: E402

import urcx  # noqa: E402
from urcx.reports.display.mathml import mathml  # noqa: E402

project = "urcx"
author = "the urcx authors"
project_copyright = f"2026, {author}"
version = release = urcx.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_enable_extensions = ["dollarmath"]  # in the notebooks
exclude_patterns = [
    "_build",
    "outreach",
    "paper",
    "generated/conventions.rst",
    "generated/members.rst",
    "generated/names.rst",
]
smartquotes = False  # options begin with two hyphens
default_role = "py:obj"
html_theme = "furo"
html_title = f"urcx {release}"
html_logo = html_favicon = "../urcx/explore/static/icon.svg"
html_math_renderer = "mathml"
html_copy_source = False
html_static_path = ["../urcx/reports/templates/math.css", "site.css"]  # the first is the report's
html_css_files = ["math.css", "site.css"]
html_theme_options = {
    f"{theme}_css_variables": page | figure
    for theme, page, figure in zip(
        ("light", "dark"), figures.page_colours(), figures.variables(), strict=True
    )
}

# Pages on optional packages can be built without these packages.
EXTRAS = ("pyspiel", "open_spiel", "pettingzoo", "gymnasium")
autodoc_mock_imports = [name for name in EXTRAS if find_spec(name) is None]
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
autodoc_member_order = "bysource"
napoleon_google_docstring = False
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 80

PUBLIC = {f"{module}.{name}": f"urcx.{name}" for name, module in urcx.PUBLIC.items()}


def public_name(app: Sphinx, env: Any, node: Any, content: nodes.Node) -> nodes.Node | None:
    """Return a link to the documentation of ``urcx.NAME`` for a name in its module."""
    name = PUBLIC.get(node.get("reftarget", ""))
    if name is None:
        return None
    label = nodes.literal("", name, classes=["xref", "py"])
    link: nodes.Node | None = env.get_domain("py").resolve_xref(
        env, node["refdoc"], app.builder, "obj", name, node, label if content else content
    )
    return link


def attributes(
    _app: Sphinx, kind: str, _name: str, item: Any, _options: Any, lines: list[str]
) -> None:
    """Describe the attributes of a class of results, before napoleon reads the sections."""
    if kind == "class":
        lines[:] = pages.described(item, "\n".join(lines)).split("\n")


def inline_math(writer: Any, node: nodes.math) -> None:
    """Write a formula in a line."""
    writer.body.append(mathml(node.astext()))
    raise nodes.SkipNode


def block_math(writer: Any, node: nodes.math_block) -> None:
    """Write a formula on separate lines."""
    writer.body.append(f'<div class="math">{mathml(node.astext(), block=True)}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Write the generated pages, and register our extensions with Sphinx."""
    app.add_html_math_renderer("mathml", (inline_math, None), (block_math, None))
    app.connect("missing-reference", public_name)
    app.connect("autodoc-process-docstring", attributes, priority=400)
    for name, directive in drawings.DIRECTIVES.items():
        app.add_directive(name, directive)
    app.add_transform(drawings.DarkPictures)
    pages.write_all(HERE / "generated")
