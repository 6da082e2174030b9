"""Statistical audits of privacy claims, for any Python function or program.

`audit(mechanism, pair, epsilon=1.0)` calls a mechanism on two neighbouring inputs in random order, guesses
from each output which input was used, and turns correct guesses into a lower confidence bound on epsilon. The
bound is valid at every time. `check_stability(function, inputs="vector:10", bound=1)` searches two inputs on
which a deterministic step moves by more than is claimed.
"""

from privboost.auditor.betting.wealth import Power
from privboost.auditor.files import saving
from privboost.auditor.files.sentences import explain
from privboost.auditor.mechanisms.mechanism import Mechanism
from privboost.auditor.pairs.pair import Pair
from privboost.auditor.running.calling import Progress
from privboost.auditor.running.plan import AuditPlan
from privboost.auditor.running.sequential import SequentialTest
from privboost.auditor.stability.check import check_stability
from privboost.auditor.stability.result import WRITERS as STABILITY_WRITERS
from privboost.auditor.stability.result import ComparedPair, StabilityResult, StabilityVerdict
from privboost.errors import TargetError

from .audit import audit
from .claims import PrivacyClaim, parse_claim
from .estimator_audit import audit_estimator
from .result import WRITERS, AuditResult, FixedBound, PairResult, Point, Verdict
from .run import recheck

__all__ = [
    "AuditPlan",
    "AuditResult",
    "ComparedPair",
    "FixedBound",
    "Mechanism",
    "Pair",
    "PairResult",
    "Point",
    "Power",
    "PrivacyClaim",
    "Progress",
    "SequentialTest",
    "StabilityResult",
    "StabilityVerdict",
    "TargetError",
    "Verdict",
    "audit",
    "audit_estimator",
    "check_stability",
    "explain",
    "parse_claim",
    "recheck",
]

# Results stand below the files that show them.
WRITERS.update(saving.WRITERS)
STABILITY_WRITERS.update(saving.STABILITY_WRITERS)
