"""Outputs of any shape as a table: columns of numbers, and a key that only equal outputs share.

Numbers stand for themselves, infinities included; what is missing is NaN in its column. Lists of any length
and dictionaries are read place by place: each place is a column, the length of a list one more, and so are a
text, None and an empty dictionary that stand where a number might. A column begins with the call in which its
place first appears, and before that it is NaN; places beyond the first 64 have no column and are told apart
by the key only. Outputs are compared by value (`plain`): neither the types of numbers and lists count nor the
order of the keys of a dictionary.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import TargetError
from .plain import WANTED, number_text, plain

Floats = NDArray[np.float64]

MOST_COLUMNS = 64
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?|[+-]?inf(inity)?|nan", re.ASCII)
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


class OutputTable:
    """Turn outputs into tables; columns are in the order in which their places first appeared."""

    def __init__(self, low_bits: bool = False) -> None:
        self._low_bits = low_bits
        self._places: dict[str, int] = {}
        self._first_seen: list[int] = []
        self._texts: dict[str, int] = {}
        self._calls = 0
        self._left_out = False

    def read(self, outputs: Sequence[Any] | NDArray[Any]) -> Outputs:
        """Return the next outputs as a table, with as many columns as there are places so far.

        Ensures: TargetError for outputs that cannot be read at all.
        """
        try:
            if isinstance(outputs, np.ndarray) and outputs.dtype.kind in "biuf":
                columns, keys = self._read_array(outputs)
            else:
                columns, keys = self._read_objects(outputs)
        except TargetError:
            raise
        except Exception as error:
            # Anything may be an output, and may fail in any way when it is looked at.
            raise TargetError("outputs", WANTED, f"{type(error).__name__}: {error}") from error
        self._calls += len(outputs)
        if self._low_bits:
            columns = np.stack([columns, lowest_bits(columns)], axis=2).reshape(len(columns), -1)
        return Outputs(columns, keys)

    @property
    def overlooked(self) -> str:
        """Return what of the outputs was not looked at place by place; nothing if all of it was."""
        if self._left_out:
            return f"only {MOST_COLUMNS} of more numbers in an output were looked at one by one"
        return "" if self._places else "the outputs are empty"

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of all columns so far."""
        places = [_shown(name) for name in self._places]
        if not self._low_bits:
            return tuple(places)
        return tuple(name for place in places for name in (place, f"lowest bit of {place}"))

    def known_before(self, call: int) -> int:
        """Return the number of columns whose places had appeared before a call."""
        known = int(np.searchsorted(self._first_seen, call))
        return 2 * known if self._low_bits else known

    def _see(self, name: str, call: int) -> int | None:
        """Return the column of a place, a new one if there is room; None if there is not."""
        if name not in self._places and len(self._places) < MOST_COLUMNS:
            self._places[name] = len(self._places)
            self._first_seen.append(call)
        self._left_out = self._left_out or name not in self._places
        return self._places.get(name)

    def _read_array(self, outputs: NDArray[Any]) -> tuple[Floats, NDArray[np.int64]]:
        flat = outputs.reshape(len(outputs), -1)
        names = [""] if outputs.ndim == 1 else [f"[{place}]" for place in range(flat.shape[1])]
        found = [(source, self._see(name, self._calls)) for source, name in enumerate(names)]
        columns = np.full((len(flat), len(self._places)), np.nan)
        for source, column in found:
            if column is not None:
                columns[:, column] = flat[:, source]
        return columns, _keys_of_rows(np.ascontiguousarray(flat))

    def _read_objects(self, outputs: Sequence[Any] | NDArray[Any]) -> tuple[Floats, NDArray[np.int64]]:
        rows = [dict(_leaves("", plain(output))) for output in outputs]
        for number, row in enumerate(rows):
            for name in row:
                self._see(name, self._calls + number)
        columns = np.full((len(rows), len(self._places)), np.nan)
        keys = np.empty(len(rows), dtype=np.int64)
        for number, row in enumerate(rows):
            for name, value in row.items():
                if name in self._places:
                    columns[number, self._places[name]] = self._number(value)
            keys[number] = _key_of(row)
        return columns, keys

    def _number(self, value: Any) -> float:
        """Return a number as it is, also as text, and other texts by first appearance."""
        if isinstance(value, str) and not _NUMBER.fullmatch(value):
            return float(self._texts.setdefault(value, len(self._texts)))
        try:
            return float(value)
        except OverflowError:
            return float("inf") if value > 0 else float("-inf")


def joined(parts: Sequence[Outputs]) -> Outputs:
    """Return outputs one after the other; columns that an earlier part lacks are NaN there."""
    width = max(part.columns.shape[1] for part in parts)
    padded = [
        np.pad(part.columns, ((0, 0), (0, width - part.columns.shape[1])), constant_values=np.nan)
        for part in parts
    ]
    return Outputs(np.concatenate(padded), np.concatenate([part.keys for part in parts]))


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
    # By value, not by type: a whole number has the key of the float that it is, if it is one.
    bits = np.ascontiguousarray(table, dtype=np.float64).view(np.uint64)
    if table.dtype.kind in "iu":
        nearest = table.astype(np.float64)
        inside = np.abs(nearest) < 2.0**63
        exact = inside & (np.where(inside, nearest, 0).astype(np.int64) == table)
        bits = np.where(exact, bits, table.astype(np.int64).view(np.uint64))
    found = np.zeros(len(bits), dtype=np.uint64)
    for column in bits.T:
        found = (found ^ column) * MIXER
        found ^= found >> np.uint64(29)
    return found.view(np.int64)


def _key_of(row: dict[str, Any]) -> int:
    """Return the key of an output from its places, in whatever order they came."""
    text = repr(sorted((place, _value_text(value)) for place, value in row.items()))
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big", signed=True)


def _value_text(value: Any) -> str:
    return repr(value) if value is None or isinstance(value, str) else number_text(value)


def _shown(place: str) -> str:
    """Return the name of a place: output, output.leaf, output[2], len(output.path)."""
    return re.sub(r"^([a-z]+\()?", r"\1output", place)


def _leaves(place: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield all places of a plain output with the values that are there; no two places have the same name."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, dict):
        if not value:
            yield f"empty({place})", 1
        for key, inner in value.items():
            yield from _leaves(f"{place}{_step(key)}", inner)
    elif isinstance(value, list):
        yield f"len({place})", len(value)
        for number, inner in enumerate(value):
            yield from _leaves(f"{place}[{number}]", inner)
    elif value is None:
        yield f"none({place})", 1
    elif isinstance(value, str) and not _NUMBER.fullmatch(value):
        yield f"text({place})", value
    else:
        yield place, value


def _step(key: Any) -> str:
    """Return the way to an entry of a dictionary: .name, ['any text'], {1}, {(1, 'a')}."""
    if isinstance(key, str):
        return f".{key}" if key.isidentifier() else f"[{key!r}]"
    return f"{{{_key_text(key)}}}"


def _key_text(key: Any) -> str:
    if isinstance(key, tuple):
        return f"({', '.join(map(_key_text, key))})"
    return _value_text(key).removesuffix(".0") if isinstance(key, int | float) else _value_text(key)
