"""Rows that do not fit into memory, or that are distributed over a cluster.

A source yields blocks of features and labels. Its rows are coded block by block, one byte per value, into a
file that is mapped into memory; the learner then works as in memory. Rows of Dask arrays stay on their
workers, which return tables of masses.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from privboost.errors import PreconditionError
from privboost.fast.domain import Domain, Missing

from .parts import BLOCK, LocalRows, Operation, Part, add_tables

Array = NDArray[Any]
Signs = Callable[[Any], Array]
"""Maps the two public labels to -1 and 1, and rejects others."""


class Source(Protocol):
    """Rows that are read in blocks."""

    @property
    def size(self) -> int:
        """Return the number of rows."""

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
            raise PreconditionError("y", f"{len(features)} labels", len(labels))
        self._features, self._labels = features, labels

    @property
    def size(self) -> int:
        """Return the number of rows."""
        return len(self._labels)

    def blocks(self) -> Iterator[tuple[Any, Any]]:
        """Yield the rows in blocks.

        Yields
        ------
        features : ndarray
            Features of successive rows.
        labels : ndarray
            Labels of these rows.
        """
        for start in range(0, self.size, BLOCK):
            part = slice(start, start + BLOCK)
            yield np.asarray(self._features[part]), np.asarray(self._labels[part])


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
        import pyarrow.dataset

        self._label = label
        self._data = pyarrow.dataset.dataset(path, format="parquet")
        if label not in self._data.schema.names:
            raise PreconditionError("label", f"one of {self._data.schema.names}", label)

    @property
    def size(self) -> int:
        """Return the number of rows."""
        return int(self._data.count_rows())

    def blocks(self) -> Iterator[tuple[Any, Any]]:
        """Yield the rows in blocks.

        Yields
        ------
        features : data frame
            Features of successive rows.
        labels : ndarray
            Labels of these rows.
        """
        for batch in self._data.to_batches(batch_size=BLOCK, batch_readahead=1, fragment_readahead=1):
            if batch.num_rows:
                frame = batch.to_pandas()
                yield frame.drop(columns=self._label), frame[self._label].to_numpy()


@contextmanager
def mapped_rows(
    source: Source, domain: Domain, signs: Signs, missing: Missing, folder: str | Path | None = None
) -> Iterator[LocalRows]:
    """Yield the rows of a source, with codes in a temporary file that is deleted afterwards."""
    with tempfile.NamedTemporaryFile(dir=folder, prefix="privboost-codes-") as file:
        size = source.size
        codes = np.memmap(file.name, dtype=np.uint8, mode="w+", shape=(len(domain.features), size))
        labels = np.empty(size, dtype=np.int8)
        start = 0
        for features, raw in source.blocks():
            stop = start + len(raw)
            codes[:, start:stop] = domain.codes(features, missing)
            labels[start:stop] = signs(raw)
            start = stop
        codes.flush()
        yield LocalRows([Part.of(np.asarray(codes), labels)])


class DaskRows:
    """Rows of Dask arrays: every partition becomes a part that stays on its worker."""

    def __init__(self, parts: list[Any], sizes: list[int], client: Any) -> None:
        self._parts, self._sizes, self._client = parts, sizes, client

    @classmethod
    def of(cls, features: Any, labels: Any, domain: Domain, signs: Signs, missing: Missing) -> DaskRows:
        """Code the partitions on their workers.

        Requires: features in blocks of whole rows, and labels in blocks of the same lengths.
        """
        from dask import delayed
        from dask.distributed import default_client

        client = default_client()
        whole = features.rechunk({1: -1})
        matched = labels.rechunk({0: whole.chunks[0]})
        pairs = zip(whole.to_delayed().ravel(), matched.to_delayed().ravel(), strict=True)
        parts = client.compute([delayed(rows_of_partition)(x, y, domain, signs, missing) for x, y in pairs])
        return cls(parts, [int(size) for size in whole.chunks[0]], client)

    @property
    def size(self) -> int:
        """Return the number of rows."""
        return sum(self._sizes)

    def tell(self, operation: Operation, *arguments: Any) -> None:
        """Apply an operation to every part, on its worker."""
        self._parts = [
            self._client.submit(_first, operation, part, arguments, pure=False) for part in self._parts
        ]

    def ask(self, operation: Operation, *arguments: Any) -> Array:
        """Return the sum of the tables that an operation computes from the parts; only tables are sent."""
        tables = [
            self._client.submit(_second, operation, part, arguments, pure=False) for part in self._parts
        ]
        return add_tables(self._client.gather(tables))


def rows_of_partition(features: Array, labels: Array, domain: Domain, signs: Signs, missing: Missing) -> Part:
    """Return the rows of one partition of a Dask array."""
    return Part.of(domain.codes(features, missing), signs(labels))


def _first(operation: Operation, part: Part, arguments: tuple[Any, ...]) -> Part:
    return operation(part, *arguments)[0]


def _second(operation: Operation, part: Part, arguments: tuple[Any, ...]) -> Any:
    return operation(part, *arguments)[1]
