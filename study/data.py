"""Data sets of the study (UCI domains, a user's table or a small synthetic one) and their folds.

Bounds of features are treated as public. Those of the UCI domains are often the minimum and maximum of the
data themselves, so results of the study are not a private release.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from privboost.errors import PreconditionError, UsageError
from privboost.extras import demand
from privboost.fast.arrays import Array
from privboost.fast.domain import Domain
from privboost.fast.features import Categorical
from privboost.fast.growth import Candidates
from privboost.files import read_file, read_stream
from privboost.printing import shorten
from privboost.strict_json import JsonValue, read

from .grid import FOLDS
from .simulation import RowTable

SYNTHETIC = "synthetic"
SYNTHETIC_ROWS = 400
LONGEST_SHOWN = 300
"""Maximum length of a path or a reason in a message."""
KEPT = 64
"""Maximum number of data sets cached per process."""


@dataclass(frozen=True, slots=True)
class DataSet:
    """The columns of features, the labels as signs, and the public domain of the features."""

    name: str
    columns: tuple[Array, ...]
    signs: Array
    domain: Domain

    @property
    def size(self) -> int:
        """Return the number of rows of the data set, of all folds together."""
        return int(self.signs.size)

    @property
    def fingerprint(self) -> str:
        """Return a hash of the data, the labels and the public domain."""
        digest = hashlib.blake2b(digest_size=16)
        for column in (*self.columns, self.signs):
            digest.update(f"{column.dtype.str}{column.shape}".encode())
            digest.update(repr(column.tolist()).encode() if column.dtype.kind == "O" else column.tobytes())
        digest.update(repr(self.domain.features).encode())
        return digest.hexdigest()

    def quantise(self, values: int) -> RowTable:
        """Return the rows with every numeric feature quantised to `values` values."""
        features = tuple(
            feature if isinstance(feature, Categorical) else replace(feature, values=values)
            for feature in self.domain.features
        )
        domain = Domain(features)
        splits = Candidates.of(domain)
        if not len(splits):
            raise PreconditionError("domain", "a feature with at least two values", domain.names)
        codes = domain.codes_of(self.columns)
        return RowTable(
            np.ascontiguousarray(codes.T),
            np.ascontiguousarray(codes),
            self.signs,
            np.array([feature.values for feature in features], dtype=np.int64),
            np.array([isinstance(feature, Categorical) for feature in features]),
            splits.feature.astype(np.int64),
            splits.value.astype(np.int64),
            domain.bins,
        )

    def folds(self, seed: int, repeat: int) -> tuple[Array, Array]:
        """Return row indices in the order of shuffled, stratified folds, and the offsets of the folds."""
        generator = np.random.default_rng([seed, repeat])
        fold = np.empty(self.size, dtype=np.int64)
        assigned = 0
        for sign in (-1, 1):
            members = generator.permutation(np.flatnonzero(self.signs == sign))
            # The second class continues at the next fold, so the sizes of folds differ by at most 1.
            fold[members] = (assigned + np.arange(members.size)) % FOLDS
            assigned += members.size
        ends = np.concatenate(([0], np.cumsum(np.bincount(fold, minlength=FOLDS))))
        return np.argsort(fold, kind="stable").astype(np.int64), ends.astype(np.int64)

    @property
    def majority_error(self) -> float:
        """Return the error of predicting the more frequent class."""
        positive = float(np.mean(self.signs > 0))
        return min(positive, 1 - positive)


@dataclass(frozen=True, slots=True)
class DataSource:
    """The origin of data: a folder of UCI domains, a user's table, or by default the synthetic data set."""

    folder: Path | None = None
    table: Path | None = None
    label: str = ""
    positive: str = ""
    schema: Path | None = None

    def __post_init__(self) -> None:
        options = (self.label, self.positive, self.schema)
        if self.table is None and any(options):
            raise UsageError(
                "expected a file beside a label, a positive class and a public schema, got none",
                argument="table",
            )
        if self.table is not None and not all(options):
            raise UsageError(
                "expected a label, a positive class and a public schema beside it", argument="table"
            )

    def names(self) -> list[str]:
        """Return the names of the data sets."""
        if self.folder is not None:
            return list(_manifest(self.folder))
        return [SYNTHETIC if self.table is None else self.table.name.partition(".")[0] or "table"]

    def load(self, name: str) -> DataSet:
        """Return a data set by name."""
        if name not in self.names():
            raise UsageError(f"domain: expected one of {', '.join(self.names())}, got '{name}'")
        if self.folder is not None:
            data = _load_uci(self.folder, name)
        elif self.table is not None:
            data = _load_table(self, name)
        else:
            data = _synthetic()
        smaller = min(int((data.signs > 0).sum()), int((data.signs < 0).sum()))
        if smaller < FOLDS:
            raise UsageError(
                f"{name}: expected at least {FOLDS} rows of either class, for {FOLDS} folds, got {smaller}"
            )
        return data


