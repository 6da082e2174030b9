"""The index of the ledger: the module of every entry, so that judging one loads only the modules it needs.

`index.json` holds for the sources whose digest it has. After any change of the claims all modules are loaded,
until `privboost prove --record` has written the index again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path

from privboost.errors import HarnessError
from privboost.proofs_check.claims import SECTIONS

from .entry import Entry, Symbols
from .proofs import Smt

INDEX = "index.json"
FOLDER = Path(__file__).parent
CLAIMS = "privboost.proofs_check.claims"


@dataclass(frozen=True, slots=True)
class Location:
    """The module of an entry, by its name in `claims`, and the labels of the paper that the entry covers."""

    module: str
    labels: tuple[str, ...]


@cache
def locations() -> Mapping[str, Location]:
    """Return the location of every entry by key, in the order of the modules of claims."""
    index = json.loads((FOLDER / INDEX).read_text("utf-8"))
    if index["sources"] != sources_digest():
        return compute_locations()
    return {
        key: Location(module, tuple(labels))
        for module, keys in index["modules"].items()
        for key, labels in keys.items()
    }


def compute_locations() -> dict[str, Location]:
    """Return the location of every entry by key, after loading all modules of claims."""
    located: dict[str, Location] = {}
    for module in module_names():
        for key, entry in load_entries(module).items():
            if key in located:
                raise HarnessError(f"two entries have the key '{key}'")
            located[key] = Location(module, entry.labels)
    return located


def module_names() -> Iterator[str]:
    """Yield the names of the modules whose `ENTRIES` make up the ledger, in the order of the paper."""
    for section in SECTIONS:
        yield from (f"{section}.{name}" for name in import_module(f"{CLAIMS}.{section}").MODULES)
    yield "misprints"


@cache
def load_entries(module: str) -> Mapping[str, Entry]:
    """Return the entries of a module of claims by key."""
    entries: dict[str, Entry] = {}
    for entry in import_module(f"{CLAIMS}.{module}").ENTRIES:
        if entry.key in entries:
            raise HarnessError(f"two entries have the key '{entry.key}'")
        entries[entry.key] = _complete_entry(entry)
    return entries


def find_symbols(key: str) -> Symbols:
    """Return the declared symbols of the section of an entry; none for an entry that is in no section."""
    section = locations()[key].module.rpartition(".")[0] if key in locations() else ""
    symbols: Symbols = import_module(f"{CLAIMS}.{section}").SYMBOLS if section else Symbols("")
    return symbols


def _complete_entry(entry: Entry) -> Entry:
    """Return an entry with what it leaves out: its label, the line of the label, the proof by z3.

    The label is the first part of the key where the paper has such a label.
    """
    first = entry.key.split(".")[0]
    label = entry.label or (first if first in label_lines() else None)
    line = entry.line or label_lines().get(label or "")
    asked = entry.claim is not None and not entry.proofs and entry.refutation is None
    return replace(entry, label=label, line=line, proofs=(Smt(),) if asked else entry.proofs)


@cache
def label_lines() -> Mapping[str, int]:
    """Return the line of every label of the paper."""
    labels = json.loads((FOLDER / "paper_labels.json").read_text("utf-8"))
    return {label: row["line"] for label, row in labels.items()}


def sources_digest() -> str:
    """Return the digest of everything that the index depends on: the claims and the labels of the paper."""
    paths = [*sorted((FOLDER / "claims").rglob("*.py")), FOLDER / "paper_labels.json"]
    return sha256(b"\0".join(path.read_bytes() for path in paths)).hexdigest()[:24]


def index_json() -> str:
    """Return the content of the index file for the claims as they are."""
    modules: dict[str, dict[str, list[str]]] = {}
    for key, location in compute_locations().items():
        modules.setdefault(location.module, {})[key] = list(location.labels)
    return json.dumps({"sources": sources_digest(), "modules": modules}, indent=1) + "\n"
