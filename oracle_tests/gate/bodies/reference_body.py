"""The reference behind the gate's protocol: exact texts of rational numbers, others correctly rounded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from privboost import __version__
from privboost.errors import PreconditionError, Undecided
from privboost.reference import data, losses
from privboost.reference.exact import ClosedInterval, Extended, Infinity, Number, enclose
from privboost.reference.learners import protocol as readings
from privboost.reference.learners import records
from privboost.reference.learners.boosting import (
    INITIAL_BOUND,
    Release,
    leverage,
    mirror_update,
    release_of_leaves,
    weight_rule,
)
from privboost.reference.learners.ensemble import next_weights, sample_private_ensemble, setting_of_tree
from privboost.reference.learners.leaves import leaf_scale, noisy_leaf
from privboost.reference.learners.loss import next_leaf
from privboost.reference.learners.spending import spend_tree
from privboost.reference.learners.splitting import Setting, node_of
from privboost.reference.privacy import accounting, mechanisms, samplers, sensitivity
from privboost.reference.privacy.bits import SeededBits
from privboost.reference.trees.risks import Mass, leaf_masses, leaf_risk
from privboost.reference.trees.tree import Path, Tree

from .arguments import INFINITIES, LOSSES, OPERATIONS, Arguments, Candidate
from .training import (
    WORDS,
    Attribute,
    Training,
    read_domain,
    read_model,
    read_rows,
    read_training,
    result_of,
)

FIXED = {
    "square": losses.SQUARE,
    "log": losses.LOG,
    "zero_one": losses.ZERO_ONE,
    "matsushita": losses.MATSUSHITA,
}
"""The losses without a parameter."""


LIMITS = {"count": 10000}
"""What exact arithmetic does in reasonable time."""

MOST_BITS = 1 << 13
"""Precision at which a number that looks like a midpoint of two floats is taken for one."""


def written(value: Extended | ClosedInterval) -> str | float:
    """Return a number as the wire has it: exact text of a rational, the nearest float of others."""
    if isinstance(value, ClosedInterval):
        value = losses.select(value)
    if isinstance(value, Infinity | int | Fraction):
        return str(value)
    bits = 160
    while True:
        part = enclose(value, bits)
        if float(part.lo) == float(part.hi) or bits > MOST_BITS:
            return float(part.hi) + 0.0
        bits *= 2


class ReferenceBody:
    """The reference, asked by operations."""

    def answer(self, op: str, args: Mapping[str, Any]) -> Any:
        """Return the result of an operation; refuse wrong arguments with ValueError."""
        if op not in OPERATIONS:
            raise NotImplementedError(f"there is no operation {op!r}")
        arguments = Arguments(op, args)
        try:
            return _ANSWERS[op](arguments)
        except Undecided as error:
            raise NotImplementedError(f"exact arithmetic gives up: {error}") from None


def _hello(a: Arguments) -> dict[str, Any]:
    a.whole("protocol")
    operations = [name for name in OPERATIONS if name != "hello"]
    return {
        "name": "privboost.reference",
        "version": __version__,
        "protocol": 1,
        "operations": operations,
        "limits": LIMITS,
    }


def _loss(a: Arguments) -> losses.Loss:
    name = a.word("loss", LOSSES)
    return losses.m_alpha(a.probability("alpha")) if name == "m_alpha" else FIXED[name]


def _extended(a: Arguments, name: str) -> Number | Infinity:
    value = a.extended(name)
    return Infinity(1 if value == INFINITIES[0] else -1) if isinstance(value, str) else value


def _partial_loss(a: Arguments) -> str | float:
    loss, y, u = _loss(a), a.label(), a.probability("u")
    value = losses.partial_loss(loss, y, u)
    return written(value if isinstance(value, Infinity) else loss.normaliser * value)


def _sensitivity(a: Arguments) -> str | float:
    rule, alpha, m = a.word("rule", WORDS["sensitivity"]), a.probability("alpha"), a.whole("m")
    bound = a.positive("weight_bound")
    if rule == "printed":
        return written(sensitivity.bound_sens_alpha(alpha, m))
    return written(sensitivity.sharp_sensitivity(losses.m_alpha(alpha), m, bound))


def _node_budget(a: Arguments) -> str | float:
    rule, level = a.word("rule", WORDS["node_budget"]), a.whole("level", 0)
    shares = (a.positive("epsilon"), a.share("beta_tree"), a.whole("trees"), a.whole("depth"))
    if rule == "printed":
        return written(accounting.node_budget_as_printed(*shares, level))
    return written(accounting.node_budget_of_level(*shares))


def _leaf_budget(a: Arguments) -> str | float:
    return written(accounting.leaf_budget(a.positive("epsilon"), a.share("beta_tree"), a.whole("trees")))


def _leaf_scale(a: Arguments) -> str | float:
    leaves, bound = a.whole("leaves"), a.positive("bound")
    weight_bound = a.positive("weight_bound")
    words = {"leaf": a.word("rule", WORDS["leaf"]), "relation": a.word("relation", WORDS["relation"])}
    numbers = {"epsilon": a.positive("epsilon"), "beta_tree": a.share("beta_tree"), "trees": a.whole("trees")}
    # Noisy masses do not read the bound, which the reference wants on its grid.
    if words["leaf"] != "noisy_masses":
        numbers |= {"bound": bound, "grid": Fraction(1, 2 * bound.denominator)}
    return written(leaf_scale(_setting(words, numbers, weight_bound=weight_bound), leaves))


def _setting(
    words: Mapping[str, str],
    numbers: Mapping[str, Any],
    domain: tuple[Attribute, ...] = (Attribute(False, 2),),
    size: int = 1,
    weight_bound: Fraction = INITIAL_BOUND,
) -> Setting:
    """Return a setting, as in the preset SOUND where nothing is said; what it excludes is unsupported."""
    word = {name: getattr(readings.SOUND, name).value for name in WORDS} | dict(words)
    try:
        protocol = readings.Protocol(
            "gate",
            readings.AlphaRule(word["alpha"]),
            readings.SplitLaw(word["split_law"]),
            readings.SensitivityRule(word["sensitivity"]),
            readings.BudgetRule(word["node_budget"]),
            readings.LeafRule(word["leaf"]),
            readings.BetaRule(word["beta"]),
            data.Relation(word["relation"]),
        )
        parameters = readings.Parameters(**numbers)
        attributes = tuple(_attribute(place, part) for place, part in enumerate(domain))
        return Setting(protocol, parameters, data.Domain(attributes), size, weight_bound)
    except PreconditionError as error:
        raise NotImplementedError(f"the reference does not do this: {error}") from None


def _attribute(place: int, attribute: Attribute) -> data.Attribute:
    name, count = f"x{place}", attribute.n_values
    if attribute.categorical:
        return data.Categorical(name, tuple(map(str, range(count))))
    return data.Quantised(name, count, Fraction(0), Fraction(count))


def _calibrated_alpha(a: Arguments) -> str | float:
    error, root = a.mass("error"), a.mass("root_error")
    return written(min(error / root, Fraction(1)) if root else Fraction(1))


def _split_scores(a: Arguments) -> dict[str, str | float]:
    loss, rows = losses.m_alpha(a.probability("alpha")), a.weighted_rows()
    found = {}
    for candidate in a.candidates(len(rows[0].x) if rows else None):
        sides = [Mass(), Mass()]
        for row in rows:
            side = _split(candidate)(row.x)
            sides[side] = sides[side].add(row.y, row.w)
        found[str(candidate)] = written(-leaf_risk(loss, sides[0]) - leaf_risk(loss, sides[1]))
    return found


def _split(candidate: Candidate) -> data.Split:
    if candidate.equal:
        return data.OneVersusRest(candidate.attribute, candidate.value)
    return data.Threshold(candidate.attribute, candidate.value)


def _split_law(a: Arguments) -> dict[str, str | float]:
    scores, law = a.scores(), a.word("law", WORDS["split_law"])
    per_score = mechanisms.rate(a.positive("epsilon"), a.positive("sensitivity"))
    # The best score first: exponentials are taken relative to the first.
    ordered: dict[str, Number] = dict(sorted(scores.items(), key=lambda item: -item[1]))
    exact_law = mechanisms.exponential_law if law == "exponential" else mechanisms.permute_and_flip_law
    found = exact_law(ordered, per_score)
    return {name: written(found[name]) for name in scores}


def _leaf_value(a: Arguments) -> str | float:
    rule = a.word("rule", WORDS["leaf"])
    numbers = {
        "boost_alpha": a.probability("alpha"),
        "zeta": a.share("zeta", Fraction(1, 2)),
        "bound": a.positive("bound"),
        "grid": a.positive("grid"),
    }
    mass, noise = Mass(a.mass("positive"), a.mass("negative")), a.noise(rule)
    return written(noisy_leaf(_setting({"leaf": rule}, numbers), mass, noise, 1).value)


def _leverage(a: Arguments) -> str | float:
    alpha, bound, m = a.probability("alpha"), a.positive("bound"), a.whole("m")
    values, nets = a.numbers("values"), a.numbers("nets")
    if len(values) != len(nets):
        raise PreconditionError("nets", f"{len(values)} numbers, as many as values", len(nets))
    leaves: list[Path] = [(place,) for place in range(len(values))]
    masses = {leaf: Mass(net, Fraction(0)) for leaf, net in zip(leaves, nets, strict=True)}
    step = alpha / (bound * bound)
    return written(leverage(step, m, dict(zip(leaves, values, strict=True)), masses))


def _update_weight(a: Arguments) -> str | float:
    loss, y = losses.m_alpha(a.probability("alpha")), a.label()
    if a.raw("rule") == "mirror":
        weight = a.probability("weight")
        beta, value = a.number("beta"), a.number("value")
        if weight in (0, 1):
            raise NotImplementedError("the reference does not do this: weights of 0 and 1 stay as they are")
        return written(mirror_update(loss, weight, beta, y, value))
    margin, bound, grid = a.number("margin"), a.positive("weight_bound"), a.positive("grid")
    setting = _setting(
        {}, {"boost_alpha": a.probability("alpha"), "grid": grid, "bound": grid}, weight_bound=bound
    )
    release = Release(Tree(), (((), margin),), Fraction(1))
    return written(weight_rule(setting, (release,))(data.Example((0,), y)))


def _sample_split(a: Arguments) -> list[str]:
    scores, law = a.scores(), a.word("law", WORDS["split_law"])
    epsilon, delta = a.positive("epsilon"), a.positive("sensitivity")
    bits, count = SeededBits(a.seed()), _count(a)
    names, numbers = list(scores), list(scores.values())
    sample = samplers.sample_permute_and_flip
    if law == "exponential":
        sample = samplers.sample_exponential_mechanism
    return [names[sample(numbers, epsilon, delta, bits)] for _ in range(count)]


def _sample_laplace(a: Arguments) -> list[str | float]:
    scale, grid = a.positive("scale"), a.positive("grid")
    bits, count = SeededBits(a.seed()), _count(a)
    return [written(samplers.sample_discrete_laplace(scale, grid, bits)) for _ in range(count)]


def _count(a: Arguments) -> int:
    count = a.whole("count", 0)
    if count > LIMITS["count"]:
        raise NotImplementedError(f"at most {LIMITS['count']} draws in one request")
    return count


def _train(a: Arguments) -> dict[str, Any]:
    asked = read_training(a)
    setting = _setting(asked.words, asked.parameters, asked.domain, len(asked.rows))
    sample = tuple(data.Example(row.x, row.y) for row in asked.rows)
    found: list[records.Record] = []
    if asked.tape is None:
        assert asked.seed is not None
        sample_private_ensemble(setting, sample, SeededBits(asked.seed), record=found.append)
    else:
        _replay_tape(asked, setting, sample, found.append)
    return result_of(found, written)


def _replay_tape(asked: Training, first: Setting, sample: data.Sample, record: records.Recorder) -> None:
    """Grow the trees of a tape with the reference's own steps, choices and noise being given."""
    assert asked.tape is not None
    ledger = accounting.Ledger(first.protocol.relation)
    weighted, releases = data.initial_weights(sample), tuple[Release, ...]()
    by_text = {str(split): split for split in data.splits(first.domain)}
    for number, taped in enumerate(asked.tape):
        setting = setting_of_tree(first, number)
        if number:
            weighted = next_weights(setting, weighted, releases)
        record(records.tree_record(setting))
        tree, choices = Tree(), iter(taped.choices)
        while (leaf := next_leaf(tree, setting.parameters.depth)) is not None:
            choice = next(choices)
            record(records.node_record(leaf, node_of(setting, weighted, tree, leaf), choice))
            tree = tree.grow(leaf, by_text[choice])
        masses = leaf_masses(tree, weighted)
        scale, leaves = leaf_scale(setting, len(masses)), {}
        for (path, mass), noise in zip(masses.items(), taped.noise, strict=True):
            leaves[path] = noisy_leaf(setting, mass, noise, len(masses))
            record(records.leaf_record(path, leaves[path], scale))
        release = release_of_leaves(setting, tree, leaves)
        record(records.beta_record(release))
        releases = (*releases, release)
        before, ledger = ledger, spend_tree(setting, ledger)
        for expense in ledger.expenses[len(before.expenses) :]:
            record(records.expense_record(expense))
    record(records.total_record(first, ledger))


