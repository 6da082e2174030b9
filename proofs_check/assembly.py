"""The accounting of hypotheses: an entry may not assume what has to be proved.

A hypothesis is the entry's own if it is about inputs alone, or if it is a sign or bound that symbols have by
their meaning. The inputs of a section are the symbols that the paper quantifies over: data, parameters, an
arbitrary point. Everything else, an applied function included, is an outcome, such as the error of a tree,
and what is assumed of it must be the conclusion of a cited entry. Whatever a cited entry assumes, the citing
one must state, imply or prove. An entry with an open hypothesis is no theorem: it is a step
(`Verdict.STEP`), PROVED-IF, or rejected.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from privboost.errors import HarnessError
from privboost.proofs_check.engines import smt
from privboost.proofs_check.kernel.certificates import Rejected
from privboost.proofs_check.kernel.terms import NAMED, Claim, Formula, Term, term, walk

from .entry import Cite, Entry, Induction
from .index import find_symbols
from .language import infix, negation, substitute, substitute_in, variables

Entries = Mapping[str, Entry]


def cited_keys(entry: Entry) -> tuple[str, ...]:
    """Return the keys of the entries whose conclusions an entry has among its hypotheses."""
    return tuple(dict.fromkeys(key for item in entry.rests_on for key in item.keys))


def open_hypotheses(entry: Entry, entries: Entries) -> list[Formula]:
    """Return the hypotheses that are not the entry's own and that no cited entry proves."""
    own, foreign = _sorted_hypotheses(entry)
    for item in entry.rests_on:
        refusals = [_refusal(item, formula, own, entries) for formula in foreign]
        if all(refusals):
            why = "; ".join(dict.fromkeys(refusals)) or "there is none"
            raise Rejected(f"rests on {', '.join(item.keys)}, which proves no open hypothesis: {why}")
        foreign = [formula for formula, refusal in zip(foreign, refusals, strict=True) if refusal]
        foreign += [formula for formula in item.given if not _may_state(entry, item, formula)]
    _check_symbols(entry)
    return foreign


def premises_of_conclusion(entry: Entry) -> list[Formula]:
    """Return the assumptions about outcomes that are hidden in the conclusion of an entry.

    A disjunction about outcomes assumes that all its parts but the last one fail, and a minimum, maximum or
    absolute value decides an order. Equivalences, and the least of several outcomes, are what they say.
    """
    inputs = find_symbols(entry.key).inputs
    return list(_premises(_negated_inside(entry.claim.then), inputs)) if entry.claim else []


def _premises(formula: Formula, inputs: frozenset[str]) -> Iterator[Formula]:
    if formula.op in ("and", "or"):
        parts = [part for part in formula.args if isinstance(part, Formula)]
        if formula.op == "or":
            about_outcomes = [part for part in _disjuncts(formula) if not _names(part) <= inputs]
            yield from (_negated_inside(part, negated=True) for part in about_outcomes[:-1])
        alternatives = [{*_disjuncts(part)} for part in parts] if formula.op == "and" else []
        for part in parts:
            opposite = {_negated_inside(other, negated=True) for other in _disjuncts(part)}
            for inner in _disjuncts(part) if opposite in alternatives else [part]:
                yield from _premises(inner, inputs)
        return
    for node in walk(formula):
        if isinstance(node, Term) and node.op in ("min", "max", "abs") and not _names(node) <= inputs:
            first, second = (*node.args, term(0))[:2]
            if any(each.op != "variable" or each.name in inputs for each in (first, second)):
                yield first <= second


def _disjuncts(formula: Formula) -> list[Formula]:
    """Return the parts of a disjunction, or the formula itself."""
    if formula.op != "or":
        return [formula]
    return [part for inner in formula.args if isinstance(inner, Formula) for part in _disjuncts(inner)]


def _negated_inside(formula: Formula, *, negated: bool = False) -> Formula:
    """Return a formula, or its negation, in which only comparisons are negated."""
    parts = [part for part in formula.args if isinstance(part, Formula)]
    if formula.op == "not":
        return _negated_inside(parts[0], negated=not negated)
    if not parts:
        return negation(formula) if negated else formula
    op = {"and": "or", "or": "and"}[formula.op] if negated else formula.op
    return Formula(op, tuple(_negated_inside(part, negated=negated) for part in parts))


