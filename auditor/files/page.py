"""The report of an audit as one self-contained HTML page."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence

from privboost.auditor import numbers
from privboost.auditor.claims import PrivacyClaim
from privboost.auditor.result import AuditResult, PairResult, Verdict
from privboost.extras import install_commands
from privboost.pages import Html, Section, badge, code, element, image, join, page, table

from . import events, sentences, tried
from .report import versions

BADGES = {
    Verdict.VIOLATION: ("bad", "✗"),
    Verdict.CONSISTENT: ("good", "✓"),
    Verdict.INCONCLUSIVE: ("warn", "?"),
}
PLOTS = {
    "bound.svg": (
        "The lower bound as calls are made. It is valid at all times at once, so the run may stop at "
        "any time. Dashed: the claim. Dotted: the exact loss, if known."
    ),
    "wealth.svg": (
        "Wealth of a bettor who guesses the side of each call before it is revealed, at odds that are fair "
        "or worse if the claim is true. Above the dashed line the claim is refuted."
    ),
    "outputs.svg": (
        "How often each input of the pair with the greatest bound gave which output, and the event that "
        "separates them. Counts are over all calls, including those from which the event was learned; the "
        "bound uses only guesses that were fixed before each call."
    ),
}


def audit_page(
    result: AuditResult, plots: Mapping[str, bytes], reproduce: str, advice: Sequence[tuple[str, str]] = ()
) -> str:
    """Return the page of an audit; plots are given by file name.

    `reproduce` is the command that makes the same calls; `advice` has sentences with further commands.
    """
    sections = [
        _meaning(result),
        _plots(plots),
        _pairs(result),
        *_separation(result),
        *(tried.page_sections(result.tried) if result.tried is not None else []),
        *_power(result),
        _reproduction(result, reproduce, advice),
    ]
    whole = page(f"Audit of {result.target}: {result.verdict}", _introduction(result), sections)
    return whole.replace(" %", "\N{NO-BREAK SPACE}%")


def audit_fragment(result: AuditResult, plots: Mapping[str, bytes]) -> Html:
    """Return an audit as an HTML fragment: verdict, result, plots, and what separates the inputs."""
    verdict = element("p", badge(*BADGES[result.verdict], result.verdict), " ", code(result.target))
    reason = element("p", sentences.explain(result))
    parts = (_meaning(result), _plots(plots), *_separation(result))
    return join((verdict, reason, _tiles(result), *(part.body for part in parts)))


def _tiles(result: AuditResult) -> Html:
    is_plain = result.claim.kind == "eps" and result.claim.group == 1 and not result.claim.fixed
    tiles = [
        (
            numbers.format_bound(result.bound, result.claim.value),
            f"bound on {result.claim.symbol}, confidence {numbers.format_percent(result.confidence)}",
        ),
        (f"≤ {numbers.format_exactly(result.claim.value)}", f"claimed {result.claim.symbol}"),
        *([] if is_plain else [(result.claim.spelling, "claim")]),
        (sentences.large(sentences.log_e_value(result)), "e-value against the claim"),
        (f"{result.calls:,}", "calls" + (", interrupted" if result.interrupted else "")),
    ]
    return tile_list(tiles)


def tile_list(tiles: Iterable[tuple[str, str]]) -> Html:
    """Return large values, each with its meaning below."""
    return element("ul", *(element("li", element("b", top), below) for top, below in tiles), class_="tiles")


def _introduction(result: AuditResult) -> Html:
    return element(
        "header",
        element("h1", badge(*BADGES[result.verdict], result.verdict), " ", code(result.target)),
        element("p", sentences.explain(result)),
        _tiles(result),
    )


def _meaning(result: AuditResult) -> Section:
    statement = sentences.bound(result)
    body = (
        element(
            "p",
            element("b", "Claim. "),
            f"{result.claim} for every pair of {sentences.neighbours(result)}.",
        ),
        element("p", element("b", "Bound. "), statement[:1].upper() + statement[1:], "."),
        *(
            element("p", element("b", f"{name}. "), text[:1].upper() + text[1:], ".")
            for name, text in (
                ("Margin", sentences.margin(result)),
                ("E-value", sentences.e_value(result)),
                *((name.capitalize(), text.rstrip(".")) for name, text in sentences.details(result)),
                ("Confirmation", sentences.confirmation(result)),
                ("Lower bounds on δ", sentences.envelope_sentence(result) if result.envelope else ""),
            )
            if text
        ),
        *([element("p", element("b", "Documentation. "), result.promise)] if result.promise else []),
        element("p", element("b", "It means. "), sentences.meaning(result)),
        element("p", element("b", "It does not mean. "), sentences.limitations(result)),
    )
    return Section("meaning", "Result", join(body))


def _plots(plots: Mapping[str, bytes]) -> Section:
    if not plots:
        missing = "The plots were left out, because matplotlib was not installed. To have them, run "
        installed, in_checkout = map(code, install_commands("plots"))
        return Section(
            "plots", "Plots", element("p", missing, installed, ", or in a checkout ", in_checkout, ".")
        )
    figures = (
        element("figure", image(plots[name], f"Plot. {caption}"), element("figcaption", caption))
        for name, caption in PLOTS.items()
        if name in plots
    )
    return Section("plots", "Plots", element("div", *figures, class_="plots"))


def _pairs(result: AuditResult) -> Section:
    """Return the table of all pairs."""
    ranked = sorted(result.pairs, key=lambda entry: -entry.bound)
    rows = [_pair_row(entry, result.claim) for entry in ranked]
    headers = (
        "Pair",
        "Relation",
        "Calls",
        f"Bound on {result.claim.symbol}",
        "Exact loss",
        "Error probability",
        "Cross-check",
    )
    caption = (
        f"Error probability: {sentences.error_probability(result)}. The bounds hold for all pairs at once."
    )
    note = element(
        "p",
        "The cross-check chooses one event on the first part of the calls and counts it on the rest "
        "(conditional Clopper–Pearson). It uses the same calls as the bound and is not a second verdict.",
    )
    return Section(
        "pairs",
        "Pairs and errors",
        join((table(caption, headers, rows, (20, 12, 10, 12, 12, 12, 22)), note, *_list_left_out(result))),
    )


def _list_left_out(result: AuditResult) -> Sequence[Html]:
    """Return the pairs that were not tested, if any."""
    if not result.left_out:
        return ()
    return (
        element("p", "Pairs that were not tested:"),
        element("ul", *(element("li", line) for line in result.left_out)),
    )


def _pair_row(entry: PairResult, claimed: PrivacyClaim) -> Sequence[object]:
    exact = "not known" if entry.pair.exact is None else numbers.format_number(entry.pair.exact)
    warning = " (the bound is above it)" if sentences.exceeds_exact(entry, claimed) else ""
    check = entry.fixed
    return (
        entry.pair.name,
        entry.pair.relation,
        f"{entry.calls:,}",
        numbers.format_bound(entry.bound, claimed.value),
        exact + warning,
        numbers.format_percent(entry.error),
        f"≥ {numbers.floor_to_decimals(check.bound)} ({check.right:,} right, {check.wrong:,} wrong)"
        if check
        else "none",
    )


def _separation(result: AuditResult) -> list[Section]:
    """Return the inputs of the pair with the greatest bound, and the event that separates them."""
    top = sentences.best_pair(result)
    if top is None:
        return []
    difference = sentences.difference(top.pair.left, top.pair.right)
    items = [
        element("li", "Left: ", code(sentences.short_input(top.pair.left))),
        element("li", "Right: ", code(sentences.short_input(top.pair.right))),
    ]
    items = [element("li", f"Difference: {difference}.")] if difference else items
    items += [element("li", f"Class: {tried.class_of_witness(result, top)}.")] if top.pair.classes else []
    items.append(element("li", f"Neighbours under {sentences.relation(result, top)}."))
    items += [element("li", f"Failed calls: {sentences.failures(top)}.")] if top.failures else []
    items += [element("li", f"Hint: {hint}.")] if (hint := sentences.hint(top)) else []
    inputs = element("ul", *items)
    rows = [
        (events.format_event(cell.event), events.SIDES[cell.guess], f"{cell.left:,}", f"{cell.right:,}")
        for cell in events.guess_regions(top.cells)
    ]
    intro = element("p", f"The pair with the greatest bound is “{top.pair.name}” ({top.pair.relation}).")
    if not rows:
        body = [intro, inputs, element("p", "No event that tells the sides apart was found.")]
    else:
        event = (
            "The separating event"
            if result.verdict is Verdict.VIOLATION
            else "The event by which the bound was reached; the claim was not refuted"
        )
        caption = f"{event}: the outputs on which a side is guessed; on all others nothing is staked."
        headers = ("Output", "Guess", "Times from left", "Times from right")
        check = element("p", f"Cross-check: {sentences.cross_check(top.fixed)}.") if top.fixed else Html("")
        words = events.event_in_words(top)
        most = element("p", f"In words: {words}.") if words else Html("")
        body = [intro, inputs, most, table(caption, headers, rows, (52, 12, 18, 18)), check]
    return [Section("separation", "The inputs and what separates them", join(body))]


def _power(result: AuditResult) -> list[Section]:
    """Return the power table of a run without a violation."""
    if result.verdict is Verdict.VIOLATION or not result.power:
        return []
    rows = [
        (numbers.format_percent(power.share), sentences.least_caught(result.claim, power) or "none")
        for power in result.power
    ]
    caption = (
        "What this run would have caught with probability at least 95 %, had there been an event on which "
        "the two sides differ by as much as such a parameter allows, seen on this share of calls and found "
        "by the guesser by half of them. Rarer events need more calls; an event that the guesser does not "
        "find is not caught."
    )
    headers = ("Event found by half of the calls, seen on", "caught")
    return [Section("power", "Power", table(caption, headers, rows, (50, 50)))]


def _reproduction(result: AuditResult, reproduce: str, advice: Sequence[tuple[str, str]]) -> Section:
    purpose = "Audit again, with new outputs:" if result.seeded is False else "Repeat the same calls:"
    commands = [(purpose, reproduce)] if reproduce else []
    follows = " Sides and random streams of all calls follow from it and were fixed before the first call."
    seed = f"Seed {sentences.seed(result)}.{'' if result.seeded is False else follows}"
    return reproduction_section(result.target, (*commands, *advice), seed)


def reproduction_section(target: str, commands: Sequence[tuple[str, str]], seed: str) -> Section:
    """Return the section with the commands that repeat a result, each after its purpose, and the versions."""
    again = (
        *(element("p", f"{sentence} ", code(command)) for sentence, command in commands),
        element("p", seed),
        element(
            "p",
            f"Written on {datetime.date.today().isoformat()} with ",
            ", ".join(f"{name} {version}" for name, version in versions(target).items()),
            ".",
        ),
    )
    return Section("reproduce", "Reproduce", join(again))
