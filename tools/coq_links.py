"""`make formal`: check the Coq development, and prove the formulas of the ledger that are linked with it.

With `--record`, try again which entries Coq can prove along their own proofs, and write the record of links.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from privboost.proofs_check.coq_links.files import (
    DEFINED,
    Every,
    Link,
    all_links,
    definedness,
    links_file,
    trial_file,
    with_outcome,
)
from privboost.proofs_check.coq_links.record import RECORD, record_json, recorded_links
from privboost.proofs_check.ledger import entries
from privboost.tables import Format, render

from .coq_budgets import goals
from .coq_development import (
    BUILD,
    SOURCES,
    CoqError,
    allowed_axioms,
    answer,
    check,
    questions,
    read_assumptions,
    source_names,
    together,
)
from .coq_statements import check_statements, recheck


def modules_of(folder: Path) -> list[str]:
    """Return the names of the modules of a development."""
    return [Path(name).stem for name in source_names(folder)]


def record(folder: Path, build: Path) -> None:
    """Write the record of the links that Coq proves."""
    modules = modules_of(folder)
    candidates = all_links(entries(), Every())
    proved = with_outcome(
        candidates, answer(trial_file(candidates, modules, controls=False), build), "proved"
    )
    links = with_outcome(proved, answer(trial_file(proved, modules, controls=True), build), "open")
    RECORD.write_text(record_json({link.name: link.digest for link in links}, folder), "utf-8")
    recorded_links.cache_clear()


def differences(links: Sequence[Link], recorded: Mapping[str, str]) -> list[str]:
    """Return the names of the links that are not those of the record."""
    digests = {link.name: link.digest for link in links}
    return sorted(name for name in {*digests, *recorded} if digests.get(name) != recorded.get(name))


def prove(links: Sequence[Link], folder: Path, build: Path) -> None:
    """Let Coq prove links, from axioms that are allowed, and fail to prove their controls."""
    names = [link.coq_name for link in links]
    lines = [*links_file(links, modules_of(folder)), together(names), *questions(["together"])]
    (used,) = read_assumptions(answer(lines, build)).values()
    if others := sorted(used - allowed_axioms(folder)):
        raise CoqError(f"the links rest on other axioms: {', '.join(others)}")


def check_links(folder: Path, build: Path) -> str:
    """Prove the recorded links; raise CoqError if one has changed or fails. Return a summary."""
    start = time.monotonic()
    links = all_links(entries(), recorded_links())
    if changed := differences(links, recorded_links()):
        raise CoqError(f"the record of links differs: {', '.join(changed)}; run `make formal RECORD=1`")
    prove(links, folder, build)
    controls = sum(len(link.controls) for link in links)
    linked = {link.name.partition("::")[0] for link in links}
    return (
        f"{len(linked)} entries linked, {controls} controls not proved, "
        f"{definedness_counts(links)}, {time.monotonic() - start:.0f} s"
    )


def definedness_counts(links: Sequence[Link]) -> str:
    """Return how many of the linked formulas with divisors, roots or logarithms Coq shows to be defined."""
    names = {link.name for link in links}
    claims = {key: entry.whole_claim for key, entry in entries().items() if key in names}
    partial = [key for key, claim in claims.items() if claim is not None and definedness(key, claim)[0]]
    shown = sum(key + DEFINED in names for key in partial)
    return f"{shown} of {len(partial)} formulas with divisors, roots or logarithms shown to be defined"


def main() -> int:
    """Check the development, its links with the ledger, and the budgets of `privboost.fast`."""
    try:
        table = check(SOURCES, BUILD)
        if "--record" in sys.argv[1:]:
            record(SOURCES, BUILD)
        held = check_statements(SOURCES, BUILD)
        linked = check_links(SOURCES, BUILD)
        answer(goals(), BUILD)
        checked = recheck(SOURCES, BUILD)
    except CoqError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write("\n".join([render(table, Format.TEXT), held, linked, checked]) + "\n")
    return 0 if table.conforming else 1


if __name__ == "__main__":
    sys.exit(main())
