"""Draw the tables of Figure 1; only the drawing uses floats, converted from the decimals in the tables."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import matplotlib
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from privboost.plotting import new_figure, style, to_bytes

from .tables import ALPHAS, PlotData

# The colour map plasma without its lightest part is suitable for colour-blind readers.
PALETTE = "plasma"
PALETTE_END = 0.88
RESOLUTION = 200
LINES: tuple[Literal["-", "--"], ...] = ("-", "--")


@dataclass(frozen=True, slots=True)
class Panel:
    """The title and the axis labels of a plot."""

    title: str
    abscissa: str
    ordinate: str


PANELS = {
    "bayes_risk": Panel("Bayes risk", r"$q$", r"$L^{(\alpha)}(q)$"),
    "sensitivity": Panel("Sensitivity", r"$m$", r"$\Delta^{(\alpha)}(m)$"),
    "inverse_link": Panel("Inverse canonical link", r"$z$", r"$(-L^{(\alpha)\prime})^{-1}(z)$"),
    "surrogate": Panel("Convex surrogate", r"$z$", r"$F^{(\alpha)}(z)$"),
}


def draw_one(table: PlotData, form: str) -> bytes:
    """Return one plot with its own legend, as PNG or SVG.

    Paper: f-alphaM.
    """
    with _style():
        figure = new_figure(5.6, 3.9)
        axes = figure.add_subplot()
        _draw_panel(axes, table)
        figure.legend(handles=_alpha_handles(), loc="outside right center", handlelength=1.6)
        return to_bytes(figure, f"Figure 1: {PANELS[table.key].title.lower()}", form, RESOLUTION)


def draw_all(tables: Sequence[PlotData], form: str) -> bytes:
    """Return the four plots in a grid with a common legend, as PNG or SVG.

    Paper: f-alphaM.
    """
    with _style():
        figure = new_figure(9.6, 7.4)
        for axes, table in zip(figure.subplots(2, 2).flat, tables, strict=True):
            _draw_panel(axes, table)
        figure.legend(handles=_alpha_handles(), loc="outside lower center", ncols=len(ALPHAS))
        return to_bytes(figure, "Figure 1", form, RESOLUTION)


def _style() -> AbstractContextManager[None]:
    return style(
        "privboost figure 1",
        axes__labelsize=10,
        lines__solid_joinstyle="miter",
        mathtext__fontset="dejavusans",
        text__parse_math=True,
    )


def _draw_panel(axes: Axes, table: PlotData) -> None:
    """Draw every curve of a plot, with alpha = 1 on top."""
    panel = PANELS[table.key]
    axes.set(title=panel.title, xlabel=panel.abscissa, ylabel=panel.ordinate)
    for alpha in ALPHAS:
        for polygon, line in zip(curves(table, alpha), LINES, strict=False):
            axes.plot(*zip(*polygon, strict=True), color=_colour(alpha), linestyle=line)
    axes.margins(x=0.02)
    if table.key == "sensitivity":
        axes.legend(handles=_line_handles(), loc="upper left")


def curves(table: PlotData, alpha: Fraction) -> list[list[tuple[float, float]]]:
    """Return the curves of one alpha: one per column of values, or one through both ends of intervals.

    Ensures: a set-valued point contributes both of its ends, so that a jump is drawn as a vertical line.
    """
    rows = [row for row in table.rows if row[0] == str(alpha)]
    points = [(float(Fraction(row[1])), [float(value) for value in row[2:]]) for row in rows]
    if table.key == "inverse_link":
        return [[(x, end) for x, ends in points for end in dict.fromkeys(ends)]]
    return [[(x, values[k]) for x, values in points] for k in range(len(table.columns) - 2)]


def _colour(alpha: Fraction) -> tuple[float, float, float, float]:
    """Return the colour of alpha: dark for 0, light for 1."""
    position = ALPHAS.index(alpha) / (len(ALPHAS) - 1)
    return matplotlib.colormaps[PALETTE](PALETTE_END * position)


def _alpha_handles() -> list[Line2D]:
    """Return the legend of the colours."""
    return [Line2D([], [], color=_colour(alpha), label=rf"$\alpha = {alpha}$") for alpha in ALPHAS]


def _line_handles() -> list[Line2D]:
    """Return the legend of the two line styles of the sensitivity."""
    labels = (r"bound $3+2\alpha(\sqrt{m}-1)$", r"sharp $m\,L^{(\alpha)}(1/m)$")
    lines = zip(LINES, labels, strict=True)
    return [Line2D([], [], color="#555555", linestyle=line, label=label) for line, label in lines]
