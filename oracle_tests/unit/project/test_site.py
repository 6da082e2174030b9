"""The site is built without a warning, loads nothing and has no dead link; tutorials print what they show."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from privboost.oracle_tests.support.browser import Measured, find_browser, measure
from privboost.proofs_check.entry import Verdict
from privboost.proofs_check.ledger import entries
from privboost.proofs_check.record import record
from tools.sessions import differences
from tools.site import RUN, build, dead_links, loaded_from_network, read_pages

MEASURED = (
    "index",
    "LEDGER",
    "ERRATA",
    "tutorial_theorem",
    "gate_protocol",
    "fast_results",
    "sharp_edges",
    "api_fast",
)
"""Pages that are measured in a browser: those with the widest tables, code, formulas and names."""
WIDTHS = (1300, 400)
PLANTED = """<p id="here"><a href="#here">right</a><a href="other.html#there">right</a><a href="https://example.org">away</a>
<a href="#nowhere">1</a><a href="missing.html">2</a><a href="other.html#nowhere">3</a>
<img src="missing.png"></p>"""
LOADING = """<link rel="stylesheet" href="//example.org/a.css"><script src="https://example.org/b.js"></script>
<a href="https://example.org">away</a><script src="c.js"></script>"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Return the folder of the site, and the warnings of Sphinx."""
    folder = tmp_path_factory.mktemp("site")
    return folder, build(folder)


@pytest.mark.slow
def test_site__is_built_without_a_warning(site: tuple[Path, str]) -> None:
    assert site[1] == ""


@pytest.mark.slow
def test_site__has_no_dead_links(site: tuple[Path, str]) -> None:
    assert dead_links(site[0]) == []
    assert sum(len(page.links) for page in read_pages(site[0]).values()) > 1000


@pytest.mark.slow
def test_site__loads_nothing_from_the_network(site: tuple[Path, str]) -> None:
    assert list(loaded_from_network(site[0])) == []


@pytest.mark.slow
def test_site__every_claim_has_an_anchor_and_is_searchable(site: tuple[Path, str]) -> None:
    index = (site[0] / "searchindex.js").read_text("utf-8")
    book = (page for path, page in read_pages(site[0]).items() if path.parent.name == "book")
    anchors = [anchor for page in book for anchor in page.anchors if anchor.startswith("claim-")]
    assert sorted(anchors) == sorted(f"claim-{key.replace(':', '-')}" for key in entries())
    assert [key for key in entries() if f'"{key.rpartition(".")[2]}"' not in index] == []


@pytest.mark.slow
def test_site__public_names_have_their_docstrings(site: tuple[Path, str]) -> None:
    pages = {path.name: page.anchors for path, page in read_pages(site[0]).items()}
    assert "privboost.fast.PrivateBoostedTreesClassifier.fit" in pages["api_fast.html"]
    assert "privboost.auditor.audit" in pages["api_auditor.html"]


@pytest.mark.slow
def test_site__formulas_are_markup(site: tuple[Path, str]) -> None:
    page = (site[0] / "tutorial_theorem.html").read_text("utf-8")
    assert page.count("<math") >= 3


@pytest.fixture(scope="module")
def measured(site: tuple[Path, str], tmp_path_factory: pytest.TempPathFactory) -> list[Measured]:
    """Return the measurements of pages of the site."""
    browser = find_browser()
    if browser is None:
        pytest.skip(
            "no browser is installed; the site is measured where chromium is, such as Debian's package"
        )
    pages: dict[str, str | Path] = {name: site[0] / f"{name}.html" for name in MEASURED}
    searches = ("thBoostDT1.all-splittable refuted", "no claim has these words", "")
    return measure(browser, pages, WIDTHS, tmp_path_factory.mktemp("browser"), searches)


