"""Links between paper and code: cited labels exist, and definitions are implemented."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from privboost.oracle_tests.support.checkout import ROOT
from privboost.oracle_tests.support.paper_index import (
    DISPLAYS,
    INDEX,
    NO_PAPER,
    REFERENCES,
    canonical,
    displays_of,
    index_of,
    known_labels,
    paper_path,
    references_of,
)

FOLDERS = ("reference", "symbolic", "proofs_check")
MECHANISMS = frozenset(
    {
        "defLOSSGENPROB",
        "defLOSSGENR",
        "defMECH",
        "defNW",
        "defPF",
        "defDELTA1",
        "defwun",
        "defwunMF",
        "eqpartialloss",
        "expSPLIT",
        "expSPLIT2",
        "fixALPHA",
        "fixEPSILON",
        "gensen",
        "negent",
        "pbr",
        "predDT",
        "propCSUR",
        "wladef1",
    }
)
"""Equations of the paper that define a quantity or a mechanism."""

_PAPER_LINE = re.compile(r"^\s*Paper: (.*)$", re.MULTILINE)
_LABEL = re.compile(r"[A-Za-z][A-Za-z0-9:-]*[A-Za-z0-9]")


def parse_labels(docstring: str) -> Iterator[str]:
    """Yield the labels of a docstring's `Paper:` line, up to its first full stop, without brackets."""
    for line in _PAPER_LINE.findall(docstring):
        first = re.split(r"\. |,? errat(?:um|a) ", line)[0].rstrip(".")
        for part in re.sub(r" \([^)]*\)?", "", first).split(", "):
            yield part if _LABEL.fullmatch(part) else f"unreadable: {part}"


def citations() -> dict[str, list[str]]:
    """Return every label cited in the source, with the paths of the files that cite it."""
    paths: dict[str, list[str]] = {}
    for path in sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                for label in parse_labels(ast.get_docstring(node) or ""):
                    paths.setdefault(label, []).append(path.relative_to(ROOT).as_posix())
    return paths


def test_labels__every_cited_label_exists_in_the_paper() -> None:
    known = known_labels()
    cited_labels = citations()
    assert len(cited_labels) > 20
    assert {label: paths for label, paths in cited_labels.items() if label not in known} == {}


def test_labels__every_definition_algorithm_and_mechanism_is_implemented() -> None:
    environments = {"definition", "algorithm"}
    wanted = {label for label, entry in known_labels().items() if entry["environment"] in environments}
    assert len(wanted) >= 6
    assert (wanted | MECHANISMS) - set(citations()) == set()


@pytest.mark.parametrize(
    ("index", "read"), [(INDEX, index_of), (DISPLAYS, displays_of), (REFERENCES, references_of)]
)
def test_labels__index_equals_that_of_the_paper(index: Path, read: Callable[[str], Any]) -> None:
    path = paper_path()
    if path is None:
        pytest.skip(NO_PAPER)
    assert index.read_text("utf-8") == canonical(read(path.read_text("utf-8")))


def test_labels__wrong_references_are_noticed() -> None:
    source = (
        "\\begin{lemma}\\label{a}\\end{lemma}\n\\section*{b}\\label{b}\nLemma \\ref{a}, Theorem\n\\ref{a}, "
        "Section \\ref{b}\n\\label{a}"
    )
    assert references_of(source) == {
        "another kind": [["a", 4]],
        "no number": [["b", 4]],
        "twice": [["a", 1, 5]],
    }


def test_labels__displays_are_read_with_their_nesting() -> None:
    source = (
        "\\begin{lemma}\nx\n\\begin{eqnarray*}\n\\end{eqnarray*}\n\\end{lemma}\n\\begin{center}\\end{center}"
    )
    assert displays_of(source) == [
        {"kind": "lemma", "begin": 1, "end": 5},
        {"kind": "eqnarray*", "begin": 3, "end": 4},
    ]


@pytest.mark.parametrize("source", ["\\begin{lemma}", "\\end{lemma}", "\\begin{lemma}\\end{table}"])
def test_labels__unmatched_displays_are_rejected(source: str) -> None:
    with pytest.raises(ValueError, match="display"):
        displays_of(source)


@pytest.mark.parametrize(
    ("docstring", "labels"),
    [
        ("Do.\n\nPaper: th3P.", ["th3P"]),
        ("Do.\n\nPaper: sec:def (losses), f-alphaM. More words, here.", ["sec:def", "f-alphaM"]),
        ("Do.\n\nPaper: defMatsualpha, errata malpha-factor and tie-at-half.", ["defMatsualpha"]),
        ("Do.\n\nPaper: some words.", ["unreadable: some words"]),
        ("Do.", []),
    ],
)
def test_labels__reader_of_docstrings(docstring: str, labels: list[str]) -> None:
    assert list(parse_labels(docstring)) == labels
