"""Bounds on values of unknown precision: found, written down, true."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import urcx
from urcx.engine import memory
from urcx.errors import TablebaseError
from urcx.solve.checking import check_tablebase, record
from urcx.solve.order import LayerOrder
from urcx.solve.proof import proof_file
from urcx.solve.rational import solve_exactly
from urcx.solve.rgu import open_rgu
from urcx.solve.rgu_export import export_rgu
from urcx.solve.tablebase import ROUNDED, open_tablebase, write_tablebase

ONE = replace(urcx.ruleset("finkel"), pieces=1)
START = urcx.parse_position("-/-/0-0/L")
# By exact fractions elsewhere (urcx solve --exact-fractions -p 1 and -p 2, and the figure).
OPENING_OF_ONE = 0.530049839524859420795
OPENING_OF_TWO = 0.518572907496
PUBLISHED = Path(os.environ.get("URCX_FINKEL2P_RGU", "finkel2p.rgu"))


def truth() -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the chance in every state of one piece a side, from exact fractions."""
    found = solve_exactly(ONE)
    order = LayerOrder(ONE)
    return np.array(
        [
            float((1 + Fraction(found.value(order.position((0, 0), rank)))) / 2)
            for rank in range(order.size((0, 0)))
        ]
    )
