"""The report of a record and replay as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from privboost.auditor.numbers import format_number
from privboost.auditor.replay.result import RecordReplayResult, ReplayVerdict
from privboost.pages import Html, Section, badge, code, element, join, page, table

from . import replay_report as words
from .page import reproduction_section, tile_list

BADGES = {
    ReplayVerdict.FINDING: ("bad", "✗"),
    ReplayVerdict.NOTHING_FOUND: ("good", "✓"),
    ReplayVerdict.UNDECIDED: ("warn", "?"),
}
MOST_ROWS = 200


def replay_page(result: RecordReplayResult, reproduce: str, advice: Sequence[tuple[str, str]] = ()) -> str:
    """Return the page of a record and replay.

    `reproduce` is the command that replays the same pairs; `advice` has sentences with further commands.
    """
    commands = [("Replay the same pairs:", reproduce)] if reproduce else []
    seed = f"Seed {result.seed}. Pairs of described inputs, and the generators of the target, follow from it."
    sections = [
        _meaning(result),
        *_findings(result),
        _pairs(result),
        reproduction_section(result.target, (*commands, *advice), seed),
    ]
    return page(f"Replay of {result.target}: {result.verdict}", _introduction(result), sections)


def replay_fragment(result: RecordReplayResult) -> Html:
    """Return a record and replay as an HTML fragment: verdict, result and findings."""
    verdict = element("p", badge(*BADGES[result.verdict], result.verdict), " ", code(result.target))
    body = (part.body for part in (_meaning(result), *_findings(result)))
    return join((verdict, tile_list(_tiles(result)), *body))


def _introduction(result: RecordReplayResult) -> Html:
    heading = element("h1", badge(*BADGES[result.verdict], result.verdict), " ", code(result.target))
    return element("header", heading, element("p", words.headline(result)), tile_list(_tiles(result)))


def _tiles(result: RecordReplayResult) -> Iterator[tuple[str, str]]:
    yield f"{len(words.all_findings(result)):,}", "findings"
    losses = [entry.loss for entry in result.pairs if entry.loss is not None]
    if losses:
        yield format_number(max(losses)), "greatest loss that could be told"
    yield f"≤ {format_number(result.epsilon)}", "claimed"
    yield f"{len(result.pairs):,}", "pairs of inputs" + (", interrupted" if result.interrupted else "")


def _meaning(result: RecordReplayResult) -> Section:
    named = [("It means", words.meaning(result)), ("It does not mean", words.limitations(result))]
    paragraphs = [element("p", element("b", f"{name}. "), sentence) for name, sentence in named]
    doubts = words.doubt_sentences(result)
    if doubts:
        paragraphs.append(element("p", element("b", "Undecided. "), "; ".join(doubts), "."))
    return Section("meaning", "Result", join(paragraphs))


def _findings(result: RecordReplayResult) -> list[Section]:
    found = words.all_findings(result)
    if not found:
        return []
    rows = [
        (
            "proof" if finding.is_proof else "suspicion",
            words.finding_sentence(finding),
            code(words.pair_sentence(entry)),
        )
        for entry, finding in found[:MOST_ROWS]
    ]
    caption = "What differs between two runs with the same draws. A suspicion is to be audited."
    return [
        Section("findings", "Findings", table(caption, ("Weight", "Finding", "Pair"), rows, (12, 48, 40)))
    ]


def _pairs(result: RecordReplayResult) -> Section:
    rows = [
        (
            entry.pair.name,
            str(entry.verdict),
            f"{entry.draws:,}",
            f"{entry.releases:,}",
            "–" if entry.loss is None else format_number(entry.loss),
            ", ".join(map(str, entry.doubts)),
        )
        for entry in result.pairs[:MOST_ROWS]
    ]
    headers = ("Pair", "Verdict", "Draws", "Releases", "Loss", "Undecided because")
    described = f"Inputs: {result.described}. " if result.described else ""
    caption = f"{described}{len(result.pairs):,} pairs of inputs, of which at most {MOST_ROWS} are shown."
    return Section("pairs", "Pairs", table(caption, headers, rows, (34, 16, 9, 11, 10, 20)))
