"""What `make formal` holds fixed: the statements of all theorems, the axioms with their types, Headlines.v.

`RECORD=1` writes none of the three. Who changes what a theorem says changes one of them by hand.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from . import ROOT
from .coq_development import (
    BUILD,
    MARK,
    SOURCES,
    CoqError,
    answer,
    gaps,
    listed_theorems,
    read_lines,
    run,
    source_names,
    without_comments,
)

STATEMENTS = SOURCES / "statements.txt"
PAGE = ROOT / "docs" / "formal.md"
HEADLINES = "Headlines.headlines"
OPENING = """\
From Coq Require Import Reals List ZArith. Import ListNotations. Open Scope R_scope.
From Privboost Require {modules}.
Set Printing Width 1000000. Set Printing Depth 1000000."""


def flat(text: str) -> str:
    """Return a string with all white space reduced to single spaces."""
    return " ".join(text.split())


def find_coq_blocks(page: str) -> list[str]:
    """Return the blocks of Coq of a page."""
    return re.findall(r"```coq\n(.*?)```", page, re.DOTALL)


def text_faults(folder: Path = SOURCES, page: Path = PAGE) -> list[str]:
    """Return what is wrong with the sources as texts: gaps, quotations, Headlines.v, lists of theorems."""
    names = source_names(folder)
    sources = flat(" ".join(without_comments((folder / name).read_text("utf-8")) for name in names))
    blocks = find_coq_blocks(page.read_text("utf-8"))
    parts = [flat(part) for block in blocks for part in without_comments(block).split("\n\n")]
    faults = [f"forbidden word in {gap}" for gap in gaps(folder)]
    faults += [f"{page.name} quotes what no source has: {part}" for part in parts if part not in sources]
    if (folder / "Headlines.v").read_text("utf-8") not in blocks:
        faults.append(f"Headlines.v is not the one that {page.name} shows")
    listed, frozen = set(listed_theorems(folder)), set(frozen_statements(folder / "statements.txt"))
    faults += [
        f"{name} is in one of theorems.txt and statements.txt only" for name in sorted(listed ^ frozen)
    ]
    return faults


def modules_of_names(names: Iterable[str]) -> str:
    """Return the modules of qualified names, separated by spaces."""
    return " ".join(sorted({name.partition(".")[0] for name in names}))


def printed_statements(names: Iterable[str], build: Path, mode: str = "") -> dict[str, str]:
    """Return the closed statement of each theorem, as Coq prints it outside of all sections."""
    asked = list(names)
    lines = [OPENING.format(modules=modules_of_names(asked))]
    lines += [f'Goal True. idtac "{MARK}{name}". Abort. Check @{name}.' for name in asked]
    blocks = answer(lines, build, mode).split(MARK)[1:]
    return {block.split()[0]: " ".join(block.partition(" : ")[2].split()) for block in blocks}


def frozen_statements(path: Path = STATEMENTS) -> dict[str, str]:
    """Return the statements that are held fixed, by the name of their theorem."""
    return dict(line.split(" : ", 1) for line in read_lines(path))


def changed_statements(frozen: Mapping[str, str], printed: Mapping[str, str]) -> list[str]:
    """Return a sentence for each theorem whose statement is not the one that is held fixed."""
    return [
        f"{name} states something else: expected {expected!r}, got {got!r}; the whole statement is now\n"
        f"{name} : {printed.get(name)}"
        for name in sorted({*frozen, *printed})
        for expected, got in excerpts(frozen.get(name, ""), printed.get(name, ""))
    ]


def excerpts(expected: str, got: str, width: int = 60) -> Iterator[tuple[str, str]]:
    """Yield the parts of two strings around their first difference, if they differ."""
    if expected != got:
        pairs = enumerate(zip(expected, got, strict=False))
        same = next((index for index, (a, b) in pairs if a != b), min(len(expected), len(got)))
        yield expected[max(same - width, 0) : same + width], got[max(same - width, 0) : same + width]


def printed_axioms(name: str, build: Path) -> dict[str, str]:
    """Return the axioms that a theorem rests on, with their types."""
    lines = [OPENING.format(modules=modules_of_names([name])), f"Print Assumptions {name}."]
    printed = re.sub(r"\n\s+", " ", answer(lines, build).partition("Axioms:\n")[2])
    return dict(re.split(r"\s*:\s", line, maxsplit=1) for line in printed.splitlines() if " : " in line)


def foreign_axioms(allowed: Mapping[str, str], used: Mapping[str, str]) -> list[str]:
    """Return a sentence for each axiom that is not allowed, or has another type than the one allowed."""
    return [
        f"axiom {name} : {kind} is not one of assumptions.txt"
        for name, kind in sorted(used.items())
        if allowed.get(name) != kind
    ]


def allowed_axioms_with_types(folder: Path) -> dict[str, str]:
    """Return the axioms that assumptions.txt allows, with their types."""
    return dict(line.split(" : ", 1) for line in read_lines(folder / "assumptions.txt"))


def check_statements(folder: Path = SOURCES, build: Path = BUILD) -> str:
    """Raise CoqError if a statement or axiom is not the one that is held fixed; return a summary."""
    names = listed_theorems(folder)
    frozen = frozen_statements(folder / "statements.txt")
    changed = text_faults(folder) + changed_statements(frozen, printed_statements(names, build))
    axioms = printed_axioms(HEADLINES, build)
    changed += foreign_axioms(allowed_axioms_with_types(folder), axioms)
    if changed:
        raise CoqError("\n".join(changed))
    return f"{len(names)} statements and Headlines.v as held fixed; Headlines.v rests on {len(axioms)} axioms"


def recheck(folder: Path = SOURCES, build: Path = BUILD) -> str:
    """Let `coqchk` check Headlines.v and all that it needs once more, and what that rests on."""
    start = time.monotonic()
    printed = run(["coqchk", "-silent", "-o", "-R", ".", "Privboost", "Privboost.Headlines"], build)
    if faults := recheck_faults(printed, allowed_axioms_with_types(folder)):
        raise CoqError("\n".join(faults))
    return f"coqchk finds the same axioms, {time.monotonic() - start:.0f} s"


def recheck_faults(printed: str, allowed: Iterable[str]) -> list[str]:
    """Return what a summary of `coqchk` has beside the allowed axioms, or that it is no summary."""
    sections = dict(re.findall(r"^\* ([^:\n]+):(.*?)(?=^\*|\Z)", printed, re.MULTILINE | re.DOTALL))
    axioms = {".".join(name.split(".")[-2:]) for name in sections.pop("Axioms", "").split()}
    faults = [f"coqchk: expected the axioms {sorted(allowed)}, got {sorted(axioms)}"] * (
        axioms != set(allowed)
    )
    sections.pop("Theory", None)
    return faults + [
        f"coqchk: {title}: {said.strip()}" for title, said in sections.items() if "<none>" not in said
    ]
