"""The accounting of hypotheses: an entry may not assume what has to be proved.

A hypothesis is the entry's own if it is about inputs alone, or if it is the sign of one symbol. The inputs of
a section are the symbols that the paper quantifies over: data, parameters, an arbitrary point. Everything
else is an outcome, such as the error of a tree, and what is assumed of it must be the conclusion of a cited
entry. An entry with an open hypothesis is no theorem: it is a step (`Verdict.STEP`), PROVED-IF, or rejected.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from privboost.errors import HarnessError
from privboost.proofs_check.engines import smt
from privboost.proofs_check.kernel.certificates import Rejected
from privboost.proofs_check.kernel.terms import Claim, Formula, Term, term, walk

from .entry import Cite, Entry, Induction
from .language import infix, substitute, substitute_in

Entries = Mapping[str, Entry]


@cache
def inputs_of_sections() -> Mapping[str, frozenset[str]]:
    """Return the input symbols of every entry, by key: those of its section."""
    from privboost.proofs_check.claims import SECTIONS

    return {
        entry.key: frozenset(section.INPUTS.split())
        for section in SECTIONS
        for module in section.MODULES
        for entry in module.ENTRIES
    }


def variables(formula: Formula) -> set[str]:
    """Return the names of the variables of a formula."""
    return {str(part.name) for part in walk(formula) if isinstance(part, Term) and part.op == "variable"}


def cited_keys(entry: Entry) -> tuple[str, ...]:
    """Return the keys of the entries whose conclusions an entry has among its hypotheses."""
    return tuple(dict.fromkeys(key for item in entry.rests_on for key in item.keys))


def open_hypotheses(entry: Entry, entries: Entries) -> list[Formula]:
    """Return the hypotheses that are not the entry's own and that no cited entry proves."""
    own, foreign = _sorted_hypotheses(entry)
    for item in entry.rests_on:
        granted = [formula for formula in foreign if _grants(item, formula, own, entries)]
        if not granted:
            raise Rejected(f"rests on {', '.join(item.keys)}, which proves none of the open hypotheses")
        foreign = [formula for formula in foreign if formula not in granted]
    return foreign


def _sorted_hypotheses(entry: Entry) -> tuple[tuple[Formula, ...], list[Formula]]:
    """Return the hypotheses of an entry that are its own, and the others."""
    inputs = inputs_of_sections().get(entry.key, frozenset())
    given = entry.claim.given if entry.claim else ()
    own = tuple(formula for formula in given if variables(formula) <= inputs or _is_sign(formula))
    return own, [formula for formula in given if formula not in own]


def _defined_symbol(formula: Formula) -> str | None:
    """Return x if the formula is x = t, where x is not in t."""
    if formula.op != "=" or formula.args[0].op != "variable":
        return None
    left, right = formula.args
    inside = {part.name for part in walk(right) if isinstance(part, Term)}
    return str(left.name) if isinstance(left, Term) and left.name not in inside else None


def _is_sign(formula: Formula) -> bool:
    return formula.op in ("<=", "<") and formula.args[0] == term(0) and formula.args[1].op == "variable"


def _cited(key: str, entries: Entries) -> tuple[Entry, Claim]:
    entry = entries.get(key)
    if entry is None or entry.whole_claim is None or entry.refutation is not None:
        raise HarnessError(f"'{key}' is cited and is not a proved formal claim")
    return entry, entry.whole_claim


def _grants(item: Cite | Induction, formula: Formula, own: tuple[Formula, ...], entries: Entries) -> bool:
    """Return whether a cited entry, or an induction, proves an open hypothesis."""
    if isinstance(item, Induction):
        forms = (formula, substitute_in(formula, _definitions(own)))
        return any(_holds_always(item, invariant, own, entries) for invariant in forms)
    entry, claim = _cited(item.key, entries)
    if open_hypotheses(entry, entries):
        return False
    kept = {name for part in (*own, formula) for name in variables(part)} - item.where.keys()
    instance = substitute_in(substitute_in(formula, _definitions(own)), item.where)
    return _covers(own, claim.given, kept) and _follows((*claim.given, claim.then), instance)


def _holds_always(item: Induction, invariant: Formula, own: tuple[Formula, ...], entries: Entries) -> bool:
    """Return whether an invariant holds at the start, and after a step if it holds before."""
    first = {name: term(value) for name, value in item.first.items()}
    base = tuple(part for part in own if variables(part).isdisjoint(first))
    if item.start is not None:
        entry, claim = _cited(item.start, entries)
        base += (*claim.given, claim.then)
        if open_hypotheses(entry, entries):
            return False
    step, claim = _cited(item.step, entries)
    conditions = _sorted_hypotheses(step)[0]
    known = (*conditions, substitute_in(invariant, item.before))
    kept = {name for part in (*own, invariant) for name in variables(part)} - first.keys()
    return _covers(own, conditions, kept) and (
        _follows(base, substitute_in(invariant, first))
        and _follows((*claim.given, claim.then), substitute_in(invariant, item.after))
        and all(_follows(known, part) for part in open_hypotheses(step, entries))
    )


def _covers(own: tuple[Formula, ...], conditions: tuple[Formula, ...], names: set[str]) -> bool:
    """Return whether an entry grants the conditions of a cited one that are about symbols of both."""
    shared = [part for part in conditions if variables(part) and variables(part) <= names]
    return all(_follows(own, part) for part in shared)


def _definitions(formulas: tuple[Formula, ...]) -> dict[str, Term]:
    """Return the terms that symbols stand for."""
    values: dict[str, Term] = {}
    for formula in formulas:
        name, right = _defined_symbol(formula), formula.args[-1]
        if name is not None and isinstance(right, Term):
            values[name] = substitute(right, values)
    return values


def _follows(given: tuple[Formula, ...], formula: Formula) -> bool:
    """Return whether a formula is among others or follows from them, which must not contradict each other."""
    return formula in given or (_proves(given, formula) and not _proves(given, term(1) <= 0))


def _proves(given: tuple[Formula, ...], formula: Formula) -> bool:
    try:
        smt.prove(Claim(given, formula), ())
    except Rejected:
        return False
    return True


def explain_open(formulas: list[Formula]) -> str:
    """Return the complaint about open hypotheses."""
    shown = "; ".join(infix(formula) for formula in formulas)
    return f"assumes what is neither the paper's nor the conclusion of a cited entry: {shown}"
