"""The record of what Coq has proved: digests of claims with their theorems, and a digest of the Coq sources.

`make formal` compiles the links again and compares; without Coq, drift is noticed by the digests.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from privboost.proofs_check.kernel.terms import Claim

from .statements import proposition

SOURCES = Path(__file__).parents[1] / "coq"
RECORD = Path(__file__).parent / "links.json"


def digest(*parts: str) -> str:
    """Return a digest of some strings."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]


def link_digest(claim: Claim, theorem: str, tactic: str, statement: str) -> str:
    """Return the digest of a link between a claim and a theorem."""
    return digest(proposition(claim), theorem, tactic, statement)


def sources_digest(folder: Path) -> str:
    """Return the digest of the Coq files of a development, by their names; folders do not count."""
    paths = sorted(coq_files(folder), key=lambda path: path.name)
    return digest(*(part for path in paths for part in (path.name, path.read_text("utf-8"))))


def coq_files(folder: Path) -> list[Path]:
    """Return the Coq files of a development, sorted by path; programs that use it are not part of it."""
    return sorted(path for path in folder.rglob("*.v") if path.parent.name not in ("extraction", "query"))


@cache
def recorded_links() -> Mapping[str, str]:
    """Return the digest of every link, by its name.

    An installed package has no Coq sources; in a checkout nothing counts as linked if they have changed.
    """
    record = json.loads(RECORD.read_text("utf-8"))
    if SOURCES.is_dir() and record["sources"] != sources_digest(SOURCES):
        return {}
    links: dict[str, str] = record["links"]
    return links


def record_json(links: Mapping[str, str], folder: Path) -> str:
    """Return the text of the record."""
    return json.dumps({"sources": sources_digest(folder), "links": dict(links)}, indent=1) + "\n"
