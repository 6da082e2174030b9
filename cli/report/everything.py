"""Write the report as one self-contained HTML page.

Each function in `SECTIONS` returns one section.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

from privboost.cli.commands.leaks import leak_losses
from privboost.cli.commands.sensitivity import sensitivities
from privboost.cli.commands.verify import verification
from privboost.files import prepare_directory, write_files
from privboost.pages import Html, Section, badge, code, data_uri, element, image, join, page, table
from privboost.progress import count_progress, timing
from privboost.proofs_check.pages.errata import errata
from privboost.reference.data import Relation
from privboost.reference.exact import ClosedInterval, decimal
from privboost.reference.learners.protocol import SOUND, SOUND_NET, Parameters
from privboost.reference.losses import weight
from privboost.symbolic.comparison import Derivation
from privboost.symbolic.figure1.draw import draw_one
from privboost.symbolic.figure1.tables import TABLES, PlotData
from privboost.symbolic.formulas import to_mathml
from privboost.symbolic.loss_formulas import ENTRIES, SHOWN_ALPHA, LossFormulas, Quantity, check_formulas
from privboost.symbolic.registry import SECTIONS as SECTIONS_OF_PAPER
from privboost.symbolic.registry import derive_section

from .dashboard import TITLE, dashboard, fold
from .ledger import SCRIPT, errata_section, ledger_section
from .part import ReportPart, good, grade, result_table

Progress = Callable[[str], None]
PartBuilder = Callable[[], ReportPart]

DECIMALS = 10
CAPTIONS = {
    "bayes_risk": (
        "Bayes risk L(q) of the Mα-loss. The curves run from the tent 2 min(q, 1 − q) of the 0/1 loss "
        "(α = 0) to the half ellipse 2√(q(1 − q)) of the Matsushita loss (α = 1)."
    ),
    "sensitivity": (
        "Sensitivity of the splitting criterion over the number m of examples. Solid: the paper's bound "
        "3 + 2α(√m − 1). Dashed: the sharp value m L(1/m), at least one lower."
    ),
    "inverse_link": (
        "Inverse canonical link. It is flat at 1/2 for |z| ≤ 2(1 − α). At α = 0 it jumps at z = ±2, where "
        "its value is a whole interval, drawn upright."
    ),
    "surrogate": (
        "Convex surrogate F(z). Every curve passes through F(0) = 1 and is straight for |z| ≤ 2(1 − α)."
    ),
}
BADGES = {"AGREES": ("good", "✓"), "ERRATUM": ("warn", "!"), "DISAGREES": ("bad", "✗")}


def write_report(
    directory: Path,
    progress: Progress | None = None,
    sections: Sequence[PartBuilder] | None = None,
    today: date | None = None,
) -> Path:
    """Write index.html to a directory and return its path.

    Ensures: the page loads nothing; its bytes are the same on every run of a day at a commit; the file is
    written atomically.
    """
    report_progress = progress or (lambda _: None)
    prepare_directory(directory)
    builders = SECTIONS if sections is None else sections
    built: list[ReportPart] = []
    started = time.monotonic()
    for build in builders:
        name = build.__name__.removesuffix("_section").replace("_", " ")
        time_used = timing(time.monotonic() - started, len(built), len(builders))
        report_progress(f"report: section {len(built) + 1} of {len(builders)}, {name}; {time_used}")
        built.append(build())
        # Who stops the report has the results up to then.
        report_progress(f"report: {built[-1].summary}")
    sections_built = [part.section for part in built]
    script = SCRIPT if any(section.anchor == "ledger" for section in sections_built) else ""
    header = dashboard(built, today or date.today())
    content = page(TITLE, header, sections_built, contents=False, script=script)
    (path,) = write_files(directory, {"index.html": content.encode("utf-8")})
    return path


def figure_section() -> ReportPart:
    """Return the four plots of Figure 1, each with a link to download its data.

    Paper: f-alphaM.
    """
    note = element(
        "p",
        "The Mα-loss for several α, one colour each, dark for α = 0 and light for α = 1. Every value is "
        "computed exactly and printed with 20 decimals; only the drawing uses floating point.",
    )
    plots = element("div", *(_plot(build()) for build in TABLES), class_="plots")
    section = Section("figure-1", "Figure 1: the Mα-loss", join((note, plots)))
    return ReportPart(section, good("DRAWN"), "The four plots of the paper's figure, from exact values")


def losses_section() -> ReportPart:
    """Return one table per loss, with formulas and exact values of the reference.

    Paper: sec:def, defMatsualpha, theoremalpha.
    """
    note = element(
        "p",
        "Partial losses are given literally. Everything below them belongs to the normalised Bayes risk, "
        "L(1/2) = 1. Formulas with u hold for 0 < u < 1. ⟦ ⟧ is 1 where the condition holds and 0 elsewhere. "
        f"The values are computed by the reference; for the Mα-loss they are for α = {SHOWN_ALPHA}.",
    )
    section = Section("losses", "The losses", join((note, *map(_loss_table, ENTRIES))))
    summary = f"The formulas of {len(ENTRIES)} losses agree with the reference to 30 decimals"
    return ReportPart(section, grade(True), summary)


def derivations_section() -> ReportPart:
    """Return the verdict of every symbolic derivation, beginning with those that differ from the paper."""
    sections = count_progress(SECTIONS_OF_PAPER, "sections derived")
    items = [item for section in sections for item in derive_section(section)]
    counts = Counter(str(item.verdict) for item in items)
    tally = (element("li", element("b", counts[verdict]), _badge(verdict)) for verdict in BADGES)
    note = "Each statement was derived again with computer algebra and compared with the paper."
    wrong = [item for item in items if item.verdict != "AGREES"]
    right = [item for item in items if item.verdict == "AGREES"]
    body = (
        element("p", note),
        element("ul", *tally, class_="tiles"),
        _derivation_table("Statements that do not hold as printed.", wrong),
        fold(
            f"Statements that hold as printed: {len(right)}",
            _derivation_table("Statements that hold as printed.", right),
        ),
    )
    is_good = not counts["DISAGREES"]
    summary = f"{len(items)} statements derived again by computer algebra: {counts['AGREES']} agree"
    summary += f", {counts['ERRATUM']} are known errata, {counts['DISAGREES']} disagree"
    return ReportPart(Section("derivations", "Derivations", join(body)), grade(is_good), summary, is_good)


def privacy_section() -> ReportPart:
    """Return the exact sensitivities, the leaks of the printed protocol, and the checks of the sound ones.

    Paper: gensen, defEDPRIV.
    """
    parameters = Parameters(trees=1, depth=2, bound=Fraction(1), alphas=(Fraction(1), Fraction(1, 2)))
    added = replace(SOUND_NET, relation=Relation.ADD_REMOVE)
    results = {
        "Sensitivity: exact by enumeration, sharp, and the paper's bound.": sensitivities(3),
        "Leaks of the printed protocol: exact losses, open and with that one leak closed.": leak_losses(),
        "The sound protocol on all neighbouring samples of three examples.": verification(
            SOUND, parameters, attributes=2, size=3
        ),
        "The default learner on the same samples.": verification(SOUND_NET, parameters, attributes=2, size=3),
        "The second tree of the default learner, after every release of the first, under add/remove.": (
            verification(added, replace(parameters, trees=2), attributes=2, size=3)
        ),
    }
    tables = [
        fold(caption, result_table(f"In short: {result.summary}.", result))
        for caption, result in results.items()
    ]
    is_good = all(result.conforming for result in results.values())
    summary = "The sound protocols keep their claim on every sample of three examples; the printed one leaks"
    failed = [caption for caption, result in results.items() if not result.conforming]
    section = Section("privacy", "Privacy", join(tables))
    return ReportPart(section, grade(is_good), summary if is_good else f"Not as expected: {failed}", is_good)


SECTIONS: tuple[PartBuilder, ...] = (
    errata_section,
    ledger_section,
    privacy_section,
    derivations_section,
    losses_section,
    figure_section,
)


def _plot(table_of_plot: PlotData) -> Html:
    """Return a plot with its caption and a link to download its data."""
    name = f"{table_of_plot.name}.csv"
    caption = CAPTIONS[table_of_plot.key]
    link = element("a", f"{name}", href=data_uri("text/csv", table_of_plot.to_csv()), download=name)
    figcaption = element("figcaption", caption, " ", element("span", "Numbers: ", link, class_="screen"))
    return element("figure", image(draw_one(table_of_plot, "svg"), f"Plot. {caption}"), figcaption)


def _loss_table(entry: LossFormulas) -> Html:
    """Return the table of a loss, after comparing its formulas with the reference."""
    points = check_formulas(entry)
    rows = [_quantity_row(entry, quantity) for quantity in entry.quantities]
    masses = dict(weight(entry.reference(SHOWN_ALPHA)).atoms)
    for position, formula in entry.atoms:
        symbol, mass = _symbol(f"at <i>u</i> = {position}"), f"mass {_number(masses[position])}"
        rows.append(("Weight, atom", symbol, Html(to_mathml(formula)), mass))
    caption = (
        f"Each formula was compared with the reference at {points} points in all; they agree to 30 decimals."
    )
    headers = ("Quantity", "Symbol", "Formula", "Value")
    return join((element("h3", entry.title), table(caption, headers, rows, (20, 12, 42, 26))))


def _quantity_row(entry: LossFormulas, quantity: Quantity) -> tuple[object, ...]:
    """Return a row of the table of a loss."""
    at = f"{quantity.variable} = {quantity.sample}"
    at += f", y = {quantity.labels[0]}" if len(quantity.labels) > 1 else ""
    return (
        quantity.title,
        _symbol(quantity.symbol),
        Html(to_mathml(quantity.formula)),
        join(
            (
                element("span", f"at {at}:", class_="soft"),
                element("span", _number(entry.shown_value(quantity)), class_="value"),
            )
        ),
    )


def _symbol(markup: str) -> Html:
    """Return a symbol in the font of the formulas."""
    return Html(f'<span class="math">{markup}</span>')


def _number(value: Any) -> str:
    """Return an exact number, followed by its decimals unless it is an integer."""
    if isinstance(value, ClosedInterval):
        return _number(value.lo) if value.is_point else f"[{value.lo}, {value.hi}]"
    digits = decimal(value, DECIMALS)
    if isinstance(value, Fraction | int) and Fraction(digits) == value:
        return str(value) if Fraction(value).denominator == 1 else f"{value} = {digits.rstrip('0')}"
    return f"{value} ≈ {digits}"


def _derivation_table(caption: str, items: Sequence[Derivation]) -> Html:
    """Return a table of derivations."""
    rows = [
        (
            join((code(item.key), element("span", item.label, class_="value place"))),
            _verdict(item),
            item.statement,
            item.detail or "no difference",
        )
        for item in items
    ]
    return table(caption, ("Derivation", "Verdict", "Statement", "Detail"), rows, (26, 16, 28, 30))


def _verdict(item: Derivation) -> Html:
    """Return a verdict with a link to its erratum."""
    verdict = _badge(item.verdict)
    if item.erratum is None:
        return verdict
    error = next((other.entry.key for other in errata() if other.entry.erratum == item.erratum), None)
    pointer = element("a", item.erratum, href=f"#error-{error}") if error else item.erratum
    return join((verdict, element("span", pointer, class_="value")))


def _badge(verdict: str) -> Html:
    """Return a verdict as a coloured badge."""
    kind, sign = BADGES.get(verdict, ("warn", "?"))
    return badge(kind, sign, verdict)
