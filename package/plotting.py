"""Plots with one style and the same bytes on every run, drawn without a window system."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

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
    # Names and outputs of mechanisms are shown as they are, not as formulas.
    "text.parse_math": False,
}
PROGRAM = {"svg": "Creator", "png": "Software"}
"""The metadata field that holds the name and version of the program that drew a file."""


@contextmanager
def style(salt: str, **overrides: Any) -> Iterator[None]:
    """Use this style alone within a block, and restore the caller's settings afterwards.

    `salt` makes the ids in an SVG file reproducible. In the name of an override `__` stands for a dot:
    `font__size=8` sets `font.size`.
    """
    changes: dict[Any, Any] = {name.replace("__", "."): value for name, value in overrides.items()}
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update({**STYLE, **changes, "svg.hashsalt": salt})
        yield


def new_figure(width: float, height: float, *, constrained: bool = True) -> Figure:
    """Return an empty figure of a size in inches, by default with matplotlib's constrained layout."""
    figure = Figure(figsize=(width, height), layout="constrained" if constrained else None)
    FigureCanvasAgg(figure)
    return figure


def to_bytes(
    figure: Figure, title: str | None, form: str = "svg", dpi: int | None = None, *, tight: bool = False
) -> bytes:
    """Return a figure as an SVG or PNG file without a date or the name of the program in it.

    With `tight` the margins of the figure are cut off.
    """
    metadata = {PROGRAM[form]: None} | ({"Date": None} if form == "svg" else {})
    buffer = io.BytesIO()
    figure.savefig(
        buffer,
        format=form,
        dpi="figure" if dpi is None else dpi,
        metadata=metadata if title is None else {"Title": title, **metadata},
        facecolor="white",
        bbox_inches="tight" if tight else None,
    )
    return buffer.getvalue()