@pytest.mark.slow
def test_site__pages_fit_and_open_with_their_titles(measured: list[Measured]) -> None:
    assert len(measured) == len(MEASURED) * len(WIDTHS)
    assert [page for page in measured if not page.fits or page.cut or not page.opens_with_verdict] == []


@pytest.mark.slow
def test_site__code_keeps_its_indentation_and_can_be_copied(measured: list[Measured]) -> None:
    assert [page for page in measured if page.wrapped] == []
    (tutorial, _) = (page.copied for page in measured if page.page == "tutorial_theorem")
    assert "privboost prove thBoostDT1\n" in tutorial, "a command without its prompt and its output"
    assert any("\nfor _ in range(73):\n    weights.append(" in code for code in tutorial)
    (api, _) = (page.copied for page in measured if page.page == "api_fast")
    assert any("import PrivateBoostedTreesClassifier\n" in code for code in api)
    assert not any(line.startswith(">>>") for code in api for line in code.splitlines())


@pytest.mark.slow
def test_site__refuted_claim_leads_to_its_witness_and_correction(site: tuple[Path, str]) -> None:
    page = (site[0] / "LEDGER.html").read_text("utf-8")
    rows = re.findall(r'<tr[^>]*id="(row-[^"]*)">(.*?)</tr>', page, re.DOTALL)
    refuted = {anchor: row for anchor, row in rows if "verdict-refuted" in row}
    assert len(refuted) == sum(recorded.verdict is Verdict.REFUTED for recorded in record().values())
    assert [anchor for anchor, row in refuted.items() if 'href="ERRATA.html#error-' not in row] == []
    links = re.findall(r'href="([^"]*)"', refuted["row-thBoostDT1"])
    claims = [f"book/section5_trees.html#claim-{key}" for key in ("thBoostDT1", "boost.theorem")]
    assert links == [*claims, "ERRATA.html#error-thBoostDT1"]
    step = 'href="book/section5_trees.html#claim-boost.theorem.step"'
    assert step in dict(rows)["row-boost.theorem"], "what a proof rests on"


@pytest.mark.slow
def test_site__keys_are_links_on_every_page(site: tuple[Path, str]) -> None:
    for page in ("ERRATA", "tutorial_theorem", "fast"):
        text = (site[0] / f"{page}.html").read_text("utf-8")
        assert re.search(r'href="book/section[^"#]*#claim-', text), page


@pytest.mark.slow
def test_site__ledger_shows_the_claims_that_have_all_words(measured: list[Measured]) -> None:
    hits = [page.hits for page in measured if page.page == "LEDGER"]
    assert hits == [[1, 0, len(entries())]] * len(WIDTHS)


def test_links__dead_ones_are_noticed(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(PLANTED)
    (tmp_path / "other.html").write_text('<p id="there"></p>')
    dead = ["#nowhere", "missing.html", "other.html#nowhere", "missing.png"]
    assert dead_links(tmp_path) == [f"page.html: {link}" for link in dead]


def test_links__loading_from_the_network_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(LOADING)
    (tmp_path / "page.css").write_text('@import "https://example.org/c.css"; p { background: url(d.png) }')
    assert len(list(loaded_from_network(tmp_path))) == 3


def test_build__dead_link_in_a_page_is_reported(tmp_path: Path) -> None:
    (tmp_path / "conf.py").write_text('extensions = ["myst_parser"]\n')
    (tmp_path / "index.md").write_text("# Title\n\n[nothing](missing.md)\n")
    assert "missing.md" in build(tmp_path / "site", tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("page", RUN, ids=lambda page: page.stem)
def test_tutorials__print_what_they_show(page: Path, tmp_path: Path) -> None:
    assert list(differences(page.read_text("utf-8"), tmp_path)) == []


def test_tutorials__other_output_is_noticed(tmp_path: Path) -> None:
    page = "```python\n# one.py\nprint(1)\n```\n\n```console\n$ python one.py\n2\n```\n"
    assert list(differences(page, tmp_path)) == ["$ python one.py\n1\n"]
