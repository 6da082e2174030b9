"""Rows in memory, in parts, in a mapped file, in Parquet and on a real cluster give the same trees."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from privboost.errors import PreconditionError
from privboost.fast import PrivateForestClassifier
from privboost.fast.admission import Admission
from privboost.fast.domain import Domain
from privboost.fast.features import Categorical, Numeric
from privboost.fast.growth import LocalRows, Setting, fit_trees
from privboost.fast.labels import Labels
from privboost.fast.protocol import SOUND, SOUND_NET, AlphaRule, Parameters, Protocol, SplitLaw
from privboost.fast.rows import parts as rows_module
from privboost.fast.rows import sources
from privboost.fast.rows.parts import Operation, Part, Rows, add_tables
from privboost.fast.rows.sources import ArraySource, DaskRows, ParquetSource, mapped_rows
from privboost.oracle_tests.support.fast_runs import Fitted, make_samples, same_trees

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

Array = NDArray[Any]
ROWS = 3000
DOMAIN = Domain.from_bounds([(0, 1)] * 4, values=6)
LABELS = Labels(-1, 1)
ADMISSION = Admission(DOMAIN, LABELS)
PROTOCOLS: dict[str, Protocol] = {
    "nets": SOUND_NET,
    "SOUND": SOUND,
    "permute and flip, estimated alpha": SOUND.changed(
        split_law=SplitLaw.PERMUTE_AND_FLIP, alpha=AlphaRule.NOISY_MINORITY
    ),
}

every_protocol = pytest.mark.parametrize("protocol", PROTOCOLS.values(), ids=PROTOCOLS)


def table() -> tuple[Array, Array]:
    """Return features, and labels -1 and 1."""
    generator = np.random.default_rng(7)
    features = generator.random((ROWS, 4))
    noise = 0.3 * generator.normal(size=ROWS)
    return features, np.where(features[:, 0] + 0.5 * features[:, 1] ** 2 + noise > 0.7, 1, -1)


def setting_of(protocol: Protocol) -> Setting:
    """Return a setting in which splits and leaves follow the data."""
    return Setting(protocol, Parameters(2, 2, Fraction(20), alphas=(Fraction(0),)), DOMAIN, ROWS)


def fit(protocol: Protocol, rows: Rows, seed: int = 5) -> Fitted:
    """Return the trees of a seeded fit."""
    return fit_trees(setting_of(protocol), rows, make_samples(seed))


def in_memory() -> LocalRows:
    """Return all rows in memory, as one part."""
    features, labels = table()
    return LocalRows.in_memory(DOMAIN.codes(features), labels)


def parts_of(lengths: list[int]) -> LocalRows:
    """Return all rows in memory, in parts of some lengths."""
    features, labels = table()
    codes, pairs = DOMAIN.codes(features), pairwise(np.cumsum([0, *lengths]))
    return LocalRows([Part.of(np.ascontiguousarray(codes[:, a:b]), labels[a:b]) for a, b in pairs])


# In this process -----------------------------------------------------------------------------------------


@every_protocol
def test_rows__parts_of_any_lengths_give_the_same_trees(protocol: Protocol) -> None:
    expected = fit(protocol, in_memory())
    for lengths in ([1000, 2000], [0, 1, 2998, 0, 1], [7] * 428 + [4]):
        assert same_trees(expected, fit(protocol, parts_of(lengths)))


@every_protocol
def test_rows__other_rows_or_bits_give_other_trees(protocol: Protocol) -> None:
    expected = fit(protocol, in_memory())
    assert not same_trees(expected, fit(protocol, in_memory(), seed=6))
    features, labels = table()
    flipped = LocalRows.in_memory(DOMAIN.codes(features), -labels)
    assert not same_trees(expected, fit(protocol, flipped))


def source_of_arrays(folder: Path) -> ArraySource:
    """Return all rows in mapped files."""
    for name, array in zip("Xy", table(), strict=True):
        np.save(folder / f"{name}.npy", array)
    return ArraySource(*(np.load(folder / f"{name}.npy", mmap_mode="r") for name in "Xy"))


def source_of_parquet(folder: Path) -> ParquetSource:
    """Return all rows in a Parquet file."""
    features, labels = table()
    columns = {f"x{index}": features[:, index] for index in range(4)}
    parquet.write_table(pyarrow.table({"label": labels, **columns}), folder / "rows.parquet")
    with pytest.raises(PreconditionError, match="label"):
        ParquetSource(folder / "rows.parquet", "y")
    return ParquetSource(folder / "rows.parquet", "label")


@every_protocol
@pytest.mark.parametrize("make_source", [source_of_arrays, source_of_parquet])
def test_rows__in_files_give_the_same_trees(
    protocol: Protocol, make_source: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "BLOCK", 701)
    source = make_source(tmp_path)
    assert source.size == ROWS
    folder = tmp_path / "codes"
    folder.mkdir()
    with mapped_rows(source, ADMISSION, folder=folder) as rows:
        # The file of the codes has no name, so nothing is left even if the process is killed.
        assert list(folder.iterdir()) == []
        assert same_trees(fit(protocol, in_memory()), fit(protocol, rows))


def test_rows__labels_of_another_length_are_refused() -> None:
    with pytest.raises(PreconditionError, match="as many labels as rows"):
        ArraySource(np.zeros((3, 4)), np.zeros(2))
    model = PrivateForestClassifier(domain=Domain.from_bounds([(0, 1)]), classes=(0, 1))
    with pytest.raises(PreconditionError, match="y: expected None, because the source yields the labels"):
        model.fit(ArraySource(np.zeros((3, 1)), np.zeros(3)), np.zeros(3))


def test_rows__public_size_is_checked() -> None:
    with pytest.raises(PreconditionError, match="3000 rows"):
        fit(SOUND, parts_of([1000]))


def test_rows__parquet_columns_are_matched_by_name(tmp_path: Path) -> None:
    domain = Domain((Numeric("age", 0.0, 10.0, 5), Categorical("colour", ("red", "green", "blue"))))
    parquet.write_table(
        pyarrow.table({"colour": ["blue", "red"], "y": [1, -1], "age": [9.0, 1.0]}), tmp_path / "two.parquet"
    )
    with mapped_rows(ParquetSource(tmp_path / "two.parquet", "y"), Admission(domain, LABELS)) as rows:
        part = rows._parts[0]
        assert part.codes.tolist() == [[4, 0], [2, 0]]
        assert part.signs.tolist() == [1, -1]


class Liar:
    """A source that yields another number of rows than its size."""

    size = 10

    def __init__(self, *lengths: int) -> None:
        self._lengths = lengths

    def blocks(self) -> Iterator[tuple[Any, Any]]:
        """Yield blocks of zeros."""
        for length in self._lengths:
            yield np.zeros((length, 4)), np.zeros(length)


@pytest.mark.parametrize("lengths", [(), (9,), (5, 4), (11,), (5, 6), (10, 1)])
def test_rows__source_that_yields_another_number_of_rows_is_refused(lengths: tuple[int, ...]) -> None:
    with (
        pytest.raises(PreconditionError, match="as many rows as its size, got another number of rows"),
        mapped_rows(Liar(*lengths), ADMISSION),
    ):
        pass


@pytest.mark.parametrize("most", [0, 3, 10, 99])
def test_rows__only_the_first_rows_of_a_source_are_read(most: int) -> None:
    with mapped_rows(Liar(4, 0, 6), ADMISSION, most) as rows:
        assert rows.size == min(most, 10)


# On a cluster --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Return a client of a real cluster: two worker processes on this machine."""
    distributed = pytest.importorskip("dask.distributed")
    pytest.importorskip("dask.array")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as connected,
    ):
        yield connected


