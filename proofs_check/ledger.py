"""The ledger: all entries, how they are judged, and the record that a judgement is compared with."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from hashlib import sha256
from importlib import resources
from typing import Any

from privboost.errors import HarnessError, UsageError

from .engines.elementary import Fact
from .engines.smt import satisfiable
from .entry import Entry, Outcome, Proof, Verdict
from .kernel.certificates import Rejected
from .kernel.terms import Claim, Formula, Term, holds, walk
from .language import reals, substitute

RECORD = "recorded.json"
TRUSTED = ("kernel", "z3", "elementary facts", "reference", "sympy", "transcription", "index of the paper")
"""What a proof can rest on, the least demanding first."""
SOUND = (Verdict.PROVED, Verdict.PROVED_IF)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What was found of one entry, and how it compares with the record."""

    key: str
    verdict: Verdict | None
    outcomes: tuple[Outcome, ...]
    complaint: str = ""

    @property
    def engines(self) -> tuple[str, ...]:
        """Return the engines that accepted, each once."""
        return tuple(dict.fromkeys(outcome.engine for outcome in self.outcomes))

    @property
    def trust(self) -> tuple[str, ...]:
        """Return what the verdict rests on: every proof is a whole one, so the least demanding counts."""
        whole = (outcome.trust for outcome in self.outcomes if outcome.proves)
        return (*min(whole, key=_demand, default=()), *entries()[self.key].rests_on)

    @property
    def detail(self) -> str:
        """Return the remarks of the engines."""
        return "; ".join(outcome.detail for outcome in self.outcomes if outcome.detail)


def _demand(trust: tuple[str, ...]) -> tuple[int, int]:
    """Return how much is to be believed: the kernel alone is least, then z3, then anything else."""
    ranks = [TRUSTED.index(part) if part in TRUSTED else len(TRUSTED) for part in trust]
    return max(ranks, default=0), len(ranks)


@cache
def entries() -> Mapping[str, Entry]:
    """Return every entry by key, in the order of the paper; ours follow."""
    from .claims import MODULES

    found: dict[str, Entry] = {}
    for module in MODULES:
        for entry in module.ENTRIES:
            if entry.key in found:
                raise HarnessError(f"two entries are called '{entry.key}'")
            found[entry.key] = entry
    return found


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
            raise HarnessError(f"'{entry.key}' uses '{key}', which is no proved formal claim")
        claims[key] = used.whole_claim
    return claims


def judge(key: str) -> Judgement:
    """Return the verdict on an entry, from its engines alone."""
    entry = entries()[key]
    try:
        claims = usable_claims(entry)
        outcomes = tuple(_accepted(entry, claims))
    except (Rejected, HarnessError, TypeError, ValueError, KeyError, ArithmeticError) as error:
        return Judgement(key, None, (), f"{type(error).__name__}: {error}")
    return Judgement(key, _verdict(entry, outcomes), outcomes)


def _accepted(entry: Entry, claims: Mapping[str, Claim]) -> Iterator[Outcome]:
    """Yield the outcomes of an entry's refutation, or of its proofs and of what shows a hypothesis needed."""
    if entry.refutation is not None:
        yield entry.refutation.accept(entry.claim, claims)
        return
    for proof in entry.proofs:
        yield proof.accept(entry.whole_claim, claims)
    if entry.without is not None:
        outcome = entry.without.accept(entry.claim, claims)
        detail = f"not without the hypothesis: {outcome.detail}"
        yield Outcome(outcome.engine, outcome.trust, detail, proves=False)


def _verdict(entry: Entry, outcomes: tuple[Outcome, ...]) -> Verdict:
    if entry.refutation is not None:
        return Verdict.REFUTED
    engines = {outcome.engine for outcome in outcomes if outcome.proves}
    if not engines:
        return Verdict.NOTATION
    if engines == {"citation"}:
        return Verdict.EXTERNAL
    if engines <= {"exhaustion", "citation"}:
        return Verdict.EXHAUSTED
    return Verdict.PROVED_IF if entry.added or entry.hypothesis else Verdict.PROVED


def accepts_control(entry: Entry) -> list[str]:
    """Return the engines of an entry that accept its negative control, which none should."""
    accepted = []
    claims = usable_claims(entry)
    for proof, claim in _controlled(entry):
        try:
            proof.reject(claim, entry.control_claim, claims)
        except Rejected:
            continue
        accepted.append(proof.engine)
    return accepted


def _controlled(entry: Entry) -> Iterator[tuple[Proof, Claim | None]]:
    """Yield every reason of an entry with the claim it is about."""
    if entry.refutation is not None:
        yield entry.refutation, entry.claim
        return
    yield from ((proof, entry.whole_claim) for proof in entry.proofs)
    if entry.without is not None:
        yield entry.without, entry.claim


def satisfied(entry: Entry) -> bool:
    """Return whether the hypotheses of an entry can hold together.

    Where an example is named, it is evaluated exactly. Else z3 looks for one, with 4x(1 - x) for Bayes risks.
    """
    claim = entry.whole_claim
    if claim is None or not claim.given:
        return True
    if entry.example is not None:
        return all(holds(formula, entry.example, entry.functions or {}) for formula in claim.given)
    given = tuple(_with_square_risk(formula) for formula in claim.given)
    if any(part.op in ("exp", "log") for formula in given for part in walk(formula)):
        raise HarnessError(f"'{entry.key}' has exp or log among its hypotheses and needs an example")
    return satisfiable(given)


def _with_square_risk(node: Formula) -> Formula:
    return Formula(
        node.op,
        tuple(
            _square_term(part) if isinstance(part, Term) else _with_square_risk(part) for part in node.args
        ),
    )


