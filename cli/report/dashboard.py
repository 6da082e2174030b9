"""The first screen of the report: what was checked, what came out, and what was not checked."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import privboost
from privboost import __version__
from privboost.pages import Html, code, element, join
from privboost.proofs_check.entry import Verdict
from privboost.proofs_check.pages.errata import explain_counts
from privboost.proofs_check.pages.first_page import FINDINGS
from privboost.proofs_check.pages.texts import PAPER_AUTHORS, PAPER_TITLE, PAPER_VERSION
from privboost.proofs_check.record import record, recorded_versions

from .part import ReportPart, bad, good, parts_table

TITLE = "privboost report"
LINES = "Lines and labels are those of its TeX source."
SHORTEST_HEADLINE = 60
"""Minimum length of an error on the dashboard; one sentence may not be enough to say it."""


def dashboard(parts: Sequence[ReportPart], today: date) -> Html:
    """Return the header of the page: verdicts, counts, the main errors of the paper, and the limits."""
    judged = [part for part in parts if part.as_expected is not None]
    wrong = [part.section.title for part in judged if not part.as_expected]
    return element(
        "header",
        element("h1", TITLE),
        element("p", f"{today.isoformat()}, version {__version__}, {source()}", class_="soft"),
        element("p", f"The paper: {PAPER_AUTHORS}, {PAPER_TITLE}, {PAPER_VERSION}. {LINES}", class_="soft"),
        element("p", *_paper_verdict(), class_="verdict"),
        element("p", *_own_verdict(wrong, len(judged)), class_="verdict"),
        parts_table("What was checked for this page.", parts),
        element("h2", "What is wrong with the paper"),
        element("ol", *(element("li", *_headline(key, finding.wrong)) for key, finding in FINDINGS.items())),
        element("h2", "What was not checked"),
        element("ul", *(element("li", line) for line in _limits())),
    )


def source() -> str:
    """Return the commit of a checkout, or that the package is an installed one."""
    root = Path(privboost.__file__).resolve().parent.parent
    if not (root / "pyproject.toml").is_file():
        return "an installed package"
    try:
        commit = _git(root, "rev-parse", "--short=10", "HEAD")
        changed = _git(root, "status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.CalledProcessError):
        return "a checkout without a known commit"
    return f"commit {commit}" + (", with changes that are not committed" if changed else "")


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def _paper_verdict() -> tuple[object, ...]:
    return bad("the paper"), f" does not hold as printed. {explain_counts()}"


def _own_verdict(wrong: Sequence[str], count: int) -> tuple[object, ...]:
    if wrong:
        return bad("privboost"), f" is not as expected in {len(wrong)} of {count} parts: {', '.join(wrong)}."
    return good("privboost"), f" is as expected in all {count} parts that were checked."


def _headline(key: str, text: str) -> tuple[object, ...]:
    """Return the beginning of a headline, with its code marked as such, and the key of its claim."""
    chosen = ""
    for sentence in re.split(r"(?<=\.) (?=[A-Z])", text):
        chosen = f"{chosen} {sentence}".strip()
        if len(chosen) >= SHORTEST_HEADLINE:
            break
    pieces = re.split(r"`([^`]+)`", chosen)
    marked = [code(piece) if position % 2 else piece for position, piece in enumerate(pieces)]
    return *marked, " ", element("a", key, href=f"#error-{key}", class_="place")


def _limits() -> list[str]:
    """Return the limits of the page, with the counts of the record."""
    counts = Counter(recorded.verdict for recorded in record().values())
    versions = " and ".join(f"{name} {version}" for name, version in recorded_versions().items())
    verdicts = (
        f"The {len(record()):,} verdicts were not computed for this page. They are those on record, judged "
        f"with {versions}; no claim has changed since. privboost prove computes them again."
    )
    others = (
        f"{counts[Verdict.EXTERNAL]} claims are results of other papers, taken from there, and "
        f"{counts[Verdict.NOTATION]} are definitions; neither can be proved or refuted."
    )
    privacy = (
        "Privacy is checked exactly for the first tree, and for the second one of the default learner, on "
        "samples of three examples with two binary attributes. An audit can refute a claim of ε; it never "
        "shows that a mechanism is private."
    )
    return [
        verdicts,
        "That a claim in our words and formulas is what the paper means: only readers can compare them.",
        others,
        privacy,
        "The gate compares answers at chosen points and random ones, not for all inputs.",
        "The experiments of the paper were not run for this page.",
        "Time, memory and messages as channels, and the generator of random bits of the computer.",
    ]


def fold(summary: object, *content: object) -> Html:
    """Return content that opens when its summary is clicked."""
    return element("details", element("summary", summary), join(content))
