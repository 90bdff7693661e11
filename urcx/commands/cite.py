"""The command that says how to cite what urcx shows: cite."""

from __future__ import annotations

from typing import Annotated

from urcx.commands import options as opt
from urcx.commands.options import argument
from urcx.reports.display.output import Style


@opt.command()
def cite(
    names: Annotated[
        list[str] | None,
        argument(
            "NAME",
            "Keys of the bibliography, conventions of gtc or forms of ssc. [default: all]",
            "urcx.published.figures:keys",
            several=True,
        ),
    ] = None,
    *,
    style: Style,
) -> None:
    """Print references in BibTeX: urcx, sources, conventions, forms.

    urcx cite urcx

    urcx cite allis
    """
    from urcx.published.figures import cited, references_report

    style.show(references_report(cited(names or ())))
