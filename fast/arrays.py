"""Types of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
"""Numbers: integers in steps of the grid, or floats, which the mirror update of the paper makes of them."""
Codes = NDArray[np.uint8]
"""`codes[f, i]` is the code of feature f in row i."""
Signs = NDArray[np.int8]
"""The label of each row, -1 or 1."""
Nodes = NDArray[np.uint16]
"""The index, within its level, of the node that each row has reached."""
Features = NDArray[np.int32]
"""Indices of features."""
Values = NDArray[np.uint8]
"""Codes that tests compare with."""
Flags = NDArray[np.bool_]
"""Whether something holds for each entry."""
Indices = NDArray[np.int64]
"""Indices of candidates, rows or bins, and counts."""
