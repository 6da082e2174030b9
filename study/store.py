"""Where outcomes are kept: one SQLite file, written in transactions, so that a kill loses nothing written."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from privboost.errors import UsageError

from .grid import Configuration
from .outcome import FoldErrors

FORMAT = "1"

SCHEMA = """
CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS domain (
    name TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, size INTEGER NOT NULL, features INTEGER NOT NULL,
    majority_error REAL NOT NULL, fold_sizes TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS outcome (
    key TEXT PRIMARY KEY, wrong TEXT NOT NULL, leaves REAL NOT NULL, depth REAL NOT NULL,
    seconds REAL NOT NULL) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class DomainRecord:
    """What a store says about a data set: none of its rows."""

    name: str
    fingerprint: str
    size: int
    features: int
    majority_error: float
    fold_sizes: tuple[int, ...]


class Store:
    """Outcomes by configuration, of one seed and of data that do not change."""

    def __init__(self, connection: sqlite3.Connection, path: Path, lock: TextIO | None) -> None:
        self._connection, self._path, self._lock = connection, path, lock

    @classmethod
    @contextmanager
    def for_run(cls, path: Path, seed: int) -> Iterator[Store]:
        """Open a store to add to, made if it is missing; one run at a time."""
        _refuse_strange(path)
        with _locked(path) as lock, _connected(path, f"file:{_quoted(path)}") as connection:
            store = cls(connection, path, lock)
            with _explained(path):
                if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                    # What somebody else has made is refused before anything is written to it.
                    store._check_format()
                connection.execute("PRAGMA journal_mode = WAL")
                connection.executescript(SCHEMA)
            store._agree("format", FORMAT)
            store._agree("seed", str(seed))
            try:
                yield store
            finally:
                # All in one file again, which can be copied, and read where nothing can be written; a reader
                # who is there now keeps this from happening, and the next run does it.
                with suppress(sqlite3.Error):
                    connection.execute("PRAGMA journal_mode = DELETE")

    @classmethod
    @contextmanager
    def for_reading(cls, path: Path) -> Iterator[Store]:
        """Open a store that exists, also while a run adds to it."""
        if not path.is_file():
            raise UsageError(f"store: expected a file that `privboost study run` has made, found no '{path}'")
        with _connected(path, f"file:{_quoted(path)}?mode=ro") as connection:
            store = cls(connection, path, None)
            store._check_format()
            yield store

    def _check_format(self) -> None:
        """Refuse a database that is no store, or one of another format."""
        if self.about("format") != FORMAT:
            raise UsageError(
                f"store: expected format {FORMAT}, found {self.about('format')} in '{self._path}'"
            )

    def about(self, name: str) -> str | None:
        """Return what the store says of itself."""
        with _explained(self._path):
            row = self._connection.execute("SELECT value FROM about WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def keep_domain(self, record: DomainRecord) -> None:
        """Note what data the outcomes are of.

        Ensures: UsageError if outcomes of other data by that name are here already.
        """
        known = {other.name: other for other in self.domains()}.get(record.name)
        if known is not None and known.fingerprint != record.fingerprint:
            raise UsageError(
                f"store: expected outcomes of the same '{record.name}', found other data in '{self._path}'; "
                "choose another store"
            )
        row = (*_values(record)[:-1], json.dumps(record.fold_sizes))
        with _explained(self._path), self._connection:
            self._connection.execute("INSERT OR IGNORE INTO domain VALUES (?, ?, ?, ?, ?, ?)", row)

    def domains(self) -> list[DomainRecord]:
        """Return what data the outcomes are of."""
        with _explained(self._path):
            rows = self._connection.execute("SELECT * FROM domain ORDER BY rowid").fetchall()
        return [
            DomainRecord(name, fingerprint, size, features, error, tuple(json.loads(sizes)))
            for name, fingerprint, size, features, error, sizes in rows
        ]

    def add(self, outcomes: Iterable[FoldErrors]) -> None:
        """Keep outcomes, all of them or none."""
        rows = [(o.configuration.key, json.dumps(o.mistakes), o.leaves, o.depth, o.seconds) for o in outcomes]
        with _explained(self._path), self._connection:
            self._connection.executemany("INSERT INTO outcome VALUES (?, ?, ?, ?, ?)", rows)

    def keys(self) -> set[str]:
        """Return the keys of all configurations that are done."""
        with _explained(self._path):
            return {row[0] for row in self._connection.execute("SELECT key FROM outcome")}

    def outcomes(self) -> Iterator[FoldErrors]:
        """Return all outcomes, in the order of their keys."""
        with _explained(self._path):
            for key, wrong, *numbers in self._connection.execute("SELECT * FROM outcome ORDER BY key"):
                try:
                    outcome = FoldErrors(Configuration.from_key(key), tuple(json.loads(wrong)), *numbers)
                except (TypeError, ValueError):
                    raise UsageError(
                        f"store: expected outcomes of configurations, found '{key}' in '{self._path}'"
                    ) from None
                yield outcome

    def _agree(self, name: str, value: str) -> None:
        """Note a fact about the store, or find that it says the same."""
        with _explained(self._path), self._connection:
            self._connection.execute("INSERT OR IGNORE INTO about VALUES (?, ?)", (name, value))
        if self.about(name) != value:
            raise UsageError(
                f"store: expected {name} {value}, found {self.about(name)} in '{self._path}'; "
                "choose another store"
            )


def _values(record: DomainRecord) -> tuple[Any, ...]:
    return tuple(getattr(record, name) for name in DomainRecord.__slots__)


def _refuse_strange(path: Path) -> None:
    """Refuse a path that cannot be a store, before a lock is made beside it."""
    if not path.name or path.is_dir():
        raise UsageError(f"store: expected the path of a file, found '{path}'")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"store: expected a folder that exists or can be made, found '{path.parent}' ({error.strerror})"
        ) from None


def _quoted(path: Path) -> str:
    """Return a path as part of an address."""
    return path.absolute().as_uri().removeprefix("file:")


@contextmanager
def _connected(path: Path, address: str) -> Iterator[sqlite3.Connection]:
    """Give a connection, and close it afterwards."""
    with _explained(path):
        connection = sqlite3.connect(address, uri=True, timeout=30)
    try:
        yield connection
    finally:
        connection.close()


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn what SQLite says into an error that names the store."""
    try:
        yield
    except sqlite3.Error as error:
        raise UsageError(f"store: expected a store of the study, found '{path}' ({error})") from None


@contextmanager
def _locked(path: Path) -> Iterator[TextIO | None]:
    """Keep other runs out; the lock goes with the process, also if it is killed, and not to its workers."""
    try:
        import fcntl
    except ImportError:
        yield None
        return
    beside = path.with_name(f"{path.name}.lock")
    try:
        opened = beside.open("a", encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"store: expected to write '{beside.name}' beside it, found '{beside}' ({error.strerror})"
        ) from None
    with opened as lock:
        try:
            fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UsageError(f"store: expected no other run, found one that adds to '{path}'") from None
        yield lock
