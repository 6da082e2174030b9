"""Write the record, the pages generated from it, and the totals in the README."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import resources
from pathlib import Path

from privboost.errors import UsageError
from privboost.files import write_files
from privboost.proofs_check.ledger import Judgement
from privboost.proofs_check.record import (
    RECORD,
    RECORDED_WITH,
    record,
    record_json,
    recorded_versions,
    versions_json,
)

from .errata import errata_page
from .ledger import counts_line, ledger_page

COUNTS_BEGIN, COUNTS_END = "<!-- ledger: begin -->", "<!-- ledger: end -->"


def write_record(judgements: Iterable[Judgement]) -> list[Path]:
    """Write the record, the pages and the counts in the README; return the paths.

    Requires: a checkout.
    """
    folder = Path(str(resources.files("privboost.proofs_check"))).resolve()
    root = folder.parent
    if not (root / "pyproject.toml").is_file():
        raise UsageError(f"expected a checkout, got an installed package in '{folder}'", argument="record")
    contents = {RECORD: record_json(judgements), RECORDED_WITH: versions_json()}
    paths = write_files(folder, {name: content.encode("utf-8") for name, content in contents.items()})
    record.cache_clear()
    recorded_versions.cache_clear()
    pages = {name: page.encode("utf-8") for name, page in documents().items()}
    readme = with_counts((root / "README.md").read_text("utf-8")).encode("utf-8")
    return [*paths, *write_files(root / "docs", pages), *write_files(root, {"README.md": readme})]


def documents() -> dict[str, str]:
    """Return the pages by the names of their files in docs/."""
    return {"ERRATA.md": errata_page(), "LEDGER.md": ledger_page()}


def with_counts(readme: str) -> str:
    """Return the README with the totals between its two marks."""
    before, begin, rest = readme.partition(COUNTS_BEGIN)
    _, end, after = rest.partition(COUNTS_END)
    if not begin or not end:
        raise UsageError(f"README.md: expected the marks {COUNTS_BEGIN} and {COUNTS_END}")
    return f"{before}{begin}\n{counts_line()}\n{end}{after}"
