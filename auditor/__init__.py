"""Statistical audits of privacy claims, for any Python function or program.

`audit(mechanism, pair, epsilon=1.0)` calls a mechanism on two neighbouring inputs in random order, guesses
from each output which input was used, and turns correct guesses into a lower confidence bound on epsilon. The
bound is valid at every time.
"""

from privboost.errors import TargetError

from .audit import Progress, audit, recheck
from .pair import Pair
from .power import Power
from .result import AuditResult, FixedBound, PairResult, Point, Verdict
from .sequential import SequentialTest
from .settings import Settings
from .subject import Mechanism

__all__ = [
    "AuditResult",
    "FixedBound",
    "Mechanism",
    "Pair",
    "PairResult",
    "Point",
    "Power",
    "Progress",
    "SequentialTest",
    "Settings",
    "TargetError",
    "Verdict",
    "audit",
    "recheck",
]