def _predict(a: Arguments) -> list[str | float]:
    domain = read_domain(a.raw("domain"))
    rows = read_rows(a.raw("rows"), domain, labelled=False)
    trees = read_model(a.raw("model"), domain)
    found = []
    for row in rows:
        margin = Fraction(0)
        for tree in trees:
            node = 0
            while node < len(tree.splits):
                node = 2 * node + 1 + _split(tree.splits[node])(row.x)
            margin += tree.beta * tree.values[node - len(tree.splits)]
        found.append(written(margin))
    return found


_ANSWERS: dict[str, Callable[[Arguments], Any]] = {
    "hello": _hello,
    "bayes_risk": lambda a: written(losses.bayes_risk(_loss(a), a.probability("u"))),
    "partial_loss": _partial_loss,
    "link": lambda a: written(losses.link(_loss(a), a.probability("u"))),
    "inverse_link": lambda a: written(losses.inverse_link(_loss(a), _extended(a, "z"))),
    "surrogate": lambda a: written(losses.surrogate(_loss(a), _extended(a, "z"))),
    "perspective": lambda a: written(losses.perspective(_loss(a), a.number("u"), a.number("v"))),
    "leaf_risk": lambda a: written(
        leaf_risk(losses.m_alpha(a.probability("alpha")), Mass(a.mass("positive"), a.mass("negative")))
    ),
    "sensitivity": _sensitivity,
    "node_budget": _node_budget,
    "leaf_budget": _leaf_budget,
    "leaf_scale": _leaf_scale,
    "calibrated_alpha": _calibrated_alpha,
    "split_scores": _split_scores,
    "split_law": _split_law,
    "leaf_value": _leaf_value,
    "leverage": _leverage,
    "update_weight": _update_weight,
    "sample_split": _sample_split,
    "sample_laplace": _sample_laplace,
    "train": _train,
    "predict": _predict,
}
