"""The table of operations: arguments, ranges, results, labels, rules and refusals.

It makes the page docs/mechanisms_protocol.md, the schema of requests, the refusals and the skeletons.
"""

from __future__ import annotations

from privboost.gate.protocol.operation import Operation

from .accounting import ACCOUNTING_OPERATIONS, MEANINGS_OF_ACCOUNTING
from .aggregates import AGGREGATE_OPERATIONS
from .draws import CHOICE_OPERATIONS, NOISE_OPERATIONS
from .ranges import MEANINGS_OF_DRAWS
from .steps import MEANINGS_OF_STEPS, STEP_OPERATIONS

TABLE = (
    *NOISE_OPERATIONS,
    *CHOICE_OPERATIONS,
    *AGGREGATE_OPERATIONS,
    *STEP_OPERATIONS,
    *ACCOUNTING_OPERATIONS,
)
OPERATIONS: dict[str, Operation] = {operation.name: operation for operation in TABLE}
"""Every operation besides `hello`, by name."""
MEANINGS = MEANINGS_OF_DRAWS | MEANINGS_OF_STEPS | MEANINGS_OF_ACCOUNTING
"""What the arguments mean."""
