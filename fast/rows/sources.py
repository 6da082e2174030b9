"""Rows that do not fit into memory, or that are distributed over a cluster.

A source yields blocks of features and labels. Its rows are coded block by block, one byte per value, into a
file that is mapped into memory; the learner then works as in memory. Rows of Dask arrays stay on their
workers, which return tables of masses.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from privboost.errors import PreconditionError
from privboost.extras import demand
from privboost.fast.admission import Admission
from privboost.fast.arrays import Array

from .parts import BLOCK, LocalRows, Operation, Part, add_tables


class Source(Protocol):
    """Rows that are read in blocks."""

    @property
    def size(self) -> int:
        """Return the number of rows that `blocks` yields."""

    def blocks(self) -> Iterator[tuple[Any, Any]]:
        """Yield features and labels of successive rows."""


class ArraySource:
    """Rows of arrays, read in blocks: memory-mapped files need not fit into memory.

    Parameters
    ----------
    features : array-like of shape (n_samples, n_features)
        Features of the rows.
    labels : array-like of shape (n_samples,)
        Labels of the rows.

    Attributes
    ----------
    size : int
        Number of rows.

    Examples
    --------
    >>> import numpy as np
    >>> from privboost.fast import ArraySource
    >>> ArraySource(np.zeros((1000, 3)), np.zeros(1000)).size
    1000
    """

    def __init__(self, features: Any, labels: Any) -> None:
        if len(features) != len(labels):
            raise PreconditionError("y", "as many labels as rows", "another number")
        self._features, self._labels = features, labels

    @property
    def size(self) -> int:
        """Return the number of labels."""
        return len(self._labels)

    def blocks(self) -> Iterator[tuple[Any, Any]]:
        """Yield the rows in blocks.

        Yields
        ------
        features : array-like
            Features of successive rows.
        labels : array-like
            Labels of these rows.
        """
        for start in range(0, self.size, BLOCK):
            part = slice(start, start + BLOCK)
            yield self._features[part], self._labels[part]


class ParquetSource:
    """Rows of a Parquet file or folder, read in blocks with pyarrow.

    Parameters
    ----------
    path : str or Path
        File, or folder of files.
    label : str
        Name of the column that contains the labels. All other columns are features.

    Attributes
    ----------
    size : int
        Number of rows.
    """

    def __init__(self, path: str | Path, label: str) -> None:
        demand("ParquetSource", "pyarrow")
        import pyarrow.dataset

        self._label = label
        self._data = pyarrow.dataset.dataset(path, format="parquet")
        if label not in self._data.schema.names:
            raise PreconditionError("label", f"one of {self._data.schema.names}", label)

    @property
    def size(self) -> int:
        """Return the number of rows, from the metadata of the files."""
        return int(self._data.count_rows())

    def blocks(self) -> Iterator[tuple[Any, Any]]:
        """Yield the rows in blocks.

        Yields
        ------
        features : mapping from str to array-like
            Features of successive rows, by name.
        labels : array-like
            Labels of these rows.
        """
        # Each file is read with its own types. Arrow would convert them to those of the first file, with
        # errors that quote entries.
        for file in self._data.get_fragments():
            schema = file.physical_schema
            if self._label not in schema.names:
                raise PreconditionError("label", "a column of every file", self._label)
            batches = file.to_batches(schema, batch_size=BLOCK, batch_readahead=1, fragment_readahead=1)
            for batch in batches:
                pairs = zip(batch.schema.names, batch.columns, strict=True)
                columns = {name: _entries(column) for name, column in pairs}
                labels = columns.pop(self._label)
                yield columns, labels


def _entries(column: Any) -> Any:
    """Return an Arrow column as an array or a list in which a null changes no other entry."""
    import pyarrow.types as kinds

    is_whole = not column.null_count and (kinds.is_integer(column.type) or kinds.is_boolean(column.type))
    if is_whole or kinds.is_floating(column.type):
        # A null among floats becomes NaN.
        return column.to_numpy(zero_copy_only=False)
    try:
        return column.to_pylist()
    except Exception:
        # Some entry has no value in Python, such as a string that is not valid or a date after the year 9999.
        return list(map(_entry, column))


def _entry(scalar: Any) -> Any:
    """Return an entry of an Arrow column, and None if it has no value in Python."""
    try:
        return scalar.as_py()
    except Exception:
        return None


@contextmanager
def mapped_rows(
    source: Source, admission: Admission, most: int | None = None, folder: str | Path | None = None
) -> Iterator[LocalRows]:
    """Yield the rows of a source; rows after the first `most` are left out.

    Codes are in a temporary file without a name, which the operating system deletes even if the process is
    killed.
    Ensures: PreconditionError if the source yields more or fewer rows than its size.
    """
    size = source.size if most is None else min(source.size, most)
    with tempfile.TemporaryFile(dir=folder) as file:
        shape = (len(admission.domain.features), size)
        codes = np.memmap(file, dtype=np.uint8, mode="w+", shape=shape) if size else np.empty(shape, np.uint8)
        signs = np.empty(size, dtype=np.int8)
        seen = kept = 0
        for features, labels in source.blocks():
            if seen == size == most:
                break
            rows = len(labels)
            if seen + rows > source.size:
                raise _wrong_size()
            coded, signed = admission.rows(features, labels, size - seen)
            seen, stop = min(seen + rows, size), kept + signed.size
            codes[:, kept:stop], signs[kept:stop] = coded, signed
            kept = stop
        if seen != size:
            raise _wrong_size()
        yield LocalRows([Part.of(np.asarray(codes[:, :kept]), signs[:kept])])


def _wrong_size() -> PreconditionError:
    return PreconditionError("X", "a source that yields as many rows as its size", "another number of rows")


class DaskRows:
    """Rows of Dask arrays: every partition becomes a part that stays on its worker."""

    def __init__(self, parts: list[Any], sizes: list[int], client: Any) -> None:
        self._parts, self._sizes, self._client = parts, sizes, client

    @classmethod
    def of(cls, features: Any, labels: Any, admission: Admission, most: int | None = None) -> DaskRows:
        """Code the partitions on their workers; rows after the first `most` are left out.

        Requires: arrays with known sizes of their blocks.
        """
        from dask import delayed
        from dask.distributed import default_client

        shapes = [getattr(array, "ndim", None) for array in (features, labels)]
        if shapes != [2, 1] or not all(hasattr(array, "rechunk") for array in (features, labels)):
            wanted = "Dask arrays: X with rows and columns, y with one label for each row"
            raise PreconditionError("X and y", wanted, f"{type(features).__name__}, {type(labels).__name__}")
        if np.isnan([*features.shape, *labels.shape]).any():
            raise PreconditionError(
                "X", "Dask arrays with known sizes (compute_chunk_sizes)", "unknown sizes"
            )
        if features.shape[0] != labels.shape[0]:
            raise PreconditionError("y", "as many labels as rows", "another number")
        client = default_client()
        whole = features[:most].rechunk({1: -1})
        matched = labels[:most].rechunk({0: whole.chunks[0]})
        pairs = zip(whole.to_delayed().ravel(), matched.to_delayed().ravel(), strict=True)
        parts = client.compute([delayed(rows_of_partition)(x, y, admission) for x, y in pairs])
        return cls(parts, [int(size) for size in whole.chunks[0]], client)

    @property
    def size(self) -> int:
        """Return the number of rows, those included that are left out because they are invalid."""
        return sum(self._sizes)

    def tell(self, operation: Operation, *arguments: Any) -> None:
        """Apply an operation to every part, on its worker."""
        self._parts = self._submit(0, operation, arguments)

    def ask(self, operation: Operation, *arguments: Any) -> Array:
        """Return the sum of the tables that an operation computes from the parts; only tables are sent."""
        return add_tables(self._client.gather(self._submit(1, operation, arguments)))

    def _submit(self, item: int, operation: Operation, arguments: tuple[Any, ...]) -> list[Any]:
        """Apply an operation to every part, and return futures of the part or the table that it returns."""
        submit = self._client.submit
        return [submit(_apply, item, operation, part, arguments, pure=False) for part in self._parts]


def rows_of_partition(features: Array, labels: Array, admission: Admission) -> Part:
    """Return the rows of one partition of a Dask array."""
    return Part.of(*admission.rows(features, labels))


# On a worker, as in `fit_trees`, nothing is said about rows.
@np.errstate(all="ignore")
def _apply(item: int, operation: Operation, part: Part, arguments: tuple[Any, ...]) -> Any:
    return operation(part, *arguments)[item]
