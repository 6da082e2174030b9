"""The report: its HTML is well-formed and self-contained, and its formulas match the reference."""

from __future__ import annotations

import base64
import csv
import dataclasses
import hashlib
import html
import re
import signal
from collections.abc import Callable
from datetime import date
from fractions import Fraction
from functools import partial
from pathlib import Path

import pytest
from sympy import Abs, Basic, Eq, Interval, Max, Piecewise, Rational, sqrt

import privboost
from privboost import progress
from privboost.auditor import audit
from privboost.auditor.calibration import calibrate, tasks_of
from privboost.cli.commands.calibrate import table_of
from privboost.cli.report import audits, dashboard, everything, live_checks
from privboost.cli.report.ledger import errata_section
from privboost.cli.report.live_checks import study_section
from privboost.cli.report.part import ReportPart, bad, good
from privboost.errors import HarnessError, UsageError
from privboost.gate.run import run_gate
from privboost.gate.trees.levels import Level
from privboost.oracle_tests.support.command_line import Markup, Run
from privboost.pages import Html, Section, element, page, table
from privboost.proofs_check.entry import Verdict
from privboost.proofs_check.ledger import entries
from privboost.proofs_check.pages.errata import errata
from privboost.proofs_check.pages.first_page import FINDINGS
from privboost.proofs_check.pages.texts import FALSE, PAPER_AUTHORS, PAPER_TITLE, PAPER_VERSION
from privboost.proofs_check.record import record
from privboost.reference.errata import ERRATA
from privboost.reference.exact import ClosedInterval
from privboost.symbolic import loss_formulas
from privboost.symbolic.formulas import ALPHA, Iverson, U, Z, agree, to_mathml, value_of
from privboost.symbolic.loss_formulas import ENTRIES, LossFormulas, check_formulas
from privboost.symbolic.registry import derivations

ADDRESS = re.compile(r"https?://|(?:src|href)\s*=\s*[\"']?//|url\(|@import", re.IGNORECASE)


@pytest.fixture(scope="module")
def lines() -> list[str]:
    return []


@pytest.fixture(scope="module")
def markup(tmp_path_factory: pytest.TempPathFactory, lines: list[str]) -> str:
    path = everything.write_report(tmp_path_factory.mktemp("report") / "site", progress=lines.append)
    assert path.name == "index.html"
    assert [other.name for other in path.parent.iterdir()] == ["index.html"]
    return path.read_text("utf-8")


@pytest.fixture(scope="module")
def whole(markup: str) -> Markup:
    return Markup(markup)


@pytest.fixture(scope="module")
def header(markup: str) -> str:
    return markup[: markup.index("</header>")]


# The page ------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("markup")
def test_report__reports_progress(lines: list[str]) -> None:
    assert len(lines) == 2 * len(everything.SECTIONS)
    assert "s left" in lines[-2]


def test_report__is_well_formed(markup: str) -> None:
    assert Markup(markup).is_well_formed


@pytest.mark.parametrize("wrong", ["<p><b>x</p></b>", "<p>x", "x</p>"])
def test_report__ill_formed_page_is_rejected(wrong: str) -> None:
    assert not Markup(wrong).is_well_formed


def test_report__loads_nothing(markup: str, whole: Markup) -> None:
    assert ADDRESS.findall(markup) == []
    assert {"link", "iframe", "object"}.isdisjoint(tag for tag, _ in whole.elements)
    assert whole.all("script") == [{}], "one script, inline"
    sources = [attributes["src"] or "" for attributes in whole.all("img")]
    assert len(sources) == 4
    for source in sources:
        picture = base64.b64decode(source.removeprefix("data:image/svg+xml;base64,"), validate=True)
        targets = re.findall(rb"href=\"([^\"]*)\"", picture)
        assert targets
        assert all(target.startswith(b"#") for target in targets)


@pytest.mark.parametrize(
    "wrong",
    ['<img src="https://example.org/x.png">', '<a href="//example.org">', "<style>@import 'x'</style>"],
)
def test_report__external_reference_is_rejected(wrong: str) -> None:
    assert ADDRESS.search(wrong)


def test_report__every_link_resolves(whole: Markup) -> None:
    anchors = [attributes["id"] for _, attributes in whole.elements if "id" in attributes]
    links = [attributes["href"] or "" for attributes in whole.all("a") if "download" not in attributes]
    assert len(anchors) == len(set(anchors))
    assert {link.removeprefix("#") for link in links} <= set(anchors)


