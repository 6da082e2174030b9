"""Plots of the study as SVG, the same bytes for the same outcomes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from privboost.fast.arrays import Array
from privboost.plotting import new_figure, style, to_bytes
from privboost.study.grid import EPSILONS, FOREST_TREES, FREE, MAIN_BOUND, VALUES, Learner

from .results import Results
from .sheet import SHOWN_EPSILONS, UNCONTROLLED, shown_epsilon

COLOURS = (
    "#3b3fb6",
    "#c2570c",
    "#0f7b6c",
    "#8a2a8f",
    "#6b6b00",
    "#777777",
    "#1e90ff",
    "#d62f7f",
    "#000000",
    "#b08d00",
)
COLUMNS = 5
ALIKE = {
    "alpha": ("1", FREE),
    "trees": ("20", FOREST_TREES),
    "depth": ("4",),
    "beta_tree": ("0.5", FREE),
}
"""Choices that all private learners have, so that their means can be compared."""
MARGIN = 0.75
"""Height of the space below the panels of a figure, in inches."""
POINTS = 60
"""Number of points of a cumulative curve."""


def draw_control(results: Results) -> bytes:
    """Return the mean error against epsilon, with a line per learner and one for the majority class."""
    with _style():
        figure = new_figure(7.2, 4.0, constrained=False)
        axes = figure.add_subplot()
        for learner, colour in _assign_colours(results.present("learner")):
            runs = results.where(learner=learner)
            epsilons = [e for e in runs.present("epsilon") if e != FREE]
            if epsilons:
                means = [float(runs.where(epsilon=epsilon).means.mean()) for epsilon in epsilons]
                axes.plot(
                    [float(e) for e in epsilons], means, "o-", color=colour, markersize=3, label=learner
                )
        majority = np.mean([100 * record.majority_error for record in results.domains])
        axes.axhline(float(majority), color="#a3182b", linestyle="--", label="majority class")
        axes.set(xscale="log", xlabel="ε (→ 0 is the control)", ylabel="mean error, %")
        shown = results.present("epsilon")
        axes.set_xticks([float(e) for e in shown], [shown_epsilon(e) for e in shown])
        axes.minorticks_off()
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
        return _to_svg(figure)


def draw_cumulative(results: Results, by: str) -> bytes:
    """Return cumulative distributions of the error, by domain and by the value of a choice."""
    values = results.present(by)
    with _style():
        figure, panels = _panels(results)
        for record, axes in panels:
            runs = results.where(domain=record.name)
            for value, colour in _assign_colours(values):
                means = np.sort(runs.where(**{by: value}).means)
                if means.size:
                    x, y = _curve(means)
                    axes.step(x, y, where="post", color=colour, label=_label(by, value))
            axes.axvline(100 * record.majority_error, color="black", linewidth=1)
            axes.set(title=record.name, ylim=(0, 100))
        return _with_legend(figure, panels, "share of runs, %")


def draw_sizes(results: Results, size: Callable[[Results], Array], quantity: str) -> bytes:
    """Return, by domain, the mean tree size of all runs whose error does not exceed x."""
    with _style():
        figure, panels = _panels(results)
        for record, axes in panels:
            for learner, colour in _assign_colours((Learner.NOISE_FREE, Learner.AS_PRINTED, Learner.SOUND)):
                runs = results.where(domain=record.name, learner=learner)
                if not len(runs):
                    continue
                order = np.argsort(runs.means, kind="stable")
                counts = np.arange(1, order.size + 1)
                sizes = size(runs)[order]
                mean = np.cumsum(sizes) / counts
                spread = np.sqrt(np.maximum(np.cumsum(sizes**2) / counts - mean**2, 0))
                shown = np.unique(np.linspace(0, order.size - 1, POINTS).astype(int))
                x = runs.means[order][shown]
                axes.plot(x, mean[shown], color=colour, label=learner)
                axes.fill_between(
                    x, (mean - spread)[shown], (mean + spread)[shown], color=colour, alpha=0.15, linewidth=0
                )
            axes.axvline(100 * record.majority_error, color="black", linewidth=1)
            axes.set(title=record.name)
        return _with_legend(figure, panels, quantity)


def plots(results: Results, main: Results) -> list[tuple[str, str, Callable[[], bytes]]]:
    """Return the name, the title and a function that draws it, for every plot that has runs."""
    return [
        (name, title, partial(draw, runs, *rest))
        for name, title, runs, draw, *rest in _all_plots(results, main)
        if len(runs)
    ]


def _all_plots(results: Results, main: Results) -> Iterator[tuple[Any, ...]]:
    """Yield the name, the title, the runs and the function of every plot, and what the function takes."""
    title = "Mean error against ε at T = 20 (forests 21), d = 4, α = 1 and β = 0.5"
    yield "control", title, main.where(epsilon=SHOWN_EPSILONS, **ALIKE), draw_control
    share = "share of runs (%) with at most an error (%), by"
    free = main.where(learner=Learner.NOISE_FREE)
    yield "cumulative_noise_free", f"Without noise: {share} α", free, draw_cumulative, "alpha"
    for learner in (Learner.AS_PRINTED, Learner.SOUND):
        name, title = f"cumulative_{learner}", f"{learner}: {share}"
        all_runs, runs = main.where(learner=learner), main.where(learner=learner, epsilon=EPSILONS)
        if len(runs):
            yield f"{name}_alpha", f"{title} α", runs, draw_cumulative, "alpha"
            yield f"{name}_epsilon", f"{title} ε", all_runs, draw_cumulative, "epsilon"
            for epsilon in EPSILONS:
                here = runs.where(epsilon=epsilon)
                yield f"{name}_{epsilon}", f"{title} α, ε = {epsilon}", here, draw_cumulative, "alpha"
    if len(free):
        sized = main.where(epsilon=UNCONTROLLED)
        for name, size in (("number of leaves", "leaves"), ("depth", "depths")):
            title = f"Mean {name} (± standard deviation) of the runs with at most an error (%)"
            yield size, title, sized, draw_sizes, attrgetter(size), f"mean {name}"
    for learner in (Learner.AS_PRINTED, Learner.SOUND):
        runs = results.where(learner=learner, epsilon=EPSILONS, bound=MAIN_BOUND).balance("values", VALUES)
        yield f"quantisation_{learner}", f"{learner}: {share} n_v", runs, draw_cumulative, "values"


def _curve(means: Array) -> tuple[Array, Array]:
    """Return a cumulative curve in percent, which begins at 0, thinned to `POINTS` points."""
    shown = np.unique(np.linspace(0, means.size - 1, POINTS).astype(int))
    return np.insert(means[shown], 0, means[0]), np.insert(100 * (shown + 1) / means.size, 0, 0)


def _label(by: str, value: str) -> str:
    signs = {"alpha": "α", "epsilon": "ε", "values": "n_v"}
    shown = shown_epsilon(value) if by == "epsilon" else value
    return f"{signs[by]} {shown}" if shown.startswith("→") else f"{signs[by]} = {shown}"


def _assign_colours(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield names with their colours."""
    for index, name in enumerate(names):
        yield name, COLOURS[index % len(COLOURS)]


