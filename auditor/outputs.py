"""Outputs of any shape as a table: columns of numbers, and a key that only equal outputs share.

Numbers stand for themselves, infinities included; what is missing or no number is NaN in its column. Lists of
any length and dictionaries are read place by place: each place is a column, the length of a list one more.
Columns are those of the first outputs; what appears only later is still told apart by the key.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MOST_COLUMNS = 64
MIXER = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class Outputs:
    """Some outputs, in the order of their calls."""

    columns: Floats
    """Shape (calls, columns)."""
    keys: NDArray[np.int64]

    @property
    def size(self) -> int:
        """Return the number of calls."""
        return self.keys.size

    def __getitem__(self, part: Any) -> Outputs:
        return Outputs(self.columns[part], self.keys[part])


class Reader:
    """Turn outputs into tables, all with the same columns and keys."""

    def __init__(self, low_bits: bool = False) -> None:
        self._low_bits = low_bits
        self._places: dict[str, int] | None = None
        self._texts: dict[str, int] = {}
        self.names: tuple[str, ...] = ()

    def read(self, outputs: Sequence[Any] | NDArray[Any]) -> Outputs:
        """Return outputs as a table."""
        if isinstance(outputs, np.ndarray) and outputs.dtype.kind in "biuf":
            columns, keys = self._read_array(outputs)
        else:
            columns, keys = self._read_objects(outputs)
        return Outputs(self._with_low_bits(columns), keys)

    def _read_array(self, outputs: NDArray[Any]) -> tuple[Floats, NDArray[np.int64]]:
        flat = outputs.reshape(len(outputs), -1)
        if self._places is None:
            width = min(flat.shape[1], MOST_COLUMNS)
            self._places = {f"[{place}]": place for place in range(width)}
            self.names = ("output",) if flat.shape[1] == 1 else tuple(self._places)
        columns = np.array(flat[:, : len(self._places)], dtype=np.float64)
        return columns, _keys_of_rows(np.ascontiguousarray(flat))

    def _read_objects(self, outputs: Sequence[Any] | NDArray[Any]) -> tuple[Floats, NDArray[np.int64]]:
        rows = [dict(_leaves("", output)) for output in outputs]
        if self._places is None:
            names = dict.fromkeys(name for row in rows for name in row)
            self.names = tuple(name or "output" for name in names)[:MOST_COLUMNS]
            self._places = {name: place for place, name in enumerate(names) if place < MOST_COLUMNS}
        columns = np.full((len(rows), len(self._places)), np.nan)
        keys = np.empty(len(rows), dtype=np.int64)
        for number, row in enumerate(rows):
            for name, value in row.items():
                if name in self._places:
                    columns[number, self._places[name]] = self._number(value)
            keys[number] = _key_of(repr(row))
        return columns, keys

    def _number(self, value: Any) -> float:
        """Return a number as it is, a text as the number it was first seen under, and NaN for nothing."""
        if value is None:
            return float("nan")
        if isinstance(value, str):
            return float(self._texts.setdefault(value, len(self._texts)))
        try:
            return float(value)
        except OverflowError:
            return float("inf") if value > 0 else float("-inf")

    def _with_low_bits(self, columns: Floats) -> Floats:
        """Return columns with one more for each: the place of its lowest bit that is set, -1074 to 971."""
        if not self._low_bits:
            return columns
        if len(self.names) == columns.shape[1]:
            self.names = (*self.names, *(f"lowest bit of {name}" for name in self.names))
        return np.concatenate([columns, lowest_bits(columns)], axis=1)


def lowest_bits(numbers: Floats) -> Floats:
    """Return the greatest k such that a number is a multiple of 2^k; NaN for 0 and what is not finite."""
    usable = np.isfinite(numbers) & (numbers != 0)
    mantissas, exponents = np.frexp(np.where(usable, numbers, 1.0))
    whole = np.abs(mantissas * 2.0**53).astype(np.int64)
    lowest = np.log2((whole & -whole).astype(np.float64)) + exponents - 53
    return np.where(usable, lowest, np.nan)


def _keys_of_rows(table: NDArray[Any]) -> NDArray[np.int64]:
    """Return a key for every row from its bits, so that -0.0 and 0.0 are as different as they print.

    Two rows share a key by accident with probability about 2^-64, which can only hide a difference.
    """
    words = table.astype(np.float64) if table.dtype.kind == "f" else table.astype(np.int64)
    bits = words.view(np.uint64)
    found = np.zeros(len(bits), dtype=np.uint64)
    for column in bits.T:
        found = (found ^ column) * MIXER
        found ^= found >> np.uint64(29)
    return found.view(np.int64)


def _key_of(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big", signed=True)


def _leaves(place: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield all places of an output with the plain values that are there."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _leaves(f"{place}.{name}", inner)
    elif isinstance(value, list | tuple):
        yield f"len({place})", len(value)
        for number, inner in enumerate(value):
            yield from _leaves(f"{place}[{number}]", inner)
    elif value is None or isinstance(value, bool | int | float | str | np.generic):
        yield place, value.item() if isinstance(value, np.generic) else value
    elif hasattr(value, "__float__"):
        yield place, float(value)
    else:
        yield place, repr(value)