def test_report__contents_list_every_section(whole: Markup) -> None:
    anchors = [attributes["id"] for attributes in whole.all("section")]
    links = [attributes["href"] for attributes in whole.all("a")]
    assert len(anchors) == len(everything.SECTIONS)
    assert links[: len(anchors)] == [f"#{anchor}" for anchor in anchors]


def test_report__is_accessible(whole: Markup) -> None:
    assert all(len(attributes["alt"] or "") > 40 for attributes in whole.all("img"))
    assert len(whole.all("caption")) == len(whole.all("table"))
    assert all(attributes.get("scope") in {"row", "col"} for attributes in whole.all("th"))
    assert whole.all("html")[0]["lang"] == "en"


def test_report__names_its_version(whole: Markup) -> None:
    assert f", version {privboost.__version__}, " in whole.text


def test_report__names_its_date_and_its_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dashboard, "_git", lambda _, *words: "abc123" if words[0] == "rev-parse" else "")
    path = everything.write_report(tmp_path, sections=(study_section,), today=date(2031, 2, 3))
    assert f"2031-02-03, version {privboost.__version__}, commit abc123<" in path.read_text("utf-8")


def test_source__without_a_repository_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> str:
        raise OSError("git is not installed")

    monkeypatch.setattr(dashboard, "_git", fail)
    assert dashboard.source() == "a checkout without a known commit"


# The dashboard -------------------------------------------------------------------------------------------


def test_dashboard__has_a_row_for_every_part_and_comes_first(whole: Markup, header: str) -> None:
    anchors = [attributes["id"] for attributes in whole.all("section")]
    assert [anchor for anchor in anchors if f'href="#{anchor}"' not in header] == []
    assert header.count('class="badge') == 2 + len(anchors)


def test_dashboard__counts_are_those_of_the_record(header: str) -> None:
    refuted = sum(recorded.verdict is Verdict.REFUTED for recorded in record().values())
    assert f"{refuted} of {len(record()):,} claims are refuted" in header
    assert "privboost</span> is as expected in all 6 parts that were checked." in header


def test_dashboard__lists_the_main_errors_with_links(header: str, whole: Markup) -> None:
    anchors = {attributes["id"] for _, attributes in whole.elements if "id" in attributes}
    assert len(FINDINGS) == 4
    for key in FINDINGS:
        assert f'href="#error-{key}"' in header
        assert f"error-{key}" in anchors


def test_dashboard__part_that_is_not_as_expected_is_named(tmp_path: Path) -> None:
    def wrong() -> ReportPart:
        return ReportPart(Section("w", "Wrong part", Html("")), bad("FAIL"), "It failed", False)

    path = everything.write_report(tmp_path, sections=(wrong, study_section))
    text = path.read_text("utf-8")
    assert "privboost</span> is not as expected in 1 of 1 parts: Wrong part." in text


def test_ledger__is_folded_and_has_every_claim_once(markup: str) -> None:
    ledger = markup[markup.index('<section id="ledger">') :]
    ledger = ledger[: ledger.index("</section>")]
    assert ledger.count("<details>") >= 8
    assert "<details open" not in markup
    assert ledger.count('<th scope="row">') == len(record())


