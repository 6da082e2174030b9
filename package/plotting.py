"""Plots with a common style and reproducible bytes, drawn without a display."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from .printing import make_printable

STYLE: dict[Any, Any] = {
    "axes.edgecolor": "#444444",
    "axes.grid": True,
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 11,
    "font.size": 9.5,
    "grid.color": "#e3e3e3",
    "grid.linewidth": 0.7,
    "legend.frameon": False,
    "lines.linewidth": 1.7,
    "svg.fonttype": "path",
    # Names and outputs of mechanisms may contain dollar signs, which are not formulas.
    "text.parse_math": False,
}
PROGRAM = {"svg": "Creator", "png": "Software"}
"""The metadata field in which matplotlib writes its name and version."""


@contextmanager
def style(salt: str, **overrides: Any) -> Iterator[None]:
    """Apply this style within a block, and restore the previous settings afterwards.

    `salt` makes the ids in an SVG file reproducible. Overrides are named with `__` for a dot: `font__size=8`
    sets `font.size`.
    """
    changes: dict[Any, Any] = {name.replace("__", "."): value for name, value in overrides.items()}
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update({**STYLE, **changes, "svg.hashsalt": salt})
        yield


def new_figure(width: float, height: float, *, constrained: bool = True) -> Figure:
    """Return an empty figure; width and height are in inches."""
    figure = Figure(figsize=(width, height), layout="constrained" if constrained else None)
    FigureCanvasAgg(figure)
    return figure


def to_bytes(
    figure: Figure, title: str | None, form: str = "svg", dpi: int | None = None, *, tight: bool = False
) -> bytes:
    """Return a figure as the bytes of an SVG or PNG file, without a date or program name in its metadata.

    With `tight` the margins of the figure are removed.
    """
    for artist in figure.findobj(Text):
        # Names may have control characters, which are invalid in an SVG file.
        artist.set_text(make_printable(artist.get_text()))
    metadata = {PROGRAM[form]: None} | ({"Date": None} if form == "svg" else {})
    buffer = io.BytesIO()
    figure.savefig(
        buffer,
        format=form,
        dpi="figure" if dpi is None else dpi,
        metadata=metadata if title is None else {"Title": make_printable(title), **metadata},
        facecolor="white",
        bbox_inches="tight" if tight else None,
    )
    return buffer.getvalue()
