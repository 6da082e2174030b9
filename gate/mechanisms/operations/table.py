"""The table of operations: arguments, ranges, results, labels, rules and refusals.

It makes the page docs/mechanisms_protocol.md, the schema of requests, the refusals and the skeletons.
"""

from __future__ import annotations

from privboost.gate.protocol.operation import Operation

from .accounting import ACCOUNTING_OPERATIONS
from .aggregates import AGGREGATE_OPERATIONS
from .draws import CHOICE_OPERATIONS, NOISE_OPERATIONS
from .steps import STEP_OPERATIONS

TABLE = (
    *NOISE_OPERATIONS,
    *CHOICE_OPERATIONS,
    *AGGREGATE_OPERATIONS,
    *STEP_OPERATIONS,
    *ACCOUNTING_OPERATIONS,
)
OPERATIONS: dict[str, Operation] = {operation.name: operation for operation in TABLE}
"""Every operation besides `hello`, by name."""