def test_script__is_the_only_one_that_may_run(markup: str) -> None:
    (script,) = re.findall(r"<script>(.*?)</script>", markup, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in html.unescape(markup)


def test_ledger__refuted_claims_lead_to_their_witness_and_correction(whole: Markup) -> None:
    anchors = {attributes["id"] for _, attributes in whole.elements if "id" in attributes}
    links = {attributes["href"] for attributes in whole.all("a")}
    for key, recorded in record().items():
        if recorded.verdict is Verdict.REFUTED:
            correction = entries()[key].correction
            assert {f"#error-{key}", f"#claim-{correction}"} <= links
            assert {f"error-{key}", f"claim-{correction}"} <= anchors


def test_dashboard__says_how_the_numbers_of_errors_belong_together(header: str) -> None:
    refuted = {key for key, recorded in record().items() if recorded.verdict is Verdict.REFUTED}
    severities = [(erratum.entry.key, erratum.entry.severity) for erratum in errata()]
    false = {key for key, severity in severities if severity in FALSE}
    assert false <= refuted <= {key for key, _ in severities}
    assert f"{len(refuted)} of {len(record()):,} claims are refuted, and each of them is one error." in header
    assert f"{len(severities) - len(refuted)} more errors have nothing to refute" in header
    assert f"That makes {len(severities)} errors." in header
    assert f"{len(false)} of the refuted claims are false statements" in header
    kinds_of_others = r"The other (\d+) refuted claims do less harm: (\d+) are .*?, (\d+) .*? and (\d+) fail"
    (numbers,) = re.findall(kinds_of_others, header)
    other, *kinds = map(int, numbers)
    assert len(false) + other == len(refuted)
    assert sum(kinds) == other


def test_dashboard__names_the_paper(header: str) -> None:
    assert all(part in header for part in (PAPER_TITLE, PAPER_AUTHORS, PAPER_VERSION))


def test_errata__are_those_of_the_ledger(whole: Markup) -> None:
    assert f"The {len(errata())} errors of the paper, by kind." in whole.text
    assert f"The {len(ERRATA)} witnesses marked exact" in whole.text
    for erratum in errata():
        assert erratum.instead in whole.text


def test_report__has_no_missing_number_and_no_empty_cell(markup: str) -> None:
    assert "± nan" not in markup
    assert re.findall(r"<td[^>]*></td>", markup) == []


def test_calibration__of_one_long_run_has_no_standard_error_and_no_empty_column() -> None:
    calibrations = calibrate(tasks_of(("laplace",), 2, 50, 1, 1_000))
    table_of_one = table_of(calibrations, complete=True)
    assert not any("nan" in cell or not cell for row in table_of_one.rows for cell in row)
    assert table_of_one.columns[-1] == "bound/exact at 1,000"


def test_report__command_says_its_progress_and_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.setattr(everything, "SECTIONS", (study_section,))
    monkeypatch.setattr(live_checks, "CHECKS", (study_section,))
    code, _, said = run("report", "-o", str(tmp_path))
    assert code == 0
    assert "report: section 2 of 2, study; 0 s, about 0 s left" in said
    assert said.count("report: The paper's experiments take hours") == 2


@pytest.mark.parametrize("build", [live_checks.audits_section, live_checks.calibration_section])
def test_report__interrupted_in_a_section_makes_no_page_of_a_part_of_it(
    build: Callable[[], ReportPart], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.setattr(everything, "SECTIONS", ())
    monkeypatch.setattr(live_checks, "CHECKS", (build, study_section))

    def stop(*_: object) -> None:
        signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(audits, "audit", partial(audit, progress=stop))
    monkeypatch.setattr(live_checks, "calibrate", lambda tasks, **_: calibrate(tasks, progress=stop))
    code, _, said = run("report", "-o", str(tmp_path))
    assert code == 128 + signal.SIGTERM
    assert not list(tmp_path.iterdir())
    assert "section 2 of 2" not in said


@pytest.mark.parametrize(
    ("build", "shown"),
    [
        (live_checks.gate_of_fast_section, r"check [0-9]+ of [0-9]+, .* s left: refusal/"),
        (live_checks.audits_section, "1 of 2 audits made, .* s left"),
        (live_checks.calibration_section, "2 of 2 tasks done, .* s left"),
        (everything.derivations_section, "1 of 2 sections derived, .* s left"),
    ],
)
def test_report__shows_progress_within_a_long_section(
    build: Callable[[], ReportPart],
    shown: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(progress, "SECONDS_ELSEWHERE", 0.0)
    monkeypatch.setattr(live_checks, "run_gate", partial(run_gate, levels=(Level.REFUSAL,)))
    monkeypatch.setattr(live_checks, "AUDITS", live_checks.AUDITS[:1] * 2)
    for name, value in (("QUICK", ("laplace",)), ("NULL_RUNS", 1), ("CALLS", 50), ("LONGEST", 1000)):
        monkeypatch.setattr(live_checks, name, value)
    monkeypatch.setattr(everything, "SECTIONS_OF_PAPER", (tuple, tuple))
    progress.start_clock()
    build()
    assert re.search(shown, capsys.readouterr().err)


def test_report__data_of_the_plots_can_be_downloaded(whole: Markup) -> None:
    saved = [attributes for attributes in whole.all("a") if "download" in attributes]
    assert len(saved) == 4
    for attributes in saved:
        content = base64.b64decode(
            (attributes["href"] or "").removeprefix("data:text/csv;base64,"), validate=True
        )
        assert len(list(csv.reader(content.decode("ascii").splitlines()))) > 100


# Contents ------------------------------------------------------------------------------------------------


def test_report__shows_every_exact_witness(whole: Markup) -> None:
    assert ERRATA
    for item in ERRATA:
        assert f"{item.key}: {item.witness()}" in whole.text


def test_report__shows_every_derivation(whole: Markup) -> None:
    derived = derivations()
    assert derived
    for item in derived:
        shown = (item.key, item.label, item.statement, str(item.verdict), item.detail)
        assert [part for part in shown if part not in whole.text] == []


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.title)
def test_report__formulas_agree_with_the_reference(entry: LossFormulas) -> None:
    assert check_formulas(entry) >= 40


def shift(formula: Basic) -> Basic:
    """Return a formula whose values, or the left ends of its intervals, are 10^-25 too large."""
    small = Rational(1, 10**25)
    if isinstance(formula, Piecewise):
        return Piecewise(*((shift(value), condition) for value, condition in formula.args))
    if isinstance(formula, Interval):
        return Interval(formula.start + small, formula.end)
    return formula + small


@pytest.mark.parametrize("position", range(7))
def test_report__wrong_formula_is_rejected(position: int) -> None:
    entry = ENTRIES[-1]
    quantity = entry.quantities[position]
    wrong = dataclasses.replace(quantity, formula=shift(quantity.formula))
    with pytest.raises(HarnessError, match="differs from the reference"):
        check_formulas(dataclasses.replace(entry, quantities=(wrong,)))


def test_report__wrong_atom_is_rejected() -> None:
    wrong = dataclasses.replace(ENTRIES[-1], atoms=((Fraction(1, 2), 2 * (1 - ALPHA)),))
    with pytest.raises(HarnessError, match="atoms"):
        check_formulas(wrong)


# Parts ---------------------------------------------------------------------------------------------------


def test_formula__is_printed_as_mathml() -> None:
    formula = Piecewise((Iverson(U < 1), Z <= 0), (-(Z + 4) / sqrt(ALPHA**2 + 1), True))
    markup = to_mathml(formula)
    assert Markup(markup).is_well_formed
    assert Markup(markup).text.replace("\u2062", "") == "{⟦u<1⟧if\xa0z≤0−z−4α2+1otherwise"
    assert {"mfrac", "msqrt", "msup", "mtable"} <= {tag for tag, _ in Markup(markup).elements}


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        (Abs(U - 3) * 2**3, 8),
        (Iverson(U < 1) + Iverson(Eq(U, 2)), 1),
        ((U + 2) ** Rational(-1, 2), Rational(1, 2)),
        (Max(0, -U), 0),
        (Interval(-U, U), Interval(-2, 2)),
    ],
)
def test_formula__is_evaluated_exactly(formula: Basic, value: Basic) -> None:
    assert value_of(formula, {U: Fraction(2)}) == value


