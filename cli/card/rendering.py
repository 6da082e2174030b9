"""A card as a page, as JSON and as the rows of a table."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

from privboost import __version__
from privboost.pages import Html, Section, badge, code, element, join, page, table
from privboost.printing import make_printable_json

from .answers import AnswerKind, CardEvidence, CardLine, ReleaseCard
from .folder import CARD

VERSION = 1
SCHEMA = Path(__file__).with_name("card_schema.json")
NOT_ADDRESSED = "not addressed"
SIGNS = {
    AnswerKind.COMPUTED: ("good", "✓"),
    AnswerKind.STATED: ("warn", "”"),
    AnswerKind.MEASURED: ("good", "≈"),
}
STYLE = """
.answer{display:block;margin:0 0 .5rem}.answer:last-child{margin:0}
.answer .badge{margin-right:.4rem}.missing{color:var(--soft);font-style:italic}
td,td code{overflow-wrap:anywhere}.headline{font-size:1.15rem;font-weight:600;max-width:none}
.headline .number{white-space:nowrap}
"""
QUESTION_WIDTHS, EVIDENCE_WIDTHS, FILE_WIDTHS = (30, 42, 28), (12, 18, 32, 16, 22), (34, 22, 12, 12, 20)


def count_answers(card: ReleaseCard) -> str:
    """Return how many questions have an answer, and of which kind."""
    lines = card.lines()
    addressed = sum(bool(line.answers) for line in lines)
    kinds = {kind: sum(any(a.kind is kind for a in line.answers) for line in lines) for kind in AnswerKind}
    parts = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    several = "; some have several answers" if sum(kinds.values()) > addressed else ""
    missing = len(lines) - addressed
    return f"{addressed} of {len(lines)} questions are addressed: {parts}{several}. {missing} are not."


def card_rows(card: ReleaseCard) -> Iterator[tuple[str, str, str, str]]:
    """Yield a row for every answer, and for every question without one."""
    for section in card.sections:
        for line in section.lines:
            for answer in line.answers:
                yield section.key, line.question, f"{answer.text} ({answer.kind})", str(answer.source)
            if not line.answers:
                yield section.key, line.question, NOT_ADDRESSED, ""
    for each in card.evidence:
        yield "evidence", f"{each.what} of {each.target}", f"{each.verdict}: {each.finding}", str(each.source)


def card_document(card: ReleaseCard, made: date) -> dict[str, Any]:
    """Return a card as members of a JSON document."""
    return {
        "format": CARD,
        "version": VERSION,
        "privboost": __version__,
        "made": made.isoformat(),
        "name": card.name,
        "headline": card.headline,
        "contradicted": bool(card.contradictions),
        "sections": [
            {
                "key": section.key,
                "title": section.title,
                "lines": [_line_entry(line) for line in section.lines],
            }
            for section in card.sections
        ],
        "evidence": [asdict(each) for each in card.evidence],
        "registry": {"deployment": card.registry},
        "files": [asdict(each) for each in card.files],
    }


def _line_entry(line: CardLine) -> dict[str, Any]:
    return {
        "key": line.key,
        "question": line.question,
        "addressed": bool(line.answers),
        "answers": [
            {
                "text": each.text,
                "value": each.plain,
                "kind": each.kind,
                "file": each.source.file,
                "member": each.source.member,
            }
            for each in line.answers
        ],
    }


def card_json(card: ReleaseCard, made: date) -> str:
    """Return a card as a JSON string."""
    document = json.dumps(card_document(card, made), indent=2, ensure_ascii=False, allow_nan=False)
    return make_printable_json(document) + "\n"


def card_page(card: ReleaseCard, made: date) -> str:
    """Return the page of a card."""
    contradictions = [
        element("p", badge("bad", "✗", "contradicted"), " ", f"{each.contradiction} ({each.source})")
        for each in card.contradictions
    ]
    introduction = element(
        "header",
        element("h1", card.name),
        element("p", _badge_of(card), " ", _keep_numbers(card.headline), class_="headline"),
        *contradictions,
        element("p", f"Card of a release, made on {made.isoformat()}. {count_answers(card)}", class_="soft"),
    )
    guarantee, *others = (
        Section(
            section.key,
            section.title,
            join(
                [
                    element("p", section.about),
                    table("", ("question", "answer", "source"), map(_row, section.lines), QUESTION_WIDTHS),
                ]
            ),
        )
        for section in card.sections
    )
    evidence = Section("evidence", "Evidence", _evidence(card))
    files = Section("files", "Files", _files(card))
    return page(
        f"Card: {card.name}", introduction, (guarantee, evidence, *others, files), contents=False, style=STYLE
    )


def _keep_numbers(text: str) -> Html:
    """Return a text whose numbers with an exponent do not break at their minus sign."""
    parts = re.split(r"((?:\w = )?[\d.]+e-\d+)", text)
    return join(
        element("span", part, class_="number") if index % 2 else part for index, part in enumerate(parts)
    )


def _badge_of(card: ReleaseCard) -> Html:
    if card.contradictions:
        return badge("bad", "✗", "contradicted")
    return (
        badge("good", "✓", "guaranteed")
        if card.is_guaranteed
        else badge("warn", "!", "conditional or stated")
    )


def _row(line: CardLine) -> tuple[object, ...]:
    note = element("span", f" {line.note}", class_="place") if line.note else Html("")
    question = join([line.question, note])
    if not line.answers:
        return question, element("span", NOT_ADDRESSED, class_="missing"), "–"
    answers = join(
        element("span", badge(*SIGNS[each.kind], each.kind), each.text, class_="answer")
        for each in line.answers
    )
    sources = join(element("span", code(str(each.source)), class_="answer") for each in line.answers)
    return question, answers, sources


def _evidence(card: ReleaseCard) -> Html:
    """Return the evidence as a table, with what it is about."""
    about = element(
        "p",
        "Tests can contradict a guarantee; they never make one. A bound of an audit is a lower bound on the "
        "privacy loss.",
    )
    if not card.evidence:
        return join([about, element("p", "No report of a test is among the files.", class_="missing")])
    headers = ("test", "target", "result", "about", "source and witness")
    return join([about, table("", headers, map(_evidence_row, card.evidence), EVIDENCE_WIDTHS)])


def _evidence_row(each: CardEvidence) -> tuple[object, ...]:
    is_passed = each.what == "gate" and each.verdict == "pass"
    kind, sign = ("bad", "✗") if each.contradiction else ("good", "✓") if is_passed else ("warn", "·")
    result = join([badge(kind, sign, each.verdict), " ", each.finding])
    witness = [element("span", "witness ", code(each.witness), class_="answer")] if each.witness else []
    date_and_versions = element("span", f"file of {each.modified}; {each.versions}", class_="answer place")
    source = join([element("span", code(str(each.source)), class_="answer"), *witness, date_and_versions])
    return each.what, code(each.target), result, str(each.subject), source


def _files(card: ReleaseCard) -> Html:
    rows = [
        (code(each.path), each.what, f"{each.size:,}", each.modified, code(each.sha256[:16]))
        for each in card.files
    ]
    headers = ("file", "what it is", "bytes", "date", "SHA-256 begins")
    return table("All answers come from these files.", headers, rows, FILE_WIDTHS, short=True)