@lru_cache(maxsize=KEPT)
def load(source: DataSource, name: str) -> DataSet:
    """Return a data set, cached per process."""
    return source.load(name)


@lru_cache(maxsize=KEPT)
def load_quantised(source: DataSource, name: str, values: int) -> RowTable:
    """Return quantised rows, cached per process."""
    return load(source, name).quantise(values)


@lru_cache(maxsize=KEPT)
def folds(source: DataSource, name: str, seed: int, repeat: int) -> tuple[Array, Array]:
    """Return the folds of a data set, cached per process."""
    return load(source, name).folds(seed, repeat)


@lru_cache(maxsize=4)
def _manifest(folder: Path) -> dict[str, Mapping[str, Any]]:
    """Return the descriptions of all UCI domains by name, in the order of the paper."""
    path = folder / "MANIFEST.json"
    try:
        return dict(map(_describe_entry, read(path, "manifest").member("datasets").items()))
    except PreconditionError as error:
        raise UsageError(f"data: expected a folder with MANIFEST.json, got '{path}' ({error})") from None


def _describe_entry(entry: JsonValue) -> tuple[str, Mapping[str, Any]]:
    """Return the name, and the file and the bounds, of an entry of a manifest."""
    name, file = entry.member("name"), entry.member("file")
    for part in (name, file):
        if "/" in part.line() or part.line() in ("", ".", ".."):
            raise part.refusal("a name without '/'")
    bounds = [[end.number() for end in pair.items(2)] for pair in entry.member("bounds").items(empty=False)]
    return name.line(), {"file": file.line(), "bounds": bounds}


