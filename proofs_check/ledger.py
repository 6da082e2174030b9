"""The ledger: all entries, how they are selected, and how they are judged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from privboost.errors import HarnessError, UsageError
from privboost.printing import suggest
from privboost.proofs_check.coq_links.theorems import coq_proofs
from privboost.proofs_check.kernel.certificates import Rejected
from privboost.proofs_check.kernel.terms import Claim

from .assembly import cited_keys, explain_open, open_hypotheses, premises_of_conclusion
from .entry import Entry, ProofOutcome, Verdict
from .hypotheses import check_names, is_satisfiable
from .index import Location, load_entries, locations

TRUSTED = (
    "coq",
    "kernel",
    "z3",
    "elementary facts",
    "reference",
    "sympy",
    "transcription",
    "index of the paper",
)
"""The assumptions of proofs, in increasing order of what must be trusted."""

USABLE = (Verdict.PROVED, Verdict.PROVED_IF, Verdict.STEP)
"""Verdicts of entries that others may rest on; a proof that uses one proves its hypotheses there."""

FORMULA_ENGINES = ("coq", "identity", "sum", "concavity", "smt", "intervals")
"""The engines that prove the whole formula of an entry."""
WEAK = {"citation": Verdict.EXTERNAL, "exhaustion": Verdict.EXHAUSTED}
"""The verdicts on words that rest on an engine that proves nothing in general, the weakest first."""
PARTIAL = ("derivation", "exhaustion")
"""The engines whose results do not add to a formal proof of the same entry."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on one entry, and how it differs from the record."""

    key: str
    verdict: Verdict | None
    outcomes: tuple[ProofOutcome, ...]
    complaint: str = ""

    @property
    def engines(self) -> tuple[str, ...]:
        """Return the engines that accepted, each once."""
        return tuple(dict.fromkeys(outcome.engine for outcome in self.outcomes))

    @property
    def trust(self) -> tuple[str, ...]:
        """Return the assumptions of the verdict.

        Each formal proof proves the whole formula, so one that needs the fewest counts. Other proofs are of
        parts of the words and all count, except derivations and exhaustions that only repeat the formula.
        That hypotheses are those of cited entries is shown by z3, unless a theorem in Coq is the whole.
        """
        proving = [outcome for outcome in self.outcomes if outcome.proves]
        formal = [outcome.trust for outcome in proving if outcome.engine in FORMULA_ENGINES]
        needed = [
            outcome.trust
            for outcome in proving
            if outcome.own_words
            or (outcome.engine not in FORMULA_ENGINES and not (formal and outcome.engine in PARTIAL))
        ]
        cited = cited_keys(entries()[self.key])
        if cited and "theorem" not in self.engines:
            needed.append(("z3",))
        chosen = min(formal, key=_demand, default=())
        parts = (*chosen, *(part for trust in needed for part in trust), *cited)
        return tuple(dict.fromkeys(parts))

    @property
    def detail(self) -> str:
        """Return the remarks of the engines."""
        return "; ".join(outcome.detail for outcome in self.outcomes if outcome.detail)


def _demand(trust: tuple[str, ...]) -> tuple[int, int]:
    """Return a sort key for how much must be trusted: the kernel alone comes first, then z3."""
    ranks = [TRUSTED.index(part) if part in TRUSTED else len(TRUSTED) for part in trust]
    return max(ranks, default=0), len(ranks)


class _Ledger(Mapping[str, Entry]):
    """Every entry by key, in the order of the modules of claims; a module is loaded with its first entry."""

    def __getitem__(self, key: str) -> Entry:
        return load_entries(locations()[key].section)[key]

    def __contains__(self, key: object) -> bool:
        return key in locations()

    def __iter__(self) -> Iterator[str]:
        return iter(locations())

    def __len__(self) -> int:
        return len(locations())


@cache
def entries() -> Mapping[str, Entry]:
    """Return every entry by key, in the order of the modules of claims."""
    return _Ledger()


def dependencies(entry: Entry) -> tuple[str, ...]:
    """Return the keys of the entries that an entry uses or cites."""
    return (*used_keys(entry), *cited_keys(entry))


def used_keys(entry: Entry) -> tuple[str, ...]:
    """Return the keys of the entries that the proofs of an entry use."""
    proofs = (*entry.proofs, *(proof for proof in (entry.refutation, entry.without) if proof))
    return tuple(use.key for proof in proofs for use in getattr(proof, "uses", ()))


def usable_claims(entry: Entry) -> dict[str, Claim]:
    """Return the claims that an entry uses, which must exist, be formal and not be refuted."""
    claims = {}
    for key in used_keys(entry):
        used = entries().get(key)
        if used is None or used.whole_claim is None or used.refutation is not None:
            raise HarnessError(f"'{entry.key}' uses '{key}', which is not a proved formal claim")
        claims[key] = used.whole_claim
    return claims


