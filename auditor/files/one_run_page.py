"""The report of one run with canaries, or of scores, as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Iterator

from privboost.auditor.canaries.result import OneRunResult
from privboost.auditor.numbers import floor_to_decimals, format_exactly, format_number, format_percent
from privboost.extras import install_commands, is_installed
from privboost.pages import Html, Section, badge, code, element, image, join, page, table

from . import one_run_report as words
from .page import BADGES, reproduction_section, tile_list

CAPTION = (
    "Errors of guessing “in” above a threshold, for all thresholds. The band is one for other canaries and "
    "valid only for scores that are independent given the coins; no bound depends on it. Dashed: what the "
    "bound on ε allows. Dotted: guessing without scores."
)


def one_run_page(result: OneRunResult, reproduce: str) -> str:
    """Return the page of one run; `reproduce` is the command that makes it again."""
    commands = [("Make the report again:", reproduce)] if reproduce else []
    seed = f"Seed {result.seed}. It breaks ties of scores, and makes the coins where scores are not given."
    title = str(result.verdict or "one run")
    sections = [_meaning(result), _plot(result), _scores(result)]
    sections.append(reproduction_section(result.target, commands, seed))
    return page(f"Canaries of {result.target}: {title}", _introduction(result), sections).replace(
        " %", "\N{NO-BREAK SPACE}%"
    )


def one_run_fragment(result: OneRunResult) -> Html:
    """Return one run as an HTML fragment: bounds, meaning and plot."""
    return join((_heading(result, "p"), tile_list(_tiles(result)), _meaning(result).body, _plot(result).body))


def _heading(result: OneRunResult, tag: str) -> Html:
    if result.verdict is None:
        return element(tag, "Canaries of ", code(result.target))
    return element(tag, badge(*BADGES[result.verdict], result.verdict), " ", code(result.target))


def _introduction(result: OneRunResult) -> Html:
    sentence = element("p", words.headline(result))
    return element("header", _heading(result, "h1"), sentence, tile_list(_tiles(result)))


def _tiles(result: OneRunResult) -> Iterator[tuple[str, str]]:
    yield words.bound_sentence(result).removeprefix("ε "), "bound on ε"
    yield f"> {floor_to_decimals(result.mu)}" if result.mu else "≥ 0", "bound on μ (Gaussian DP)"
    if result.epsilon is not None:
        yield f"≤ {format_exactly(result.epsilon)}", "claimed ε"
    yield format_number(result.statistics.auroc), "AUROC"
    yield f"{result.canaries:,}", "coins"


def _meaning(result: OneRunResult) -> Section:
    shown = (
        "bound",
        "bound on μ",
        "at any time",
        "it means",
        "it does not mean",
        "hint",
        "valid if",
        "documentation",
    )
    named = [(name, line) for name, line in words.lines(result) if name in shown]
    paragraphs = (element("p", element("b", f"{name[0].upper()}{name[1:]}. "), line) for name, line in named)
    confidence = f"Each bound holds by itself with confidence {format_percent(result.confidence)}."
    return Section("meaning", "Result", join((*paragraphs, element("p", confidence))))


def _plot(result: OneRunResult) -> Section:
    if not is_installed("matplotlib"):
        installed, _ = map(code, install_commands("plots"))
        missing = element("p", "The plot was left out, because matplotlib was not installed: ", installed)
        return Section("plot", "Trade-off of errors", missing)
    from .plots import draw_tradeoff

    drawn = image(draw_tradeoff(result), f"Plot. {CAPTION}")
    figure = element("figure", drawn, element("figcaption", CAPTION))
    return Section("plot", "Trade-off of errors", element("div", figure, class_="plots"))


def _scores(result: OneRunResult) -> Section:
    rows = [
        (format_number(false), format_number(true)) for false, true in result.statistics.true_positive_rates
    ]
    caption = (
        f"{result.inside:,} canaries in, {result.outside:,} out. These numbers describe; they bound nothing."
    )
    headers = ("False positive rate at most", "True positive rate")
    return Section("scores", "Scores", table(caption, headers, rows, (50, 50)))
