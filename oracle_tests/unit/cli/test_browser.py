"""The pages in a real browser: they open with their verdict and never scroll sideways, on a phone either."""

from __future__ import annotations

from pathlib import Path

import pytest

from privboost.auditor import audit
from privboost.auditor.files.page import audit_page
from privboost.auditor.files.plots import draw_all
from privboost.auditor.mechanisms.naming import find_target
from privboost.cli.app import main
from privboost.cli.report import everything
from privboost.cli.report.ledger import errata_section, ledger_section
from privboost.cli.report.live_checks import study_section
from privboost.gate.reports.page import gate_page
from privboost.gate.run import run_gate
from privboost.gate.targets.naming import load_target
from privboost.oracle_tests.support.browser import Measured, find_browser, measure
from privboost.pages import Html, Section, badge, page
from privboost.proofs_check.entry import Verdict
from privboost.proofs_check.ledger import entries
from privboost.proofs_check.pages.fields import place_of
from privboost.proofs_check.record import record

pytestmark = pytest.mark.slow

WIDTHS = (1300, 400)
SEARCHES = ("thBoostDT1 refuted", "no claim has these words", "")
VERDICTS = {
    "report": "✗ the paper",
    "audit": "✗ VIOLATION",
    "gate": "✗ FAIL",
    "study": "✗ AS PRINTED LEAKS",
    "demo": "✓ AS EXPECTED",
}
"""The verdict that every page opens with."""
TOO_WIDE = page(
    "wide", Html("<header></header>"), [Section("a", "A", Html('<div style="width:600px">x</div>'))]
)
LATE = page("late", Html(f'<header style="padding-top:900px">{badge("good", "✓", "LATE")}</header>'), [])


def audit_markup() -> str:
    """Return the page of an audit that finds a violation."""
    target = find_target("broken:noisy_max_value")
    assert target.epsilon is not None
    result = audit(target.mechanism, target.pairs, epsilon=target.epsilon, calls=20_000, seed=0)
    return audit_page(
        result, draw_all(result), "privboost audit broken:noisy_max_value --calls 20000 --seed 0"
    )


def gate_markup() -> str:
    """Return the page of a gate that finds failures."""
    target = load_target("faulty:gini-without-4")
    try:
        return gate_page(run_gate(target, seed=0, only=("pbr",)))
    finally:
        target.close()


def study_markup(folder: Path) -> str:
    """Return the page of a short study on the synthetic data."""
    store = str(folder / "study.sqlite")
    only = ["--only", "learner=noise_free,as_printed,sound", "--sample", "60"]
    assert main(["study", "run", "--quick", "--jobs", "1", "--store", store, *only]) == 0
    assert main(["study", "report", "--store", store, "-o", str(folder / "study")]) == 0
    return (folder / "study" / "study.html").read_text("utf-8")


def demo_markup(folder: Path) -> str:
    """Return the page of a whole demo."""
    assert main(["demo", "--no-open", "-o", str(folder / "demo")]) == 0
    return (folder / "demo" / "index.html").read_text("utf-8")


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, int], Measured]:
    browser = find_browser()
    if browser is None:
        pytest.skip(
            "no browser is installed; the pages are measured where chromium is, such as Debian's package"
        )
    folder = tmp_path_factory.mktemp("browser")
    sections = (errata_section, ledger_section, study_section, everything.losses_section)
    report = everything.write_report(folder / "report", sections=sections).read_text("utf-8")
    pages = {
        "report": report,
        "audit": audit_markup(),
        "gate": gate_markup(),
        "study": study_markup(folder),
        "demo": demo_markup(folder),
        "too wide": TOO_WIDE,
        "late": LATE,
    }
    return {(entry.page, entry.width): entry for entry in measure(browser, pages, WIDTHS, folder, SEARCHES)}


@pytest.fixture(params=[(name, width) for name in VERDICTS for width in WIDTHS], ids=str)
def shown(request: pytest.FixtureRequest, measured: dict[tuple[str, int], Measured]) -> Measured:
    """Return the measurements of each page at each width."""
    return measured[request.param]


def test_page__does_not_scroll_sideways(shown: Measured) -> None:
    assert shown.fits, shown


def test_page__has_no_table_that_is_cut(shown: Measured) -> None:
    assert shown.cut == []


def test_page__opens_with_its_verdict(shown: Measured) -> None:
    assert shown.verdict == VERDICTS[shown.page]
    assert shown.opens_with_verdict


def test_ledger__search_shows_the_claims_that_have_all_words(
    measured: dict[tuple[str, int], Measured],
) -> None:
    matches, nothing, all_folded = measured["report", 1300].hits
    refuted = [entry for key, entry in entries().items() if record()[key].verdict is Verdict.REFUTED]
    about = [entry for entry in refuted if "thBoostDT1" in place_of(entry)]
    assert 0 < len(about) <= matches <= len(refuted)
    assert (nothing, all_folded) == (0, 0)


def test_measure__page_that_is_too_wide_is_noticed(measured: dict[tuple[str, int], Measured]) -> None:
    assert measured["too wide", 1300].fits
    assert not measured["too wide", 400].fits


def test_measure__verdict_below_the_first_screen_is_noticed(
    measured: dict[tuple[str, int], Measured],
) -> None:
    assert not measured["late", 1300].opens_with_verdict
    assert not measured["too wide", 1300].opens_with_verdict, "it has no verdict"
