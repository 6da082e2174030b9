"""`make hollow`: hollow out the Coq development in many ways, and see that each is refused.

What refuses is the texts (`text_faults`), Headlines.v, the statements and axioms that are held fixed, or the
links of the ledger; none of these is written by `make formal RECORD=1`.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from privboost.proofs_check.coq_links.files import Link, links_file
from privboost.proofs_check.coq_links.theorems import THEOREMS, read_rows
from privboost.tables import Format, Table, render

from .coq_development import (
    BUILD,
    SOURCES,
    CoqError,
    answer,
    compile_sources,
    listed_theorems,
    run,
    source_names,
)
from .coq_statements import (
    HEADLINES,
    allowed_axioms_with_types,
    changed_statements,
    foreign_axioms,
    frozen_statements,
    printed_axioms,
    printed_statements,
    text_faults,
)
from .hollowings import HOLLOWINGS, Hollowing

REQUIRED = re.compile(r"From Privboost Require\s+(?:Import\s+|Export\s+)?([\w\s]+)\.")
COMPILE = ["coqc", "-w", "none", "-R", ".", "Privboost"]


def hollow_out(hollowing: Hollowing, folder: Path) -> list[str]:
    """Copy the sources and the file of links, change them, and return the names of the changed files."""
    shutil.copytree(SOURCES, folder, dirs_exist_ok=True)
    shutil.copy(THEOREMS, folder)
    for change in hollowing.changes:
        path = folder / change.file
        text = path.read_text("utf-8")
        if text.count(change.old) != 1:
            count = text.count(change.old)
            raise CoqError(
                f"{hollowing.name}: expected {change.old!r} once in {change.file}, got {count} times"
            )
        path.write_text(text.replace(change.old, change.new), "utf-8")
    return list(dict.fromkeys(change.file for change in hollowing.changes))


def affected_by(changed: Sequence[str], folder: Path) -> list[str]:
    """Return the files that are changed or need a changed one, in the order of compilation."""
    affected: list[str] = []
    for name in source_names(folder):
        required = set(" ".join(REQUIRED.findall((folder / name).read_text("utf-8"))).split())
        if name in changed or required & {Path(other).stem for other in affected}:
            affected.append(name)
    return affected


def refusals(hollowing: Hollowing, folder: Path) -> Iterator[str]:
    """Yield the messages that refuse a hollowing.

    Unless it is one of texts, Coq must refuse it: the page that quotes the sources may have been changed too.
    """
    changed = hollow_out(hollowing, folder)
    if hollowing.of_texts:
        yield from text_faults(folder)
        return
    if "theorems.json" in changed:
        yield from _link_refusals(folder)
    affected = affected_by(changed, folder)
    if affected:
        yield from _coq_refusals(affected, folder, "" if hollowing.whole else "-vos")


def _link_refusals(folder: Path) -> Iterator[str]:
    for row in read_rows(folder / "theorems.json"):
        if row["entry"] == "th3P" and "statement" in row:
            link = Link(
                "th3P", row["statement"], f"intros; now apply @{row['theorem']}", "", theorem=row["theorem"]
            )
            modules = [Path(name).stem for name in source_names(SOURCES)]
            try:
                answer(links_file([link], modules), BUILD)
            except CoqError as error:
                yield first_error(str(error))


def _coq_refusals(affected: Sequence[str], folder: Path, mode: str) -> Iterator[str]:
    for name in source_names(folder):
        if name not in affected:
            for suffix in (".vo", ".vos"):
                (folder / name).with_suffix(suffix).symlink_to((BUILD / name).with_suffix(suffix))
            continue
        try:
            run([*COMPILE, *filter(None, [mode]), name], folder)
        except CoqError as error:
            if name != "Headlines.v":
                raise CoqError(f"a hollowing must compile, but {name}: {error}") from error
            yield f"Headlines.v, {place_of(str(error), folder)}: {first_error(str(error))}"
            return
    modules = {Path(name).stem for name in affected}
    names = [name for name in listed_theorems(folder) if name.partition(".")[0] in modules]
    held = frozen_statements(folder / "statements.txt")
    frozen = {name: text for name, text in held.items() if name in names}
    yield from changed_statements(frozen, printed_statements(names, folder, mode))
    if not mode:
        yield from foreign_axioms(allowed_axioms_with_types(folder), printed_axioms(HEADLINES, folder))


def first_error(printed: str) -> str:
    """Return the error of an output of Coq, on one line."""
    return " ".join(printed.partition("Error:")[2].split())


def place_of(printed: str, folder: Path) -> str:
    """Return the definition or theorem of Headlines.v in which Coq reports an error."""
    line = int(re.findall(r'File "\./Headlines\.v", line (\d+)', printed)[0])
    lines = (folder / "Headlines.v").read_text("utf-8").splitlines()[:line]
    (*_, nearest) = (text for text in lines if text.startswith(("Check", "Definition", "Theorem", "Example")))
    return nearest.removeprefix("Check (eq_refl : ").partition(" :")[0].partition(").")[0]


def main() -> int:
    """Try every hollowing; return 0 if each is refused."""
    compile_sources(SOURCES, BUILD)
    asked = [
        hollowing
        for hollowing in HOLLOWINGS
        if not sys.argv[1:] or any(word in hollowing.name for word in sys.argv[1:])
    ]
    rows = []
    for hollowing in asked:
        with tempfile.TemporaryDirectory() as folder:
            message = next(refusals(hollowing, Path(folder)), "")
        rows.append((hollowing.name, message[:300] or "NOT REFUSED"))
        print(f"{rows[-1][0]}\n    {rows[-1][1]}", file=sys.stderr, flush=True)
    missed = sum(message == "NOT REFUSED" for _, message in rows)
    summary = f"{len(rows) - missed} of {len(rows)} hollowings refused"
    table = Table("hollowings", ("hollowing", "refused by"), tuple(rows), not missed, summary)
    print(render(table, Format.TEXT))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