def test_formula__nearly_equal_values_do_not_agree() -> None:
    third, near = Fraction(1, 3), Rational(1, 3) + Rational(1, 10**29)
    assert agree(Rational(1, 3), third)
    assert not agree(near, third)
    assert agree(Interval(0, Rational(1, 3)), ClosedInterval(Fraction(0), third))
    assert not agree(Interval(0, near), ClosedInterval(Fraction(0), third))
    assert not agree(Rational(1, 3), ClosedInterval(Fraction(0), third))


def test_html__text_is_escaped_everywhere() -> None:
    nasty = "<script>\"&'"
    parts = (table(nasty, (nasty, nasty), [(nasty, nasty)], (50, 50)), element("p", nasty, title=nasty))
    whole = page(nasty, Html(""), [Section("a", nasty, Html("".join(parts)))])
    assert "<script" not in whole
    assert Markup(whole).is_well_formed


def test_report__accepts_further_sections(tmp_path: Path) -> None:
    def proofs_section() -> ReportPart:
        return ReportPart(
            Section("proofs", "Proofs", element("p", "all of them")), good("PASS"), "All of them"
        )

    path = everything.write_report(tmp_path, sections=(errata_section, proofs_section))
    text = path.read_text("utf-8")
    assert Markup(text).is_well_formed
    assert '<a href="#proofs">Proofs</a>' in text


def test_report__second_run_writes_the_same_bytes(tmp_path: Path) -> None:
    sections = (everything.losses_section, errata_section)
    first, second = (everything.write_report(tmp_path / name, sections=sections) for name in ("a", "b"))
    assert first.read_bytes() == second.read_bytes()


def test_report__existing_file_is_refused(tmp_path: Path) -> None:
    occupied = tmp_path / "report"
    occupied.write_text("mine")
    with pytest.raises(UsageError, match="output: expected a folder"):
        everything.write_report(occupied)


def test_report__shown_alpha_is_checked() -> None:
    assert loss_formulas.SHOWN_ALPHA in loss_formulas.CHECKED_ALPHAS