def list_assumptions(entry: Entry) -> tuple[Formula, ...]:
    """Return the assumptions of an entry: its own hypotheses, and those about symbols of cited entries."""
    return (*_sorted_hypotheses(entry)[0], *(formula for item in entry.rests_on for formula in item.given))


def _sorted_hypotheses(entry: Entry) -> tuple[tuple[Formula, ...], list[Formula]]:
    """Return the hypotheses of an entry that are its own, with the added ones, and the others."""
    given = entry.claim.given if entry.claim else ()
    own = tuple(formula for formula in given if _is_own(formula, entry.key) or _is_divisor(formula, entry))
    return (*own, *entry.added), [formula for formula in given if formula not in own]


def _is_own(formula: Formula, key: str) -> bool:
    """Return whether an entry may assume a formula: it is about inputs, or part of the meaning of symbols."""
    symbols = find_symbols(key)
    names = _names(formula)
    is_sign = formula.op == "<=" and formula.args[0] == term(0) and formula.args[1].op == "variable"
    return names <= symbols.inputs or (is_sign and names <= symbols.positive) or formula in symbols.meaning


def _is_divisor(formula: Formula, entry: Entry) -> bool:
    """Return whether a formula is 0 < x for a positive outcome x without which a divisor may be 0."""
    if entry.claim is None or formula.op != "<" or not _is_own(Formula("<=", formula.args), entry.key):
        return False
    symbol = formula.args[1]
    parts = (part for stated in (*entry.claim.given, entry.claim.then) for part in walk(stated))
    return any(part.op == "/" and symbol in walk(part.args[1]) for part in parts)


def _may_state(entry: Entry, item: Cite | Induction, formula: Formula) -> bool:
    """Return whether an entry may state a formula about a cited one, which is not about its own outcomes."""
    outcomes = {name for part in entry.setting for name in _names(part)} - find_symbols(entry.key).inputs
    return _is_own(formula, entry.key) or (
        any(_is_own(formula, key) for key in item.keys) and _names(formula).isdisjoint(outcomes)
    )


def _names(node: Term | Formula) -> set[str]:
    """Return the names of the variables and functions of a term or formula."""
    return {str(part.name) for part in walk(node) if isinstance(part, Term) and part.op in NAMED}


def _check_symbols(entry: Entry) -> None:
    """Raise `Rejected` if symbols stand for terms that are not declared, or one symbol for two of them."""
    declared = find_symbols(entry.key).stands_for
    meanings: dict[str, Term] = {}
    for item in entry.rests_on:
        if undeclared := [line for line in stands_for(item) if line not in declared]:
            raise Rejected(f"rests on {', '.join(item.keys)} with undeclared {'; '.join(undeclared)}")
        for name, value in item.where.items() if isinstance(item, Cite) else ():
            if meanings.setdefault(name, value) != value:
                raise Rejected(f"{name} stands for {infix(meanings[name])} and for {infix(value)}")


def stands_for(item: Cite | Induction) -> list[str]:
    """Return the meanings of symbols: `x = term`, or `x: first; before → after` in an induction."""
    if isinstance(item, Cite):
        return [f"{name} = {infix(value)}" for name, value in item.where.items()]
    if item.after.keys() != item.first.keys() or not item.before.keys() <= item.first.keys():
        raise Rejected(f"the induction by {item.step} needs a first value and a next one of every symbol")
    before = {name: infix(item.before.get(name, Term("variable", (), name))) for name in item.first}
    return [
        f"{name}: {infix(term(value))}; {before[name]} → {infix(item.after[name])}"
        for name, value in item.first.items()
    ]


def _defined_symbol(formula: Formula) -> str | None:
    """Return x if the formula is x = t, where x is not in t."""
    if formula.op != "=" or formula.args[0].op != "variable":
        return None
    left, right = formula.args
    inside = {part.name for part in walk(right) if isinstance(part, Term)}
    return str(left.name) if isinstance(left, Term) and left.name not in inside else None


