"""Fit rows from files, block by block, and print the peak memory.

The rows are written to a memory-mapped file in a temporary folder (or to Parquet), which is deleted at the
end. `--folder` puts it on another disk: 10^7 rows of 10 features are 800 MB, and their codes 100 MB.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from fast import SEED, UNIFORM, make_data, make_learner
from privboost.fast import ArraySource, Domain, ParquetSource

BLOCK = 1 << 18
LIMIT = 2.0
"""Limit of the peak memory, in GiB; the script fails above it."""


def peak_memory() -> float:
    """Return the peak memory of this process, in GiB."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**30


def write_mapped(folder: Path, rows: int, features: int) -> ArraySource:
    """Write rows to memory-mapped files block by block, and return them as a source."""
    rng = np.random.default_rng(SEED)
    table, labels = folder / "features.npy", folder / "labels.npy"
    np.lib.format.open_memmap(table, mode="w+", dtype=np.float64, shape=(rows, features))
    np.lib.format.open_memmap(labels, mode="w+", dtype=np.int8, shape=(rows,))
    for start in range(0, rows, BLOCK):
        stop = min(start + BLOCK, rows)
        cells, marks = make_data(stop - start, features, rng)
        np.lib.format.open_memmap(table, mode="r+")[start:stop] = cells
        np.lib.format.open_memmap(labels, mode="r+")[start:stop] = marks
    return ArraySource(np.load(table, mmap_mode="r"), np.load(labels, mmap_mode="r"))


def write_parquet(folder: Path, rows: int, features: int) -> ParquetSource:
    """Write the same rows to a Parquet file, and return them as a source."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    rng = np.random.default_rng(SEED)
    path = folder / "rows.parquet"
    fields = [(f"x{index}", pa.float64()) for index in range(features)]
    with ParquetWriter(path, pa.schema([*fields, ("label", pa.int8())])) as writer:
        for start in range(0, rows, BLOCK):
            cells, marks = make_data(min(BLOCK, rows - start), features, rng)
            columns = [*(cells[:, index] for index in range(features)), marks.astype(np.int8)]
            writer.write_table(pa.table(columns, names=writer.schema.names))
    return ParquetSource(path, "label")


def main() -> None:
    """Write the rows, fit them, and print time and memory."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=10**7)
    parser.add_argument("--features", type=int, default=10)
    parser.add_argument("--parquet", action="store_true", help="read Parquet instead of a mapped file")
    parser.add_argument("--split-law", default="uniform")
    parser.add_argument("--folder", help="folder of the files; default: the system's temporary folder")
    options = parser.parse_args()
    domain = Domain.from_bounds([(0, 1)] * options.features)
    learner = make_learner(UNIFORM)
    learner.set_params(domain=domain, split_law=options.split_law, random_state=SEED)
    with tempfile.TemporaryDirectory(dir=options.folder, prefix="privboost-rows-") as name:
        write = write_parquet if options.parquet else write_mapped
        source = write(Path(name), options.rows, options.features)
        size = sum(path.stat().st_size for path in Path(name).iterdir()) / 2**30
        before, start = peak_memory(), time.process_time()
        learner.fit(source)
        spent = time.process_time() - start
    cells, labels = make_data(10**5, options.features, np.random.default_rng(SEED + 1))
    if options.parquet:
        import pandas as pd

        cells = pd.DataFrame(cells, columns=domain.names)
    kind = "Parquet" if options.parquet else "mapped file"
    print(f"{options.rows:,} rows x {options.features}, {kind} of {size:.2f} GiB, {options.split_law} splits")
    print(f"fit: {spent:.1f} CPU s; accuracy on other rows: {learner.score(cells, labels):.3f}")
    print(f"peak memory: {peak_memory():.2f} GiB (limit {LIMIT} GiB; {before:.2f} GiB before the fit)")
    sys.exit(peak_memory() > LIMIT)


if __name__ == "__main__":
    main()