def on_workers(client: Any, features: Array, labels: Array) -> DaskRows:
    """Return rows in parts of 1000 on the workers, from labels in blocks of another length."""
    arrays = pytest.importorskip("dask.array")
    del client
    blocks = arrays.from_array(features, chunks=(1000, 2)), arrays.from_array(labels, chunks=700)
    return DaskRows.of(*blocks, ADMISSION)


class Listener:
    """A client that records what is sent to this process."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.sent: list[Array] = []

    def submit(self, *arguments: Any, **options: Any) -> Any:
        """Pass a task on."""
        return self._client.submit(*arguments, **options)

    def gather(self, futures: list[Any]) -> list[Array]:
        """Fetch results, and keep them."""
        results: list[Array] = self._client.gather(futures)
        self.sent += results
        return results


def test_rows__cluster_gives_the_same_trees_and_sends_tables_only(client: Any) -> None:
    # A single test, because starting the workers takes longer than the work.
    features, labels = table()
    # Dask may give all parts of one fit to one worker, but not those of all fits.
    used: set[str] = set()
    for protocol in PROTOCOLS.values():
        rows = on_workers(client, features, labels)
        rows._client = listener = Listener(client)
        assert rows.size == ROWS
        assert same_trees(fit(protocol, in_memory()), fit(protocol, rows))
        assert only_tables(listener.sent)
        assert len(listener.sent) >= 2 * 3
        used.update(worker for workers in client.who_has(rows._parts).values() for worker in workers)
    assert len(used) == 2
    rows.ask(lambda part: (part, part.signs[:100]))
    assert not only_tables(listener.sent)


def only_tables(sent: list[Array]) -> bool:
    """Return whether only tables of integer masses were sent: class masses and histograms."""
    masses = {(1 << level, 2) for level in range(3)}
    histograms = {(1 << level, 4, 6, 2) for level in range(2)}
    return all(answer.dtype == np.int64 and answer.shape in masses | histograms for answer in sent)


def test_rows__worker_admits_rows_that_are_outside_the_domain() -> None:
    features, labels = table()
    expected = sources.rows_of_partition(features, labels, ADMISSION)
    features[1234, 2] = np.nan
    part = sources.rows_of_partition(features, np.where(np.arange(ROWS) == 77, 5, labels), ADMISSION)
    assert part.codes[2, 1234] == 0
    assert part.signs[77] == -1
    assert np.count_nonzero(part.codes != expected.codes) <= 1
    assert np.count_nonzero(part.signs != expected.signs) <= 1


# Sums of tables ------------------------------------------------------------------------------------------


def test_rows__tables_are_added_exactly() -> None:
    assert add_tables(iter([np.array([2**53]), np.array([1])])).tolist() == [2**53 + 1]
    with pytest.raises(AssertionError):
        add_tables([])


def test_rows__every_operation_returns_its_part() -> None:
    part = Part.of(np.array([[0, 1]], dtype=np.uint8), np.array([1, -1]))
    operations: list[tuple[Operation, tuple[Any, ...]]] = [
        (rows_module.to_root, ()),
        (rows_module.class_masses, (1,)),
        (rows_module.add_values, (np.array([3], dtype=np.int32),)),
        (rows_module.weigh_by_link, (1.0,)),
        (rows_module.mirror, (np.array([0.5]), 1.0)),
    ]
    for operation, arguments in operations:
        assert operation(part, *arguments)[0].signs is part.signs
    assert part.weights.tolist() == [512, 512]