def _load_uci(folder: Path, name: str) -> DataSet:
    """Load a UCI domain; the upper bound of a constant feature is its value plus 1."""
    entry = _manifest(folder)[name]
    path = folder / entry["file"]
    try:
        with gzip.open(path, "rb") as stream:
            lines = read_stream(stream).decode("utf-8").splitlines()
        table = np.loadtxt(lines, delimiter=",", skiprows=1, ndmin=2)
    except (OSError, ValueError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or shorten(str(error), LONGEST_SHOWN)
        shown = shorten(str(path), LONGEST_SHOWN)
        raise UsageError(f"data: expected a compressed table of numbers, got '{shown}' ({reason})") from None
    if table.shape[1] != len(entry["bounds"]) + 1 or not np.isfinite(table).all():
        raise UsageError(
            f"data: expected finite numbers, {len(entry['bounds'])} features and a label, got '{path}'"
        )
    bounds = [(float(lo), float(hi) if hi > lo else float(lo) + 1) for lo, hi in entry["bounds"]]
    domain = Domain.from_bounds(bounds, spacing="regular")
    columns = tuple(np.ascontiguousarray(column) for column in table[:, :-1].T)
    return DataSet(name, columns, np.where(table[:, -1] > 0, 1, -1).astype(np.int8), domain)


def _load_table(source: DataSource, name: str) -> DataSet:
    """Load a user's table: the features of the public domain, and one class against all others."""
    assert source.schema is not None
    try:
        domain = Domain.from_schema(source.schema)
    except (OSError, ValueError, PreconditionError) as error:
        raise UsageError(
            f"public: expected a schema in TOML or JSON, got '{source.schema}' ({error})"
        ) from None
    assert source.table is not None
    names = [*(feature.name for feature in domain.features), source.label]
    *entries, label_column = _columns_of(source.table, names)
    labels = ["" if label is None else str(label) for label in label_column]
    if "" in labels:
        raise UsageError(
            f"label: expected a class in every row of column '{source.label}', got none in row "
            f"{labels.index('') + 1}"
        )
    if source.positive not in labels:
        seen = ", ".join(sorted(set(labels))[:5])
        raise UsageError(
            f"positive: expected a class of column '{source.label}' ({seen}), got '{source.positive}'"
        )
    columns = []
    for feature, column in zip(domain.features, entries, strict=True):
        if isinstance(feature, Categorical):
            categories = [str(entry) for entry in column]
            unknown = sorted(set(categories) - set(map(str, feature.categories)))
            if unknown:
                raise UsageError(
                    f"table: expected in column '{feature.name}' the categories of the public domain, got "
                    f"'{unknown[0]}'"
                )
            columns.append(np.array(categories, dtype=object))
            continue
        try:
            numbers = np.array([float(entry) for entry in column])
        except (TypeError, ValueError) as error:
            raise UsageError(f"table: expected numbers in column '{feature.name}', got {error}") from None
        if not np.isfinite(numbers).all():
            raise UsageError(
                f"table: expected finite numbers in column '{feature.name}', got NaN or infinity"
            )
        columns.append(numbers)
    signs = np.where(np.array(labels) == source.positive, 1, -1).astype(np.int8)
    return DataSet(name, tuple(columns), signs, domain)


def _columns_of(path: Path, names: Sequence[str]) -> list[Sequence[Any]]:
    """Return columns of a CSV or Parquet file by name."""
    try:
        if path.suffix == ".parquet":
            return _parquet_columns(path, names)
        lines = io.StringIO(read_file(path).decode("utf-8-sig"), newline="")
        reader = csv.DictReader(lines, restval="")
        missing = [name for name in names if name not in (reader.fieldnames or ())]
        if missing:
            raise UsageError(f"table: expected the columns {', '.join(names)}, got no {', '.join(missing)}")
        rows = list(reader)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"table: expected a CSV or Parquet file, got '{path}' ({reason})") from None
    return [[row[name] for row in rows] for name in names]


def _parquet_columns(path: Path, names: Sequence[str]) -> list[Sequence[Any]]:
    """Return columns of a Parquet file by name."""
    demand("table: a Parquet file", "pyarrow", extra="study")
    from pyarrow import ArrowInvalid, parquet

    try:
        table = parquet.read_table(path)
    except ArrowInvalid as error:
        raise UsageError(f"table: expected a Parquet file, got '{path}' ({error})") from None
    missing = [name for name in names if name not in table.column_names]
    if missing:
        raise UsageError(f"table: expected the columns {', '.join(names)}, got no {', '.join(missing)}")
    return [table.column(name).to_pylist() for name in names]


def _synthetic() -> DataSet:
    """Return a small synthetic data set: two numeric features, a categorical one, noisy labels."""
    generator = np.random.default_rng(20200201)
    x, y = generator.uniform(0, 1, (2, SYNTHETIC_ROWS))
    colour = generator.integers(0, 3, SYNTHETIC_ROWS)
    truth = (x + 0.5 * y > 0.75) ^ (colour == 2) & (y > 0.6)
    signs = np.where(truth ^ (generator.uniform(size=SYNTHETIC_ROWS) < 0.05), 1, -1).astype(np.int8)
    domain = Domain.from_schema(
        {
            "x": {"lo": 0, "hi": 1},
            "y": {"lo": 0, "hi": 1},
            "colour": {"categories": ["red", "green", "blue"]},
        }
    )
    names = np.array(["red", "green", "blue"], dtype=object)
    return DataSet(SYNTHETIC, (x, y, names[colour]), signs, domain)
