"""Text that a terminal with colours shows as a drawing, such as a board."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

from urcx.results.layout import Line
from urcx.results.wrapping import running

Paint = Callable[[int], list[Line]]


class Drawing(str):
    """Text for pipes and files. ``paint`` returns its lines for a terminal of a given width.

    Text that is added to a drawing is wrapped on a terminal.
    """

    __slots__ = ("paint",)
    paint: Paint

    def __new__(cls, text: str, paint: Paint) -> Self:
        """Return the text with the function that paints it."""
        drawing = super().__new__(cls, text)
        drawing.paint = paint
        return drawing

    def __add__(self, text: str) -> Drawing:
        """Return the drawing with text, or another drawing, below it."""
        return Drawing(str(self) + str(text), lambda width: self.paint(width) + _paint(text, width))

    def __radd__(self, text: str) -> Drawing:
        """Return the drawing with text above it."""
        return Drawing(text + str(self), lambda width: _paint(text, width) + self.paint(width))


def _paint(text: str, width: int) -> list[Line]:
    if isinstance(text, Drawing):
        return text.paint(width)
    return [[(line, "")] for line in running(text, width).splitlines()]
