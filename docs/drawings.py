"""Directives that put boards and figures into a page, drawn when the site is built.

``board`` draws a board. ``drawn`` runs a command with ``--plot`` and shows the command and its
figure. ``picture`` shows a figure from a file. All figures are part of the page, so their colours
follow its theme. An image file ``NAME.png`` gives way to ``NAME-dark.png``, if that exists, on dark
pages.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from figures import plotted
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective

import urcx
from urcx.reports.page import inline
from urcx.rules.pictures import SIDES, board_svg


class _Figure(SphinxDirective):  # type: ignore[misc]
    """A figure with a caption, its content."""

    has_content = True
    required_arguments = 1
    final_argument_whitespace = True

    def shown(self, svg: str) -> nodes.Node:
        """Return an SVG element in a figure, with the directive's content below it."""
        figure = nodes.figure("", classes=["drawn"])
        figure += nodes.raw("", svg, format="html")
        if self.content:
            parts = self.parse_content_to_nodes()
            first, *rest = parts
            figure += nodes.caption("", "", *first.children)
            if rest:
                figure += nodes.legend("", *rest)
        return figure

    @property
    def prefix(self) -> str:
        """Return the prefix that makes the ids of this figure unique in the page."""
        return f"{Path(self.env.docname).name}-{self.env.new_serialno('drawn')}"


class Board(_Figure):
    """The board of a path or rule set, with both players' ways or a position on it."""

    option_spec: ClassVar[dict[str, Any]] = {
        "position": directives.unchanged,
        "ways": directives.unchanged,
        "title": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        """Return the figure."""
        name = self.arguments[0]
        position = self.options.get("position")
        game = urcx.ruleset(name) if position else urcx.path(name)
        ways = self.options["ways"].split() if "ways" in self.options else SIDES
        title = self.options.get("title")
        return [self.shown(board_svg(game, position, ways=ways, title=title))]


class Drawn(_Figure):
    """A command, and the figure that it draws."""

    def run(self) -> list[nodes.Node]:
        """Return the command and the figure."""
        command = " ".join(self.arguments[0].split())
        typed = nodes.literal_block(command, command, language="sh")
        svg = inline(plotted(command), self.prefix, self.content[0] if self.content else command)
        return [typed, self.shown(svg)]


class Picture(_Figure):
    """A figure from an SVG file."""

    def run(self) -> list[nodes.Node]:
        """Return the figure."""
        relative, file = self.env.relfn2path(self.arguments[0])
        self.env.note_dependency(relative)
        label = self.content[0] if self.content else relative
        return [self.shown(inline(Path(file).read_bytes(), self.prefix, label))]


class DarkPictures(SphinxTransform):  # type: ignore[misc]
    """Puts the dark variant of a picture next to it; the theme shows one of them."""

    default_priority = 10  # before Sphinx collects the files of pictures

    def apply(self, **_options: Any) -> None:
        """Add the dark pictures."""
        folder = Path(self.env.doc2path(self.env.docname)).parent
        for image in list(self.document.findall(nodes.image)):
            file = Path(image["uri"])
            dark = file.with_stem(f"{file.stem}-dark")
            if (folder / dark).is_file():
                twin = image.deepcopy()
                twin["uri"] = dark.as_posix()
                image["classes"].append("only-light")
                twin["classes"].append("only-dark")
                image.parent.insert(image.parent.index(image) + 1, twin)


DIRECTIVES = {"board": Board, "drawn": Drawn, "picture": Picture}