Panels = list[tuple[Any, Axes]]


def _panels(results: Results) -> tuple[Figure, Panels]:
    """Return a figure with a panel for every domain that has runs."""
    present = set(results.present("domain"))
    records = [record for record in results.domains if record.name in present]
    columns = min(COLUMNS, len(records))
    lines = -(-len(records) // columns)
    figure = new_figure(max(2.1 * columns, 7.2), max(1.75 * lines, 2.4) + MARGIN, constrained=False)
    return figure, [
        (record, figure.add_subplot(lines, columns, index)) for index, record in enumerate(records, 1)
    ]


def _with_legend(figure: Figure, panels: Panels, quantity: str) -> bytes:
    """Return the picture with one legend for all panels, and the labels of their axes."""
    handles: dict[str, Any] = {}
    for _, axes in panels:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    inch = 1 / figure.get_figheight()
    figure.subplots_adjust(hspace=0.55, wspace=0.3, bottom=MARGIN * inch)
    # From below: the legend, the label, and the tick labels of the lowest panels.
    figure.legend(handles.values(), handles.keys(), loc="lower center", ncols=6, borderaxespad=0)
    figure.supxlabel("error, %", y=0.3 * inch, fontsize="medium")
    figure.supylabel(quantity, x=0.05, fontsize="medium")
    return _to_svg(figure)


def _style() -> AbstractContextManager[None]:
    return style(
        "privboost study", axes__titlesize=9, font__size=8, grid__linewidth=0.6, lines__linewidth=1.3
    )


def _to_svg(figure: Figure) -> bytes:
    return to_bytes(figure, None, tight=True)
