"""Reports of audits: sentences, lines, the document and its schema, the page, the plots."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from privboost.auditor import AuditResult, FixedBound, Pair, PairResult, Point, Power, Verdict, audit, numbers
from privboost.auditor.claims import PrivacyClaim
from privboost.auditor.files import events, sentences
from privboost.auditor.files.page import audit_fragment, audit_page
from privboost.auditor.files.plots import draw_all
from privboost.auditor.files.report import SCHEMA, lines, to_document, to_json_text, to_text
from privboost.auditor.result import CellCount
from privboost.auditor.values.columns import Column, ColumnKind
from privboost.auditor.values.events import Event, Feature, Score, ScoreTerm, ValueRange
from privboost.errors import PreconditionError, UsageError
from privboost.oracle_tests.support.command_line import Markup
from privboost.oracle_tests.support.json_schema import complaints

DOCUMENT: dict[str, Any] = json.loads(SCHEMA.read_text("utf-8"))
NUMBER = Column(ColumnKind.NUMBER, ())


def cell(left: int, right: int, side: int, part: ValueRange) -> CellCount:
    """Return the counts of a cell that is one range."""
    return CellCount(Event((part,), side), left, right)


CELLS = (
    cell(40, 10, -1, ValueRange(NUMBER, high=-1.5)),
    cell(30, 9, -1, ValueRange(NUMBER, -1.5, 0.25)),
    cell(20, 20, 0, ValueRange(NUMBER, 0.25, 2.0)),
    cell(10, 61, 1, ValueRange(NUMBER, 2.0)),
    cell(3, 0, 0, ValueRange(NUMBER, known=False, missing=True)),
)
NASTY = "<script>alert('$x_1$ & \"y\"')</script>"


def pair_result(name: str = "one row", bound: float = 1.4321, **changes: Any) -> PairResult:
    """Return an example of a result on one pair."""
    curve = (Point(16, 0.0, 0.0), Point(100, 0.5, 1.0), Point(200, bound, 7.0))
    fixed = FixedBound((CELLS[0].event,), 30, 5, 1.1)
    entry = PairResult(Pair(name, [0, 1], [1, 1], exact=2.0), 0.025, curve, CELLS, fixed)
    return replace(entry, **changes)


def result(*pairs: PairResult, **changes: Any) -> AuditResult:
    """Return an example of a result of an audit."""
    made = AuditResult(
        target="mine:noisy",
        claim=PrivacyClaim("eps", 1.0),
        confidence=0.95,
        seed=5,
        verdict=Verdict.VIOLATION,
        pairs=pairs or (pair_result(), pair_result("other row", 0.2)),
        power=(Power(0.5, 1.2), Power(0.01, None)),
        seconds=1.25,
    )
    return replace(made, **changes)


VIOLATION = result()
CONSISTENT = result(verdict=Verdict.CONSISTENT, claim=PrivacyClaim("eps", 1.0, 1e-6))
NOTHING = result(
    pair_result(curve=(), cells=(), fixed=None),
    verdict=Verdict.INCONCLUSIVE,
    power=(),
    interrupted=True,
    seconds=0.0,
)
INFINITE = result(
    pair_result(NASTY, math.inf, pair=Pair(NASTY, NASTY, math.inf, exact=math.inf)),
    target=NASTY,
)
RESULTS = {"violation": VIOLATION, "consistent": CONSISTENT, "nothing": NOTHING, "infinite": INFINITE}
every_result = pytest.mark.parametrize("name", RESULTS)


@cache
def plots(name: str) -> dict[str, bytes]:
    """Return the plots of an example."""
    return draw_all(RESULTS[name])


# Sentences -----------------------------------------------------------------------------------------------


def test_bound__names_the_coins_that_its_probability_is_over() -> None:
    said = "with probability at least 95 % over the audit's own coins, ε > 1.432"
    assert sentences.bound(VIOLATION) == said
    assert sentences.bound(CONSISTENT) == f"{said} at δ = 1e-06"


@pytest.mark.parametrize(
    ("bound", "shown"),
    [(1.4399, "1.439"), (0.29, "0.29"), (-1.0, "0"), (0.0004, "0"), (12.3459, "12.345"), (math.inf, "∞")],
)
def test_bound__is_rounded_down(bound: float, shown: str) -> None:
    assert numbers.floor_to_decimals(bound) == shown


@pytest.mark.parametrize(
    ("epsilon", "shown"), [(1.0, "1"), (math.log(2), "0.6931471806"), (0.0004, "0.0004")]
)
def test_bound__that_is_the_claim_contradicts_it(epsilon: float, shown: str) -> None:
    audited = result(pair_result(bound=epsilon), claim=PrivacyClaim("eps", epsilon))
    assert f"claim ε ≤ {shown}, bound ε > {shown} (" in sentences.headline(audited)
    assert f"ε > {shown} after" in to_text(audited)
    assert f">&gt; {shown}<" in audit_page(audited, {}, "")


def test_bound__of_nothing_is_none() -> None:
    audited = result(pair_result(bound=0.0))
    assert "no bound above 0 (" in sentences.headline(audited)
    assert "no bound above 0 after" in to_text(audited)


def test_errors__show_what_every_pair_has_cost() -> None:
    assert (
        sentences.error_probability(VIOLATION)
        == "5 % in all, for 2 pairs at once: 2.5 % on each (union bound)"
    )
    assert sentences.error_probability(NOTHING) == "5 %, all of it on one pair"


def test_event__joins_neighbouring_ranges_and_counts_both_sides() -> None:
    assert events.separating_event(VIOLATION.pairs[0]) == (
        "left is guessed where output < 0.25 (left 70, right 19 times); "
        "right is guessed where 2 <= output (left 10, right 61 times)"
    )
    assert events.separating_event(NOTHING.pairs[0]) == "no event that tells the sides apart was found"


X, SUM = Column(ColumnKind.NUMBER, ("x",)), Score((ScoreTerm(1.0, Feature.NUMBER, NUMBER, 0.0),), 1)


@pytest.mark.parametrize(
    ("first", "second", "whole"),
    [
        (ValueRange(X, high=1), ValueRange(X, 1, 2), ValueRange(X, high=2)),
        (ValueRange(X, high=1), ValueRange(X, 1), ValueRange(X)),
        (ValueRange(X, high=1), ValueRange(X, 2), None),
        (ValueRange(X, high=1), ValueRange(NUMBER, 1), None),
        (ValueRange(X, 1, 1), ValueRange(X, 1, 1), None),
        (ValueRange(X, high=1), ValueRange(X, 1, missing=True), None),
        (ValueRange(X, 0, 1, strings=("a",)), ValueRange(X, 1, 2, strings=("b",)), None),
        (ValueRange(SUM, 0, 1), ValueRange(SUM, 1), ValueRange(SUM, 0)),
    ],
)
def test_event__only_ranges_that_touch_are_joined(
    first: ValueRange, second: ValueRange, whole: ValueRange | None
) -> None:
    union = events.join_cells(cell(1, 2, -1, first), cell(3, 4, -1, second))
    assert union == (None if whole is None else cell(4, 6, -1, whole))
    assert events.join_cells(cell(1, 2, -1, first), cell(3, 4, 1, second)) is None


W = ("w",)
WEIGHTED = Score((ScoreTerm(0.5, Feature.SIGN, X, 2.0), ScoreTerm(-1.25, Feature.DISTANCE, NUMBER, -1.0)), 3)


@pytest.mark.parametrize(
    ("event", "notation", "words"),
    [
        ((ValueRange(NUMBER, 0.5, math.nextafter(0.5, 1)),), "output = 0.5", "output = 0.5"),
        ((ValueRange(X, 0.5),), "0.5 <= output.x", "0.5 ≤ output.x"),
        ((ValueRange(X, 0.5, missing=True),), "output.x >= 0.5 or missing", "output.x ≥ 0.5 or missing"),
        ((ValueRange(Column(ColumnKind.NONE, ("x",)), 1, 1),), "none(output.x) = 1", "output.x is None"),
        (
            (ValueRange(Column(ColumnKind.NONE, ()), known=False, missing=True),),
            "none(output) is missing",
            "output is not None",
        ),
        (
            (ValueRange(Column(ColumnKind.LENGTH, ()), 2, 3),),
            "2 <= len(output) < 3",
            "2 ≤ the length of output < 3",
        ),
        (
            (
                ValueRange(Column(ColumnKind.STRING, W), 0, 1, strings=("a",)),
                ValueRange(Column(ColumnKind.NUMBER_IN_STRING, W, 0), 3, 3),
            ),
            "text(output.w) is 'a', number(output.w)[0] = 3",
            "the string output.w is 'a', number 0 in the string output.w = 3",
        ),
        (
            (ValueRange(Column(ColumnKind.STRING, W), 0, strings=tuple("abcdef")),),
            "text(output.w) is 'a' or 'b' or 'c' or 'd' or one of 2 others",
            "the string output.w is 'a' or 'b' or 'c' or 'd' or one of 2 others",
        ),
        (
            (ValueRange(WEIGHTED, high=0),),
            "(+0.5·sign(output.x - 2) -1.25·|output - -1| … + constant) < 0",
            "(+0.5·sign(output.x - 2) -1.25·|output - -1| … + constant) < 0",
        ),
        (
            (ValueRange(Score(), high=1),),
            "(log odds of right by boosted trees) < 1",
            "(log odds of right by boosted trees) < 1",
        ),
        ((), "no number", "no number"),
    ],
)
def test_event__in_notation_and_in_words(event: tuple[ValueRange, ...], notation: str, words: str) -> None:
    assert events.format_event(Event(event)) == notation
    assert events.format_event(Event(event), words=True) == words


@pytest.mark.parametrize(
    "key",
    ["a", "a < 3", "x <= 0.5", "a = b", "[1, 2)", "text(output)", "1 <= none(output) < 2", "two\nlines", ""],
)
def test_event__keys_of_outputs_may_be_any_string(key: str) -> None:
    """False alarms: none, since the seed is fixed."""
    audited = audit(lambda data, rng: {key: data + rng.laplace() / 2}, (0, 1), epsilon=0.5, calls=500, seed=1)
    assert audited.verdict is Verdict.VIOLATION
    document = json.loads(to_json_text(audited))
    assert complaints(DOCUMENT, document) == []
    (pair,) = document["pairs"]
    (part,) = pair["events"][0]["event"]["ranges"]
    assert part["column"] == {"kind": "number", "path": [key], "index": None, "of": None}
    name = "output.a" if key == "a" else f"output[{key!r}]"
    assert name in pair["event"]
    assert name in events.event_in_words(audited.pairs[0])
    assert set(draw_all(audited)) >= {"outputs.svg"}


@pytest.mark.parametrize("verdict", Verdict)
def test_meaning__never_says_private_and_always_says_what_it_is_not(verdict: Verdict) -> None:
    audited = result(verdict=verdict)
    assert "is private" not in sentences.meaning(audited)
    assert sentences.limitations(audited).startswith("It does not say")


# Lines and document --------------------------------------------------------------------------------------


@every_result
def test_lines__begin_with_the_verdict(name: str) -> None:
    assert lines(RESULTS[name])[0] == ("verdict", str(RESULTS[name].verdict))


def test_lines__have_seed_command_inputs_and_cross_check() -> None:
    report = to_text(VIOLATION, "privboost audit mine:noisy --seed 5")
    for said in ("seed               5", "privboost audit mine:noisy --seed 5", "[0, 1]", "30 guesses right"):
        assert said in report
    assert max(map(len, report.splitlines())) <= 120


def test_lines__state_the_power_without_a_violation() -> None:
    said = " ".join(to_text(CONSISTENT).split())
    assert "an event seen on 1 % of calls, found by half of them: no ε would have been caught" in said
    assert "for an event that the guesser has found by half of the calls" in said
    assert "would have been caught" not in to_text(VIOLATION)


def test_lines__bound_above_the_exact_loss_is_pointed_out() -> None:
    assert "above the exact loss" in to_text(result(pair_result(bound=2.5)))
    assert "above the exact loss" not in to_text(VIOLATION)


def test_lines__say_where_relation_and_exact_loss_are_from() -> None:
    (line,) = (
        summary
        for name, summary in lines(result(pair_result()), source=", as the file says")
        if name == "pair"
    )
    assert line.startswith("one row (exchange, as the file says; ε > 1.432 after 200 calls; ")
    assert line.endswith("exact loss 2, as the file says)")


def test_lines__of_many_pairs_are_cut_on_a_terminal_only() -> None:
    many = result(*(pair_result(f"pair {index}", index / 100) for index in range(40)))
    assert "and 28 pairs with smaller bounds" in to_text(many)
    assert len(to_document(many)["pairs"]) == 40


@every_result
def test_document__has_the_shape_that_its_schema_states(name: str) -> None:
    document = json.loads(to_json_text(RESULTS[name], "again"))
    assert complaints(DOCUMENT, document) == []
    assert sorted(DOCUMENT["required"]) == sorted(document)


@pytest.mark.parametrize(
    ("member", "value"), [("verdict", "PRIVATE"), ("calls", -1), ("pairs", []), ("x", 1)]
)
def test_schema__refuses_another_document(member: str, value: Any) -> None:
    assert complaints(DOCUMENT, {**to_document(VIOLATION), member: value})


# Page and plots ------------------------------------------------------------------------------------------


@every_result
def test_page__is_well_formed_escaped_and_loads_nothing(name: str) -> None:
    audited = RESULTS[name]
    markup = audit_page(audited, plots(name), "privboost audit 'x'")
    tags = Markup(markup)
    assert tags.is_well_formed
    assert tags.all("script") == []
    assert not re.search(r"https?://|url\(|@import", markup)
    assert str(audited.verdict) in tags.text
    assert audited.target in tags.text


def page_text(audited: AuditResult, name: str) -> str:
    """Return the visible text of the page of an audit."""
    advice = [("Once more:", "privboost audit mine:noisy --rerun")]
    content = Markup(audit_page(audited, plots(name), "privboost audit again", advice)).text
    return " ".join(content.replace("\N{NO-BREAK SPACE}", " ").split())


def test_page__shows_claim_multiplicity_event_and_how_to_repeat() -> None:
    content = page_text(VIOLATION, "violation")
    for said in (
        "for every pair of neighbouring inputs (relation exchange).",
        "2 pairs at once: 2.5 % on each",
        "The separating event: ",
        "output < 0.25",
        "privboost audit again",
        "Once more: privboost audit mine:noisy --rerun",
    ):
        assert said in content


def test_page__shows_power_where_nothing_was_refuted_only() -> None:
    assert "found by half" in page_text(CONSISTENT, "consistent")
    assert "found by half" not in page_text(VIOLATION, "violation")


def test_page__of_a_claim_that_stands_shows_the_event_of_the_bound() -> None:
    """False alarms: none, since the seed is fixed."""
    audited = audit(lambda data, rng: data + rng.laplace(), (0, 1), epsilon=2.0, calls=12_000, seed=1)
    assert (audited.verdict, audited.bound > 0.5) == (Verdict.CONSISTENT, True)
    assert "The event by which the bound was reached" in page_text(audited, "consistent")
    assert "right is guessed where" in events.separating_event(audited.pairs[0])


@pytest.mark.parametrize("value", [1.2, 1.1, 1.2001, 1.20009, 0.0123456, 15.99999, 12.3])
def test_power__is_rounded_up(value: float) -> None:
    shown = float(numbers.round_up(value))
    assert value <= shown < value * 1.001
    sentence = sentences.power_sentence(PrivacyClaim("eps", 1.0), Power(0.5, value))
    assert f"every ε ≥ {numbers.round_up(value)} would" in sentence


@every_result
def test_plots__are_narrow_enough_for_their_letters(name: str) -> None:
    """A phone shows them about 330 pixels wide: a point is then at least a pixel."""
    for plot in plots(name).values():
        width = re.search(rb'<svg [^>]*width="([0-9.]+)pt"', plot)
        assert width is not None
        assert float(width[1]) <= 335


def test_plots__are_the_same_bytes_every_time() -> None:
    assert draw_all(VIOLATION) == plots("violation")


@every_result
def test_plots__are_drawn_without_a_date(name: str) -> None:
    drawn = plots(name)
    assert set(drawn) == {"bound.svg", "wealth.svg"} | ({"outputs.svg"} if name != "nothing" else set())
    assert all(b"<svg" in plot and b"<dc:date>" not in plot for plot in drawn.values())


@pytest.mark.parametrize(
    ("value", "shown"), [(0.446684, "0.4466"), (1.3, "1.3"), (9.99999, "9.999"), (0.0, "0"), (1e-5, "1e-05")]
)
def test_numbers__bounds_are_rounded_down(value: float, shown: str) -> None:
    assert numbers.round_down(value) == shown
    assert float(numbers.floor_to_decimals(value)) <= value


# In Python ------------------------------------------------------------------------------------------------


def test_result__prints_the_report_and_its_repr_is_short() -> None:
    assert str(VIOLATION) == to_text(VIOLATION).rstrip("\n")
    assert f"{VIOLATION}".startswith("verdict            VIOLATION")
    assert repr(VIOLATION).startswith("<AuditResult VIOLATION: ")
    assert len(repr(VIOLATION)) < 200
    assert "curve" not in repr(VIOLATION.pairs[0])


def test_result__is_shown_by_a_notebook_with_its_own_style_only() -> None:
    shown = VIOLATION._repr_html_()
    assert shown.startswith('<div class="privboost-audit"><style>')
    assert audit_fragment(VIOLATION, plots("violation")) in shown
    rules = shown.partition("<style>")[2].partition("</style>")[0].split("\n")
    assert all(rule.startswith(".privboost-audit ") for rule in filter(None, rules))


def test_result__is_saved_by_the_ending_of_the_file(tmp_path: Path) -> None:
    page = audit_page(VIOLATION, plots("violation"), "")
    contents = {".html": page, ".json": to_json_text(VIOLATION), ".txt": to_text(VIOLATION)}
    for ending, content in contents.items():
        VIOLATION.save(tmp_path / f"report{ending}")
        assert (tmp_path / f"report{ending}").read_text("utf-8") == content


def test_result__refuses_other_endings_and_files_as_folders(tmp_path: Path) -> None:
    with pytest.raises(PreconditionError, match=r"path: expected a file that ends in \.html, \.json, \.txt"):
        VIOLATION.save("report.pdf")
    (tmp_path / "file").touch()
    with pytest.raises(UsageError):
        VIOLATION.save(tmp_path / "file" / "report.txt")
