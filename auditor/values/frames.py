"""The content of frames, series and other arrays with labels, as those of pandas and polars."""

from __future__ import annotations

from typing import Any

import numpy as np


def frame_content(value: Any) -> Any:
    """Return the columns of a frame, or the entries of a series, with their labels, names and special types.

    An index that counts rows is left out.
    """
    entries, names = _entries(value), _names(value)
    return {"values": entries, **names} if names else entries


def _entries(value: Any) -> Any:
    index = list(value.index) if hasattr(value, "index") and not callable(value.index) else None
    labels = {} if index is None or index == list(range(len(index))) else {"index": index}
    if hasattr(value, "columns"):
        names, columns = list(value.columns), _columns(value)
        if len(set(names)) < len(names) or "index" in names:
            return {"columns": names, "values": columns, **labels}
        return (dict(zip(names, columns, strict=True)) or {"rows": len(value)}) | labels
    entries = _exact_entries(value)
    if not labels or index is None:
        return entries
    if len(set(map(repr, index))) < len(index):
        return {"values": entries, **labels}
    return dict(zip(index, entries, strict=True))


def _columns(frame: Any) -> list[Any]:
    """Return the columns of a frame one by one; a common type of all would change numbers."""
    if hasattr(frame, "iloc"):
        return [_exact_entries(frame.iloc[:, index]) for index in range(frame.shape[1])]
    return [_exact_entries(frame[name]) for name in frame.columns]


def _exact_entries(series: Any) -> Any:
    """Return the entries of a series; missing ones of a type that NumPy does not have are None."""
    if isinstance(series.dtype, np.dtype) or not hasattr(series, "iloc"):
        return series.to_numpy()
    return series.to_numpy(dtype=object, na_value=None)


def _names(value: Any) -> dict[str, Any]:
    """Return the names of a frame or series and of its axes, its notes and its special types, if any."""
    names = {"name": getattr(value, "name", None), "attrs": getattr(value, "attrs", None)}
    for axis in ("index", "columns"):
        axis_names = list(getattr(getattr(value, axis, None), "names", ()))
        names[f"{axis}.names"] = axis_names if any(name is not None for name in axis_names) else None
    if hasattr(value, "columns"):
        types = [_special_type(kind) for kind in getattr(value, "dtypes", ())]
        names["types"] = types if any(kind is not None for kind in types) else None
    else:
        names["types"] = _special_type(getattr(value, "dtype", None))
    return {name: entry for name, entry in names.items() if entry not in (None, {})}


def _special_type(kind: Any) -> Any:
    """Return a type that NumPy does not have: the categories with their order, or the name; else None."""
    if kind is None or isinstance(kind, np.dtype):
        return None
    if hasattr(kind, "ordered"):
        return {"categories": list(kind.categories), "ordered": kind.ordered}
    return str(kind)
