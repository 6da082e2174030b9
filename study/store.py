"""Storage of outcomes in an SQLite file; transactions keep stored outcomes if a run is killed.

Every row ends with a digest of the seed and its values, so that altered values are noticed.
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import astuple, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TextIO, TypeVar

from privboost.errors import PreconditionError, UsageError
from privboost.printing import SHOWN, format_value
from privboost.strict_json import JsonValue, parse

from .grid import CHOICES, FOLDS, NAMES, Configuration
from .outcome import FoldErrors

T = TypeVar("T")

FORMAT = "2"
DIGITS = 16
"""Number of hexadecimal digits of a digest."""
NUMBERS_OF_DOMAIN = ("size", "features", "majority_error")
MOST_ROWS, MOST_SECONDS = 1 << 53, 1e9
"""Greatest values that are believed."""

SCHEMA = """
CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS domain (
    name TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, size INTEGER NOT NULL, features INTEGER NOT NULL,
    majority_error REAL NOT NULL, fold_sizes TEXT NOT NULL, digest TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS outcome (
    key TEXT PRIMARY KEY, wrong TEXT NOT NULL, leaves REAL NOT NULL, depth REAL NOT NULL,
    seconds REAL NOT NULL, digest TEXT NOT NULL) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class DomainRecord:
    """The description of a data set in a store; it holds none of the rows."""

    name: str
    fingerprint: str
    size: int
    features: int
    majority_error: float
    fold_sizes: tuple[int, ...]


class Store:
    """Outcomes by configuration, for one seed and fixed data."""

    def __init__(self, connection: sqlite3.Connection, path: Path, lock: TextIO | None) -> None:
        self._connection, self._path, self._lock = connection, path, lock

    @cached_property
    def _seed(self) -> str | None:
        return self.about("seed")

    @classmethod
    @contextmanager
    def for_run(cls, path: Path, seed: int) -> Iterator[Store]:
        """Open a store for writing, and create it if it is missing; only one run can hold it."""
        _check_path(path)
        with _lock(path) as lock, _connect(path) as connection:
            store = cls(connection, path, lock)
            with _explain_errors(path):
                if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                    # Reject a database of another program before writing to it.
                    store._check_format()
                connection.execute("PRAGMA journal_mode = WAL")
                connection.executescript(SCHEMA)
            store._agree("format", FORMAT)
            store._agree("seed", str(seed))
            try:
                yield store
            finally:
                # Merge the log into the main file, so that it can be copied or read from a read-only folder.
                # This fails while another process reads the store; the next run does it then.
                with suppress(sqlite3.Error):
                    connection.execute("PRAGMA journal_mode = DELETE")

    @classmethod
    @contextmanager
    def for_reading(cls, path: Path) -> Iterator[Store]:
        """Open an existing store for reading, also while a run writes to it."""
        if not path.is_file():
            raise UsageError(f"store: expected a file made by `privboost study run`, got no file '{path}'")
        with _connect(path, "?mode=ro") as connection:
            store = cls(connection, path, None)
            store._check_format()
            yield store

    def _check_format(self) -> None:
        """Reject a database that is not a store of the current format."""
        if self.about("format") != FORMAT:
            raise UsageError(f"store: expected format {FORMAT}, got {self.about('format')} in '{self._path}'")

    def about(self, name: str) -> str | None:
        """Return a named property of the store, or None."""
        with _explain_errors(self._path):
            row = self._connection.execute("SELECT value FROM about WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def keep_domain(self, record: DomainRecord) -> None:
        """Store the description of a data set.

        Ensures: UsageError if the store has outcomes of other data by that name.
        """
        known = {other.name: other for other in self.domains()}.get(record.name)
        if known is not None and known.fingerprint != record.fingerprint:
            raise UsageError(
                f"store: expected outcomes of the same '{record.name}', got other data in '{self._path}'; "
                "choose another store"
            )
        row = self._seal((*astuple(record)[:-1], json.dumps(record.fold_sizes)))
        with _explain_errors(self._path), self._connection:
            self._connection.execute("INSERT OR IGNORE INTO domain VALUES (?, ?, ?, ?, ?, ?, ?)", row)

    def domains(self) -> list[DomainRecord]:
        """Return the descriptions of all data sets."""
        with _explain_errors(self._path):
            rows = self._connection.execute("SELECT * FROM domain ORDER BY rowid").fetchall()
        with self._refusing_damage():
            return [self._check_seal(_read_domain(row[:-1]), row) for row in rows]

    def add(self, outcomes: Iterable[FoldErrors]) -> None:
        """Store outcomes in one transaction."""
        rows = [
            self._seal((o.configuration.key, json.dumps(o.mistakes), o.leaves, o.depth, o.seconds))
            for o in outcomes
        ]
        with _explain_errors(self._path), self._connection:
            self._connection.executemany("INSERT INTO outcome VALUES (?, ?, ?, ?, ?, ?)", rows)

    def keys(self) -> set[str]:
        """Return the keys of all stored configurations."""
        with _explain_errors(self._path):
            return {row[0] for row in self._connection.execute("SELECT key FROM outcome")}

    def outcomes(self) -> Iterator[FoldErrors]:
        """Yield all outcomes, in the order of their keys."""
        with _explain_errors(self._path):
            domains = {record.name: record for record in self.domains()}
            for row in self._connection.execute("SELECT * FROM outcome ORDER BY key"):
                with self._refusing_damage():
                    outcome = self._check_seal(_read_outcome(row[:-1], domains), row)
                yield outcome

    def _seal(self, row: Sequence[Any]) -> tuple[Any, ...]:
        """Return a row with its digest."""
        values = [float(value) if isinstance(value, float) else value for value in row]
        content = json.dumps([self._seed, *values]).encode("ascii")
        return (*values, hashlib.sha256(content).hexdigest()[:DIGITS])

    def _check_seal(self, read: T, row: Sequence[Any]) -> T:
        """Return an entry that was read from a row, if the digest of the row is right."""
        if self._seal(row[:-1]) != tuple(row):
            raise PreconditionError(f"row {format_value(row[0])}", "its digest", format_value(row[-1]))
        return read

    @contextmanager
    def _refusing_damage(self) -> Iterator[None]:
        """Turn the refusal of a value into a UsageError that names the store."""
        try:
            yield
        except PreconditionError as error:
            raise UsageError(
                f"store: expected values of `privboost study run` in '{self._path}'; {error}"
            ) from None

    def _agree(self, name: str, value: str) -> None:
        """Set a property of a new store, or check that it has the same value."""
        with _explain_errors(self._path), self._connection:
            self._connection.execute("INSERT OR IGNORE INTO about VALUES (?, ?)", (name, value))
        if self.about(name) != value:
            raise UsageError(
                f"store: expected {name} {value}, got {self.about(name)} in '{self._path}'; "
                "choose another store"
            )


def _read_domain(row: Sequence[Any]) -> DomainRecord:
    """Return a row of the table of data sets, all of whose values are possible."""
    cells = dict(zip(DomainRecord.__slots__, row, strict=True))
    name = JsonValue(cells["name"], "domain.name").line()
    path = f"domain {name[:SHOWN]}"
    numbers = {column: JsonValue(cells[column], f"{path}, {column}") for column in NUMBERS_OF_DOMAIN}
    size = numbers["size"].whole(1, MOST_ROWS)
    sizes = _integers(cells["fold_sizes"], f"{path}, fold_sizes", size)
    if sum(sizes) != size:
        raise PreconditionError(f"{path}, fold_sizes", f"numbers that add up to {size}", sum(sizes))
    return DomainRecord(
        name,
        JsonValue(cells["fingerprint"], f"{path}, fingerprint").line(),
        size,
        numbers["features"].whole(1, MOST_ROWS),
        numbers["majority_error"].number(0, 1),
        sizes,
    )


def _read_outcome(row: Sequence[Any], domains: Mapping[str, DomainRecord]) -> FoldErrors:
    """Return a row of the table of outcomes, all of whose values are possible for its configuration."""
    key, wrong, *numbers = row
    path = f"outcome {str(key)[:SHOWN]}"
    configuration = _read_configuration(JsonValue(key, "outcome.key").line(), path)
    record = domains.get(configuration.domain)
    if record is None:
        raise PreconditionError(path, "a configuration of a data set in the store", configuration.domain)
    mistakes = _integers(wrong, f"{path}, wrong", record.size)
    if any(count > size for count, size in zip(mistakes, record.fold_sizes, strict=True)):
        raise PreconditionError(f"{path}, wrong", f"at most {list(record.fold_sizes)}", list(mistakes))
    depth = int(configuration.depth)
    leaves, deep, seconds = (
        JsonValue(value, f"{path}, {name}").number(0, most)
        for value, name, most in zip(
            numbers, ("leaves", "depth", "seconds"), (1 << depth, depth, MOST_SECONDS), strict=True
        )
    )
    return FoldErrors(configuration, mistakes, leaves, deep, seconds)


def _read_configuration(key: str, path: str) -> Configuration:
    """Return the configuration of a key, which must be one of a grid but for its data set and its repeat."""
    parts = key.split("/")
    if len(parts) != len(NAMES):
        raise PreconditionError(path, f"{len(NAMES)} parts", len(parts))
    configuration = Configuration.from_key(key)
    for name, choices in CHOICES.items():
        if getattr(configuration, name) not in choices:
            value = format_value(getattr(configuration, name))
            raise PreconditionError(f"{path}, {name}", f"one of {sorted(choices)}", value)
    if not re.fullmatch("[0-9]{1,9}", configuration.repeat):
        raise PreconditionError(f"{path}, repeat", "an integer", format_value(configuration.repeat))
    return configuration


def _integers(cell: object, path: str, most: int) -> tuple[int, ...]:
    """Return the integers of the folds, which are stored as JSON."""
    entries = parse(JsonValue(cell, path).text(), path).items(FOLDS)
    return tuple(entry.whole(0, most) for entry in entries)


def _check_path(path: Path) -> None:
    """Reject a path that cannot be a store, before a lock file is made beside it."""
    if not path.name or path.is_dir():
        raise UsageError(f"store: expected the path of a file, got '{path}'")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"store: expected a folder that exists or can be made, got '{path.parent}' ({error.strerror})"
        ) from None


@contextmanager
def _connect(path: Path, query: str = "") -> Iterator[sqlite3.Connection]:
    """Open a connection, with a query of SQLite's URIs, and close it at the end."""
    with _explain_errors(path):
        connection = sqlite3.connect(path.absolute().as_uri() + query, uri=True, timeout=30)
    try:
        yield connection
    finally:
        connection.close()


@contextmanager
def _explain_errors(path: Path) -> Iterator[None]:
    """Turn an error of SQLite into a UsageError that names the store."""
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise UsageError(f"store: expected a store of the study, got '{path}' ({error})") from None


@contextmanager
def _lock(path: Path) -> Iterator[TextIO | None]:
    """Lock the store against other runs; the lock ends with the process and workers do not inherit it."""
    try:
        import fcntl
    except ImportError:
        yield None
        return
    lock_path = path.with_name(f"{path.name}.lock")
    try:
        opened = lock_path.open("a", encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"store: expected to write '{lock_path.name}' beside it, got '{lock_path}' ({error.strerror})"
        ) from None
    with opened as lock:
        try:
            fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UsageError(f"store: expected no other run, got one that adds to '{path}'") from None
        yield lock
