"""Plots of an audit as SVG, reproducible byte for byte: bound, wealth, and outputs of both sides."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from privboost.auditor import numbers
from privboost.auditor.canaries.result import OneRunResult
from privboost.auditor.result import AuditResult, CellCount, PairResult
from privboost.plotting import new_figure, style, to_bytes
from privboost.printing import truncate

from . import sentences
from .events import format_event, join_cells

COLOURS = ("#3b3fb6", "#c2570c", "#0f7b6c", "#8a2a8f", "#6b6b00")
CLAIM = "#a3182b"
LEFT, RIGHT, NEITHER = "#3b3fb6", "#c2570c", "#f1f1f1"
MOST_CELLS = 24
LONGEST_LABEL, LONGEST_NAME = 36, 50
WIDTH, HEIGHT, LINE = 4.6, 2.9, 0.2
"""The size of a plot without its legend, and the height of a line of text, in inches.

A page shows plots about this wide, and two thirds of it on a phone: smaller letters are not legible.
"""


def draw_bound(result: AuditResult) -> bytes:
    """Plot the bound over calls, with the claim and the exact loss if known."""
    with _style():
        figure, axes = _new_plot(WIDTH, HEIGHT + LINE * (len(_choose_colours(result)) + 1))
        for entry, colour in _choose_colours(result):
            _draw_curve(axes, [(point.calls, point.bound) for point in entry.curve], colour, entry.pair.name)
            if (
                result.claim.kind == "eps"
                and entry.pair.exact is not None
                and math.isfinite(entry.pair.exact)
            ):
                axes.axhline(entry.pair.exact, color=colour, linestyle=":", label="exact loss")
        symbol, claimed = result.claim.symbol, result.claim.value
        label = f"claim {symbol} ≤ {numbers.format_number(claimed)}"
        axes.axhline(claimed, color=CLAIM, linestyle="--", label=label)
        title = f"Lower bound on {symbol}, confidence {numbers.format_percent(result.confidence)}"
        axes.set(title=title, ylabel=f"bound on {symbol}")
        axes.set_ylim(bottom=0)
        return _finish(figure, axes, "bound over calls")


def draw_wealth(result: AuditResult) -> bytes:
    """Plot the wealth against the claim over calls, with the level at which the claim is refuted."""
    with _style():
        figure, axes = _new_plot(WIDTH, HEIGHT + LINE * (len(_choose_colours(result)) + 1))
        for entry, colour in _choose_colours(result):
            points = [(point.calls, point.log_wealth / math.log(10)) for point in entry.curve]
            _draw_curve(axes, points, colour, entry.pair.name)
        levels = sorted({entry.error for entry in result.pairs})
        for level in levels[:1]:
            label = f"refuted: 1 / {numbers.format_percent(level)}"
            axes.axhline(-math.log10(level), color=CLAIM, linestyle="--", label=label)
        axes.set(title=f"Wealth against {result.claim}", ylabel="log₁₀ of the wealth")
        return _finish(figure, axes, "wealth over calls")


def draw_outputs(entry: PairResult) -> bytes:
    """Plot how often each side gave the outputs of each cell, and which side is guessed there."""
    cells = _choose_cells(entry.cells)
    totals = [sum(cell.left for cell in entry.cells) or 1, sum(cell.right for cell in entry.cells) or 1]
    with _style():
        figure, axes = _new_plot(WIDTH, 1.3 + 0.27 * max(len(cells), 2))
        for row, cell in enumerate(cells):
            shade = {-1: LEFT, 0: NEITHER, 1: RIGHT}[cell.guess]
            axes.axhspan(row - 0.5, row + 0.5, color=shade, alpha=0.13 if cell.guess else 0.5, linewidth=0)
        heights = range(len(cells))
        shares = [[cell.left / totals[0] for cell in cells], [cell.right / totals[1] for cell in cells]]
        axes.barh([y - 0.19 for y in heights], shares[0], 0.36, color=LEFT, label="left input")
        axes.barh([y + 0.19 for y in heights], shares[1], 0.36, color=RIGHT, label="right input")
        axes.set_yticks(
            list(heights), [_shorten(format_event(cell.event, long_scores=False)) for cell in cells]
        )
        figure.suptitle("Outputs of either side; shaded: the guess", fontsize=11)
        axes.set(xlabel="share of the side's calls")
        axes.grid(visible=False, axis="y")
        if cells:
            axes.set_ylim(len(cells) - 0.5, -0.5)
            figure.legend(loc="outside lower center", ncols=2)
        return to_bytes(figure, f"outputs of {_shorten(entry.pair.name)}")


def draw_tradeoff(result: OneRunResult) -> bytes:
    """Plot the errors of guessing by thresholds, their band, and what the bound on epsilon allows."""
    false_positive, false_negative = zip(*result.statistics.tradeoff, strict=True)
    wide, high = result.statistics.band
    with _style():
        figure, axes = _new_plot(WIDTH, HEIGHT + 0.9)
        low = [max(rate - high, 0.0) for rate in false_negative]
        top = [min(rate + high, 1.0) for rate in false_negative]
        left, right = ([rate + shift for rate in false_positive] for shift in (-wide, wide))
        axes.fill(
            [*left, *right[::-1]], [*low, *top[::-1]], color=LEFT, alpha=0.15, linewidth=0, label="band"
        )
        axes.plot(false_positive, false_negative, color=LEFT, label="scores")
        ratio = math.exp(result.bound)
        corner = max(0.0, 1 - result.delta) / (1 + ratio)
        axes.plot(
            [0, corner, 1 - result.delta],
            [1 - result.delta, corner, 0],
            color=CLAIM,
            linestyle="--",
            label=f"ε = {numbers.floor_to_decimals(result.bound)}, the bound",
        )
        axes.plot([0, 1], [1, 0], color="#777777", linestyle=":", label="no scores")
        axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="guessed in, but out", ylabel="guessed out, but in")
        axes.set_title("Errors of guessing")
        figure.legend(loc="outside lower left", ncols=2)
        return to_bytes(figure, "trade-off of errors")


def draw_all(result: AuditResult) -> dict[str, bytes]:
    """Return all plots by file name."""
    return {name: draw() for name, draw in plots_of(result).items()}


def plots_of(result: AuditResult) -> Mapping[str, Callable[[], bytes]]:
    """Return functions that draw the plots; outputs are plotted for the pair with the greatest bound."""
    plots = {"bound.svg": partial(draw_bound, result), "wealth.svg": partial(draw_wealth, result)}
    top = sentences.best_pair(result)
    return plots | {"outputs.svg": partial(draw_outputs, top)} if top is not None and top.cells else plots


def _choose_colours(result: AuditResult) -> list[tuple[PairResult, str]]:
    """Return the pairs with the greatest bounds and their colours, in drawing order: best last."""
    ranked = sorted(result.pairs, key=lambda entry: -entry.bound)
    return list(zip(ranked, COLOURS, strict=False))[::-1]


def _choose_cells(cells: Sequence[CellCount]) -> list[CellCount]:
    """Return few enough cells to draw: adjacent ranges joined, then those with the largest difference."""
    most = math.ceil(len(cells) / MOST_CELLS)
    drawn: list[CellCount] = []
    joined = 0
    for cell in cells:
        union = join_cells(drawn[-1], cell) if drawn and joined < most else None
        if union:
            drawn[-1] = union
            joined += 1
        else:
            drawn.append(cell)
            joined = 1
    ranked = sorted(range(len(drawn)), key=lambda k: -abs(drawn[k].left - drawn[k].right))
    return [drawn[k] for k in sorted(ranked[: MOST_CELLS + 6])]


def _draw_curve(axes: Axes, points: Sequence[tuple[int, float]], colour: str, name: str) -> None:
    finite = [(calls, value) for calls, value in points if calls > 0 and math.isfinite(value)]
    if finite:
        axes.step(*zip(*finite, strict=True), where="post", color=colour, label=_shorten(name, LONGEST_NAME))


def _shorten(label: str, longest: int = LONGEST_LABEL) -> str:
    return truncate(" ".join(label.split()), longest)


def _style() -> AbstractContextManager[None]:
    return style("privboost audit", axes__axisbelow=True)


def _new_plot(width: float, height: float) -> tuple[Figure, Axes]:
    figure = new_figure(width, height)
    return figure, figure.add_subplot()


def _finish(figure: Figure, axes: Axes, title: str) -> bytes:
    """Return a plot over calls, with its legend."""
    if axes.lines:
        axes.set_xscale("log")
        low, high = axes.get_xlim()
        if high < 100 * low:
            axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.xaxis.set_major_formatter(lambda calls, _: f"{calls:,.0f}")
        axes.xaxis.set_minor_formatter(NullFormatter())
        figure.legend(loc="outside lower left", reverse=True)
    axes.set_xlabel("calls of the pair")
    return to_bytes(figure, title)