def _find_cited(key: str, entries: Entries) -> tuple[Entry, Claim]:
    entry = entries.get(key)
    if entry is None or entry.whole_claim is None or entry.refutation is not None:
        raise HarnessError(f"'{key}' is cited and is not a proved formal claim")
    return entry, entry.whole_claim


def _refusal(item: Cite | Induction, formula: Formula, own: tuple[Formula, ...], entries: Entries) -> str:
    """Return why a cited entry, or an induction, does not prove an open hypothesis; empty if it does."""
    if isinstance(item, Induction):
        forms = dict.fromkeys((formula, substitute_in(formula, _definitions(own))))
        refusals = [_refusal_of_induction(item, invariant, own, entries) for invariant in forms]
        return refusals[-1] if all(refusals) else ""
    entry, claim = _find_cited(item.key, entries)
    if missing := open_hypotheses(entry, entries):
        return f"it {explain_open(missing)}"
    known = (*(substitute_in(part, item.where) for part in own), *item.given)
    if not_granted := _not_granted(known, entry):
        return not_granted
    instance = substitute_in(substitute_in(formula, _definitions(own)), item.where)
    if instance in item.given:
        return f"{infix(instance)} is stated, not proved"
    follows = _follows((*claim.given, claim.then), instance)
    return "" if follows else f"it does not imply {infix(instance)}"


def _refusal_of_induction(
    item: Induction, invariant: Formula, own: tuple[Formula, ...], entries: Entries
) -> str:
    """Return why an invariant need not hold at the start, and after a step if it holds before; or nothing."""
    first = {name: term(value) for name, value in item.first.items()}
    known = (*_about_constants(own, variables(invariant) - first.keys()), *item.given)
    base = known
    if item.start is not None:
        start, claim = _find_cited(item.start, entries)
        if missing := open_hypotheses(start, entries):
            return f"{item.start} {explain_open(missing)}"
        if not_granted := _not_granted(known, start):
            return not_granted
        base += (*claim.given, claim.then)
    step, claim = _find_cited(item.step, entries)
    if not_granted := _not_granted(known, step):
        return not_granted
    at_first = {str(item.before.get(name, Term("variable", (), name)).name): first[name] for name in first}
    if _proves(tuple(substitute_in(part, at_first) for part in known), term(1) <= 0):
        return f"what {item.step} assumes cannot hold at the start"
    if not _follows(base, substitute_in(invariant, first)):
        return f"{infix(substitute_in(invariant, first))} is not shown at the start"
    if not _follows((*claim.given, claim.then), substitute_in(invariant, item.after)):
        return f"{item.step} does not imply {infix(substitute_in(invariant, item.after))}"
    before = (*list_assumptions(step), substitute_in(invariant, item.before))
    missing = [part for part in open_hypotheses(step, entries) if not _follows(before, part)]
    return f"{item.step} {explain_open(missing)}" if missing else ""


def _about_constants(own: tuple[Formula, ...], constants: set[str]) -> Iterator[Formula]:
    """Yield hypotheses with new names for the symbols that have other values in other steps of a run."""
    for formula in own:
        changing = variables(formula) - constants
        yield substitute_in(formula, {name: Term("variable", (), f"_{name}_at_the_end") for name in changing})


def _not_granted(known: tuple[Formula, ...], entry: Entry) -> str:
    """Return which assumption of a cited entry does not follow from what is known; empty if all do."""
    for part in list_assumptions(entry):
        if not _follows(known, part):
            return f"{infix(part)}, which '{entry.key}' assumes, is not granted"
    return ""


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


@cache
def _proves(given: tuple[Formula, ...], formula: Formula) -> bool:
    try:
        smt.prove(Claim(given, formula), ())
    except Rejected:
        return False
    return True


def explain_open(formulas: Iterable[Formula]) -> str:
    """Return the complaint about open hypotheses."""
    shown = "; ".join(infix(formula) for formula in formulas)
    return f"assumes what is neither the paper's nor the conclusion of a cited entry: {shown}"