def _square_term(node: Term) -> Term:
    args = tuple(_square_term(part) for part in node.args)
    if node.op != "apply":
        return Term(node.op, args, node.name)
    (x,) = reals("x")
    return substitute(4 * x * (1 - x), {"x": args[0]})


def fingerprint(entry: Entry) -> str:
    """Return a digest of everything an entry says, so that no part of it changes unseen."""
    return sha256(_canonical(entry).encode()).hexdigest()[:16]


def _canonical(value: Any) -> str:
    """Return a value as text that does not depend on the run."""
    if isinstance(value, Fact):
        return _canonical(value.formula())
    if is_dataclass(value) and not isinstance(value, type):
        inner = ", ".join(f"{f.name}={_canonical(getattr(value, f.name))}" for f in fields(value))
        return f"{type(value).__name__}({inner})"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_canonical(part)}" for key, part in value.items()) + "}"
    if isinstance(value, tuple | list):
        return "[" + ", ".join(_canonical(part) for part in value) + "]"
    if isinstance(value, Callable):  # type: ignore[arg-type]
        return f"{value.__module__}.{value.__qualname__}: {_source_digest(value.__module__)}"
    return str(value) if isinstance(value, Enum) else repr(value)


@cache
def _source_digest(name: str) -> str:
    """Return a digest of a module of claims and of those it imports: what a computation does is all of it."""
    module = sys.modules[name]
    parts = [inspect.getsource(module)]
    for value in vars(module).values():
        origin = value.__name__ if inspect.ismodule(value) else getattr(value, "__module__", None) or ""
        if origin != name and origin.startswith(f"{__package__}.claims."):
            parts.append(_source_digest(origin))
    return sha256("".join(sorted(set(parts))).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Recorded:
    """What is on record of an entry: its verdict, what that rests on, remarks, and its fingerprint."""

    verdict: Verdict
    fingerprint: str
    engines: tuple[str, ...]
    trust: tuple[str, ...]
    detail: str


@cache
def record() -> Mapping[str, Recorded]:
    """Return what is on record of every entry."""
    rows = json.loads(resources.files(__package__).joinpath(RECORD).read_text("utf-8"))
    return {
        key: Recorded(
            Verdict(row["verdict"]),
            row["fingerprint"],
            tuple(row["engines"]),
            tuple(row["trust"]),
            row["detail"],
        )
        for key, row in rows.items()
    }


def record_text(judgements: Iterable[Judgement]) -> str:
    """Return the record of judgements, as the text of its file."""
    rows = {
        judgement.key: {
            "verdict": judgement.verdict,
            "fingerprint": fingerprint(entries()[judgement.key]),
            "engines": judgement.engines,
            "trust": judgement.trust,
            "detail": judgement.detail,
        }
        for judgement in judgements
        if judgement.verdict is not None
    }
    return json.dumps(rows, indent=1, ensure_ascii=False) + "\n"


def compared(judgement: Judgement) -> Judgement:
    """Return a judgement with a complaint where it, or the entry, is not what is recorded."""
    if judgement.complaint:
        return judgement
    recorded = record().get(judgement.key)
    if recorded is None:
        complaints = ["not on record"]
    else:
        same = recorded.fingerprint == fingerprint(entries()[judgement.key])
        complaints = [] if same else ["the entry is not the one on record"]
        complaints += [f"on record as {recorded.verdict}"] * (recorded.verdict != judgement.verdict)
        found = (judgement.engines, judgement.trust, judgement.detail)
        if found != (recorded.engines, recorded.trust, recorded.detail):
            complaints.append("engines, trust or witness are not those on record")
    return Judgement(judgement.key, judgement.verdict, judgement.outcomes, "; ".join(complaints))


def selected(names: Iterable[str]) -> list[str]:
    """Return the keys that a list of names selects, all of them for none.

    A name selects the entries of that label, the entry of that key, and the entries whose keys begin with it
    and a dot.
    """
    wanted = list(names)
    for name in wanted:
        if not any(_is_named(entry, name) for entry in entries().values()):
            raise UsageError(f"LABEL: expected a label of the paper or a key of the ledger, found '{name}'")
    return [key for key, entry in entries().items() if not wanted or any(_is_named(entry, n) for n in wanted)]


def _is_named(entry: Entry, name: str) -> bool:
    return name in entry.labels or entry.key == name or entry.key.startswith(f"{name}.")


def check_consistency() -> list[str]:
    """Return what is wrong with the whole ledger: links that lead nowhere, circles, missing corrections."""
    known, complaints = entries(), []
    for key, entry in known.items():
        complaints += [f"{key} uses itself, by way of others" for _ in (1,) if key in _reached(key)]
        if entry.refutation is not None and (entry.correction is None or entry.severity is None):
            complaints.append(f"{key} is refuted without a correction and a severity")
        if entry.correction is not None and _not_sound(entry.correction):
            complaints.append(f"the correction '{entry.correction}' of {key} is not proved")
        relied = (*used_keys(entry), *entry.rests_on)
        complaints += [
            f"{key} relies on '{used}', which is not proved" for used in relied if _not_sound(used)
        ]
    return complaints


def _not_sound(key: str) -> bool:
    return key not in record() or record()[key].verdict not in SOUND


def _reached(key: str) -> set[str]:
    """Return the keys that an entry uses, directly or not."""
    found: set[str] = set()
    open_keys = list(used_keys(entries()[key]))
    while open_keys:
        used = open_keys.pop()
        if used not in found:
            found.add(used)
            open_keys += used_keys(entries()[used])
    return found