def judge(key: str) -> Judgement:
    """Return the verdict on an entry, from its engines alone."""
    entry = entries()[key]
    try:
        if cycle := cycle_below(key):
            raise HarnessError(f"circular: {' uses '.join(cycle)}")
        check_names(entry)
        claims = usable_claims(entry)
        outcomes = tuple(_check_proofs(entry, claims))
        verdict = _verdict(entry, outcomes)
    except (Rejected, HarnessError, TypeError, ValueError, KeyError, ArithmeticError) as error:
        return Judgement(key, None, (), f"{type(error).__name__}: {error}")
    return Judgement(key, verdict, outcomes)


def collect_dependencies(key: str) -> set[str]:
    """Return the keys of the entries on which an entry rests, directly or indirectly."""
    keys: set[str] = set()
    pending = list(dependencies(entries()[key]))
    while pending:
        used = pending.pop()
        if used not in keys:
            keys.add(used)
            pending += dependencies(entries()[used]) if used in entries() else ()
    return keys


def cycle_below(key: str) -> list[str]:
    """Return a circle of entries that use each other, with the first again at the end, or an empty list."""
    path: list[str] = []
    done: set[str] = set()
    pending = [(key, 0)]
    while pending:
        current, depth = pending.pop()
        del path[depth:]
        if current in path:
            return [*path[path.index(current) :], current]
        if current not in done and current in entries():
            path.append(current)
            done.add(current)
            pending += [(used, depth + 1) for used in dependencies(entries()[current])]
    return []


def settle(judgements: Mapping[str, Judgement]) -> dict[str, Judgement]:
    """Return judgements in which no verdict rests on an entry that was rejected or refuted."""
    return {key: _settle_one(judgement, judgements) for key, judgement in judgements.items()}


def _settle_one(judgement: Judgement, judgements: Mapping[str, Judgement]) -> Judgement:
    broken = sorted(
        key
        for key in collect_dependencies(judgement.key)
        if key not in judgements or judgements[key].verdict not in USABLE
    )
    if judgement.verdict is None or not broken:
        return judgement
    return Judgement(judgement.key, None, judgement.outcomes, f"rests on '{broken[0]}', which is not proved")


def _check_proofs(entry: Entry, claims: Mapping[str, Claim]) -> Iterator[ProofOutcome]:
    """Yield the outcome of the refutation, or of each proof and of the counterexample without `added`."""
    if entry.refutation is not None:
        yield entry.refutation.accept(entry.claim, claims)
        return
    for proof in (*entry.proofs, *coq_proofs(entry.key)):
        yield proof.accept(entry.whole_claim, claims)
    if entry.without is not None:
        outcome = entry.without.accept(entry.claim, claims)
        detail = f"not without the hypothesis: {outcome.detail}"
        yield ProofOutcome(outcome.engine, outcome.trust, detail, proves=False)


def _verdict(entry: Entry, outcomes: tuple[ProofOutcome, ...]) -> Verdict:
    if entry.refutation is not None:
        return Verdict.REFUTED
    engines = {outcome.engine for outcome in outcomes if outcome.proves}
    if not engines:
        return Verdict.NOTATION
    formal = entry.claim is not None and not engines.isdisjoint(FORMULA_ENGINES)
    weak = [verdict for engine, verdict in WEAK.items() if engine in engines]
    if weak and not formal:
        return weak[0]
    if entry.claim is not None:
        if not formal:
            raise Rejected("no proof is about the formula")
        _check_hypotheses(entry, entry.claim)
        missing = (*open_hypotheses(entry, entries()), *premises_of_conclusion(entry))
        if missing and not entry.hypothesis:
            if entry.kind != "step":
                raise Rejected(explain_open(missing))
            return Verdict.STEP
    return Verdict.PROVED_IF if is_conditional(entry) else Verdict.PROVED


def is_conditional(entry: Entry) -> bool:
    """Return whether an entry, or one that it rests on, has a hypothesis that the paper does not state."""
    resting = (entries()[key] for key in collect_dependencies(entry.key) if key in entries())
    return any(part.added or part.hypothesis for part in (entry, *resting))


def _check_hypotheses(entry: Entry, claim: Claim) -> None:
    """Raise `Rejected` if a claim is empty: no values satisfy the hypotheses, or one is the conclusion."""
    if claim.then in claim.given:
        raise Rejected("the conclusion is one of the hypotheses")
    if not is_satisfiable(entry):
        raise Rejected("the hypotheses cannot hold together")


def select_keys(names: Iterable[str]) -> list[str]:
    """Return the keys that a list of names selects; an empty list selects all.

    A name selects the entries of that label, the entry of that key, and the entries whose keys begin with it
    and a dot.
    """
    wanted = list(names)
    for name in wanted:
        if not any(_is_named(key, location, name) for key, location in locations().items()):
            known = {*locations(), *(label for location in locations().values() for label in location.labels)}
            expected = "a label of the paper or a key of the ledger"
            raise UsageError(f"LABEL: expected {expected}, got '{name}'{suggest(name, sorted(known))}")
    return [
        key
        for key, location in locations().items()
        if not wanted or any(_is_named(key, location, name) for name in wanted)
    ]


def _is_named(key: str, location: Location, name: str) -> bool:
    return name in location.labels or key == name or key.startswith(f"{name}.")
