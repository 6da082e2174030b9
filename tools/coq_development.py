"""Compile the Coq development, check what its theorems rest on, and list them, for `make formal`.

The sources stay clean: everything is compiled in a copy below build/.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Iterable, Iterator, Sequence, Set
from pathlib import Path

from privboost.errors import PrivboostError
from privboost.proofs_check.coq_links.record import coq_files
from privboost.tables import Table

from . import ROOT

SOURCES = ROOT / "proofs_check" / "coq"
BUILD = ROOT / "build" / "coq"
MARK = "== "
CLOSED = "Closed under the global context"
FORBIDDEN = re.compile(
    r"\b(Admitted|admit|give_up|Axioms?|Parameters?|Conjectures?|Primitive|bypass_check|"
    r"Unset\s+(?:Guard|Positivity|Universe)\s+Checking|Type\s+In\s+Type)\b"
)
"""Words that leave a gap in a proof, or that switch off a check of Coq."""


class CoqError(PrivboostError, RuntimeError):
    """Report a Coq development that is incomplete, or does not compile."""


def source_names(folder: Path) -> list[str]:
    """Return the files that `_CoqProject` lists; every file of the folder must be among them."""
    listed = [line for line in read_lines(folder / "_CoqProject") if line.endswith(".v")]
    present = {path.relative_to(folder).as_posix() for path in coq_files(folder)}
    if set(listed) != present:
        raise CoqError(f"_CoqProject: expected the files {sorted(present)}, got {sorted(listed)}")
    return listed


def find_source(module: str, folder: Path = SOURCES) -> Path:
    """Return the file of a module of the development; its name is unique, whatever its folder."""
    (path,) = [path for path in coq_files(folder) if path.stem == module]
    return path


def without_comments(source: str) -> str:
    """Return Coq source without its comments, which may be nested."""
    kept, depth = [], 0
    for part in re.split(r"(\(\*|\*\))", source):
        depth += {"(*": 1, "*)": -1}.get(part, 0)
        if depth == 0 and part != "*)":
            kept.append(part)
    return " ".join(kept)


def gaps(folder: Path) -> list[str]:
    """Return "file: word" for every forbidden word in the sources."""
    return [
        f"{path.name}: {match.group()}"
        for path in coq_files(folder)
        for match in FORBIDDEN.finditer(without_comments(path.read_text("utf-8")))
    ]


def listed_theorems(folder: Path) -> dict[str, str]:
    """Return the description of each theorem of `theorems.txt`, by its name."""
    pairs = [line.split(maxsplit=1) for line in read_lines(folder / "theorems.txt")]
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        raise CoqError("theorems.txt: expected each theorem once")
    return {name: words.strip() for name, words in pairs}


def compile_sources(folder: Path, build: Path) -> None:
    """Copy the sources that changed to the build folder and compile them there."""
    names = source_names(folder)
    if any(path.relative_to(build).as_posix() not in names for path in coq_files(build)):
        shutil.rmtree(build)  # What was compiled from a file that has moved would be taken for the new one.
    build.mkdir(parents=True, exist_ok=True)
    for name in ("_CoqProject", *names):
        copy = build / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        if not copy.exists() or copy.read_bytes() != (folder / name).read_bytes():
            shutil.copyfile(folder / name, copy)
    run(["coq_makefile", "-f", "_CoqProject", "-o", "Makefile.coq"], build)
    run(["make", "--no-print-directory", "-f", "Makefile.coq", "-j", "2"], build)


def assumptions(theorems: Iterable[str], allowed: Set[str], build: Path) -> dict[str, frozenset[str]]:
    """Return the axioms that each theorem rests on, as Coq prints them.

    All are asked about together, and each by itself only if they rest on an axiom that is not allowed.
    """
    names = list(theorems)
    modules = sorted({name.partition(".")[0] for name in names})
    opening = f"From Privboost Require {' '.join(modules)}."
    (used,) = read_assumptions(answer([opening, together(names), *questions(["together"])], build)).values()
    if used <= allowed:
        return dict.fromkeys(names, used)
    return read_assumptions(answer([opening, *questions(names)], build))


def together(names: Sequence[str]) -> str:
    """Return the definition of the conjunction of some theorems."""
    return f"Definition together := {''.join(f'conj (@{name}) (' for name in names)}I{')' * len(names)}."


def questions(names: Iterable[str]) -> Iterator[str]:
    """Yield the commands that ask what theorems rest on; `read_assumptions` reads the answers."""
    for name in names:
        yield f'Goal True. idtac "{MARK}{name}". Abort. Print Assumptions {name}.'


def answer(lines: Sequence[str], build: Path, mode: str = "") -> str:
    """Return the output of Coq for a file with these lines, beside the compiled files of a folder.

    With the mode `-vos` it needs only the statements of the other files.
    """
    query = build / "query"
    query.mkdir(exist_ok=True)
    (query / "Query.v").write_text("\n".join(lines) + "\n", "utf-8")
    flags = ["-w", "-ambiguous-paths", "-R", "..", "Privboost", *filter(None, [mode])]
    return run(["coqc", *flags, "Query.v"], query)


def read_assumptions(printed: str) -> dict[str, frozenset[str]]:
    """Return the axioms of each theorem that was asked about."""
    axioms = {}
    for block in printed.split(MARK)[1:]:
        name, *lines = block.splitlines()
        if lines[:1] != [CLOSED] and lines[:1] != ["Axioms:"]:
            raise CoqError(f"Print Assumptions {name}: expected a list of axioms, got {lines[:1]}")
        axioms[name] = frozenset(line.split()[0] for line in lines[1:] if line[:1].strip())
    return axioms


def allowed_axioms(folder: Path) -> frozenset[str]:
    """Return the names of the axioms that `assumptions.txt` allows."""
    return frozenset(line.split()[0] for line in read_lines(folder / "assumptions.txt"))


def check(folder: Path, build: Path) -> Table:
    """Compile a development and return the table of its theorems; conforming if nothing is left open."""
    start = time.monotonic()
    compile_sources(folder, build)
    theorems = listed_theorems(folder)
    allowed = allowed_axioms(folder)
    used = assumptions(theorems, allowed, build)
    open_ends = [f"forbidden word in {gap}" for gap in gaps(folder)]
    open_ends += [f"{name} rests on {axiom}" for name in used for axiom in sorted(used[name] - allowed)]
    rows = tuple((name, words, _state(used[name], allowed)) for name, words in theorems.items())
    summary = f"{len(rows)} theorems in {len(source_names(folder))} files, {time.monotonic() - start:.0f} s"
    return Table(
        "formal", ("theorem", "says", "rests on"), rows, not open_ends, "; ".join([summary, *open_ends])
    )


def _state(used: Set[str], allowed: Set[str]) -> str:
    if used - allowed:
        return "OTHER AXIOMS"
    return "at most the real numbers" if used else "no axiom"


def read_lines(path: Path) -> list[str]:
    """Return the lines of a file that are neither empty nor comments."""
    lines = (line.strip() for line in path.read_text("utf-8").splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def run(command: list[str], folder: Path) -> str:
    """Return the output of a command of Coq; raise CoqError if it fails or is not installed."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise CoqError(f"{command[0]} is not installed: run `make coq`") from error
    if done.returncode:
        raise CoqError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    # coqchk writes its summary to the error stream.
    return done.stderr if command[0] == "coqchk" else done.stdout
