"""Trees, budgets, laws, leaves and weights of the implementation, one method per formula."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import floor
from typing import Any

from .model_losses import Args, Losses, m_alpha
from .model_numbers import HALF, Number, RefusedError, check_object, exponential, root

LAWS = ("exponential", "permute_and_flip")
LEAF_RULES = ("noisy_masses", "link_noise_clamp", "link_clamp_noise")
RELATIONS = ("exchange", "add_remove")
SENSITIVITIES = ("printed", "sharp")
BUDGETS = ("printed", "level")
Noise = Mapping[str, Fraction]
"""The noise of a leaf: `positive` and `negative`, or `value`."""
CANDIDATE = re.compile(r"x(\d+) (>=|=) (\d+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Shares:
    """The budget, the share of it that pays for splits, and the number of trees."""

    epsilon: Fraction
    beta_tree: Fraction
    trees: int


@dataclass(frozen=True, slots=True)
class PortRow:
    """A row with its weight."""

    codes: tuple[int, ...]
    y: int
    weight: Fraction = HALF


@dataclass(frozen=True, slots=True)
class Masses:
    """The masses of both classes."""

    positive: Fraction
    negative: Fraction

    @property
    def total(self) -> Fraction:
        """Return the sum of both masses."""
        return self.positive + self.negative


def sum_masses(rows: Iterable[PortRow]) -> Masses:
    """Return the masses of rows."""
    sums = [Fraction(0), Fraction(0)]
    for row in rows:
        sums[row.y < 0] += row.weight
    return Masses(*sums)


@dataclass(frozen=True, slots=True)
class PortLaw:
    """A law of splits: its name, the scores of all candidates, and the factor of the scores."""

    kind: str
    scores: Mapping[str, Fraction]
    rate: Fraction


@dataclass(frozen=True, slots=True)
class PortLeaf:
    """What the released value of a leaf depends on."""

    rule: str
    alpha: Fraction
    zeta: Fraction
    bound: Fraction
    grid: Fraction
    masses: Masses
    noise: Noise


@dataclass(frozen=True, slots=True)
class Leverage:
    """What the coefficient of a tree depends on."""

    alpha: Fraction
    bound: Fraction
    m: int
    values: Sequence[Fraction]
    nets: Sequence[Fraction]


@dataclass(frozen=True, slots=True)
class Update:
    """What the weight of a row depends on if it follows from its margin."""

    alpha: Fraction
    y: int
    margin: Fraction
    bound: Fraction
    grid: Fraction


@dataclass(frozen=True, slots=True)
class Test:
    """A test of an attribute: `>=` or `=`, and the value."""

    attribute: int
    operator: str
    value: int


@cache
def parse_candidate(candidate: str) -> Test:
    """Return the test of a candidate."""
    match = CANDIDATE.fullmatch(candidate)
    if match is None:
        raise RefusedError("candidate", "a string such as 'x0 >= 1'", candidate)
    return Test(int(match[1]), match[2], int(match[3]))


class Privacy(Losses):
    """The operations on trees and privacy that are not random."""

    def leaf_risk(self, alpha: Fraction, positive: Fraction, negative: Fraction) -> Fraction:
        """Return (a + b) L(a / (a + b))."""
        total = positive + negative
        return total * self.bayes_risk(m_alpha(alpha), positive / total) if total else Fraction(0)

    def answer_sensitivity(self, args: Args) -> Fraction:
        """Answer `sensitivity`."""
        rule = self.read_word(args["rule"], "rule", SENSITIVITIES)
        return self.sensitivity(rule, *self.read(args, "alpha", "m", "weight_bound"))

    def sensitivity(self, rule: str, alpha: Fraction, m: int, bound: Fraction) -> Fraction:
        """Return the sensitivity of a split's score."""
        return self.printed_sensitivity(alpha, m) if rule == "printed" else self.sharp(alpha, m, bound)

    def printed_sensitivity(self, alpha: Fraction, m: int) -> Fraction:
        """Return 3 + 2 alpha (sqrt(m) - 1)."""
        return 3 + 2 * alpha * (root(Fraction(m)) - 1)

    def sharp(self, alpha: Fraction, m: int, bound: Fraction) -> Fraction:
        """Return bound m L(1/m)."""
        return bound * m * self.bayes_risk(m_alpha(alpha), Fraction(1, m))

    def read_shares(self, args: Args) -> Shares:
        """Return epsilon, beta_tree and the number of trees."""
        return Shares(*self.read(args, "epsilon", "beta_tree", "trees"))

    def answer_node_budget(self, args: Args) -> Fraction:
        """Answer `node_budget`."""
        rule = self.read_word(args["rule"], "rule", BUDGETS)
        depth, level = self.read_integer(args["depth"], "depth"), self.read_integer(args["level"], "level", 0)
        if level >= depth:
            raise RefusedError("level", f"a level below {depth}", level)
        return self.node_budget(rule, self.read_shares(args), depth, level)

    def node_budget(self, rule: str, shares: Shares, depth: int, level: int) -> Fraction:
        """Return beta epsilon / (T d), also divided by 2^level if the rule is `printed`."""
        level_budget = shares.beta_tree * shares.epsilon / (shares.trees * depth)
        return level_budget / 2**level if rule == "printed" else level_budget

    def answer_leaf_budget(self, args: Args) -> Fraction:
        """Answer `leaf_budget`."""
        return self.leaf_budget(self.read_shares(args))

    def leaf_budget(self, shares: Shares) -> Fraction:
        """Return (1 - beta) epsilon / T."""
        return (1 - shares.beta_tree) * shares.epsilon / shares.trees

    def answer_leaf_scale(self, args: Args) -> Fraction:
        """Answer `leaf_scale`."""
        rule = self.read_word(args["rule"], "rule", LEAF_RULES)
        relation = self.read_word(args["relation"], "relation", RELATIONS)
        leaves, bound, weight_bound = self.read(args, "leaves", "bound", "weight_bound")
        budget = self.leaf_budget(self.read_shares(args))
        if rule == "noisy_masses":
            return self.scale_of_masses(relation, budget, weight_bound)
        return self.scale_of_values(leaves, budget, bound)

    def scale_of_masses(self, relation: str, budget: Fraction, weight_bound: Fraction) -> Fraction:
        """Return the scale of the noise of masses."""
        return self.n_changed_masses(relation) * weight_bound / budget

    def scale_of_values(self, leaves: int, budget: Fraction, bound: Fraction) -> Fraction:
        """Return the scale of the noise of values."""
        return 2 * bound * leaves / budget

    def n_changed_masses(self, relation: str) -> int:
        """Return the number of masses in which neighbouring samples differ."""
        return 2 if relation == "exchange" else 1

    def calibrated_alpha(self, error: Fraction, root_error: Fraction) -> Fraction:
        """Return min(error / root error, 1)."""
        return min(error / root_error, Fraction(1)) if root_error else Fraction(1)

    def answer_split_scores(self, args: Args) -> dict[str, Fraction]:
        """Answer `split_scores`."""
        alpha = self.read_probability(args["alpha"], "alpha")
        rows: list[PortRow] = []
        for given in self.read_list(args["rows"], "rows"):
            row = check_object(given, "rows", ("x", "y", "w"))
            codes = tuple(self.read_integer(code, "x", 0) for code in self.read_list(row["x"], "x"))
            rows.append(PortRow(codes, self.read_label(row["y"], "y"), self.read_mass(row["w"], "w")))
            if len(codes) != len(rows[0].codes):
                raise RefusedError("x", f"{len(rows[0].codes)} codes", list(codes))
        scores = {}
        for candidate in self.read_list(args["candidates"], "candidates"):
            attribute = self.read_test(candidate).attribute
            if rows and attribute >= len(rows[0].codes):
                raise RefusedError("candidates", "an attribute of the rows", candidate)
            scores[candidate] = self.score(alpha, rows, candidate)
        return scores

    def read_test(self, candidate: Any) -> Test:
        """Return the test of a candidate."""
        if not isinstance(candidate, str):
            raise RefusedError("candidate", "a string such as 'x0 >= 1'", candidate)
        return parse_candidate(candidate)

    def holds(self, candidate: str, codes: Sequence[int]) -> bool:
        """Return whether a row passes a test, so that it goes right."""
        test = self.read_test(candidate)
        code = codes[test.attribute]
        return code == test.value if test.operator == "=" else code >= test.value

    def score(self, alpha: Fraction, rows: Sequence[PortRow], candidate: str) -> Fraction:
        """Return minus the sum of the risks of both sides of a split."""
        sides: tuple[list[PortRow], list[PortRow]] = [], []
        for row in rows:
            sides[self.holds(candidate, row.codes)].append(row)
        left, right = map(sum_masses, sides)
        risk = self.leaf_risk(alpha, left.positive, left.negative)
        return -(risk + self.leaf_risk(alpha, right.positive, right.negative))

    def answer_split_law(self, args: Args) -> dict[str, Fraction]:
        """Answer `split_law`."""
        return self.split_law(self.read_law(args))

    def read_law(self, args: Args) -> PortLaw:
        """Return the law of a request."""
        given = args["scores"]
        if not isinstance(given, Mapping) or not given:
            raise RefusedError("scores", "an object with a candidate", given)
        scores = {str(name): self.read_number(value, "scores") for name, value in given.items()}
        rate = self.rate_of(*self.read(args, "epsilon", "sensitivity"), one_sided=False)
        return PortLaw(self.read_word(args["law"], "law", LAWS), scores, rate)

    def rate_of(self, epsilon: Fraction, delta: Fraction, *, one_sided: bool) -> Fraction:
        """Return epsilon / (2 Delta), or epsilon / Delta if one-sided; 0 if Delta is 0."""
        if not delta:
            return Fraction(0)
        return epsilon / delta if one_sided else epsilon / (2 * delta)

    def split_law(self, law: PortLaw) -> dict[str, Fraction]:
        """Return the probability of every candidate."""
        chances = self.chances(law.scores, law.rate)
        if law.kind == "exponential":
            return normalise(chances)
        return self.permute_and_flip(chances)

    def chances(self, scores: Mapping[str, Fraction], rate: Fraction) -> dict[str, Fraction]:
        """Return exp(rate (score - best))."""
        best = max(scores.values())
        return {name: exponential(rate * (score - best)) for name, score in scores.items()}

    def permute_and_flip(self, chances: Mapping[str, Fraction]) -> dict[str, Fraction]:
        """Return q times the integral over [0, 1] of the product of the others' 1 - q x, a polynomial."""
        law = {}
        for name, chance in chances.items():
            product = [Fraction(1)]
            for other, q in chances.items():
                if other != name:
                    shifted = [Fraction(0), *(-q * part for part in product)]
                    product = [a + b for a, b in zip([*product, Fraction(0)], shifted, strict=True)]
            law[name] = chance * sum(part / (power + 1) for power, part in enumerate(product))
        return law

    def answer_leaf_value(self, args: Args) -> Fraction:
        """Answer `leaf_value`."""
        rule = self.read_word(args["rule"], "rule", LEAF_RULES)
        alpha, bound = self.read(args, "alpha", "bound")
        zeta = self.read_share(args["zeta"], "zeta", HALF)
        grid, *masses = self.read(args, "grid", "positive", "negative")
        noise = self.read_noise(args["noise"], rule)
        return self.leaf_value(PortLeaf(rule, alpha, zeta, bound, grid, Masses(*masses), noise))

    def read_noise(self, value: Any, rule: str) -> Noise:
        """Return the noise of a leaf."""
        given = check_object(value, "noise", noise_names(rule))
        return {name: self.read_number(part, name) for name, part in given.items()}

    def leaf_value(self, leaf: PortLeaf) -> Fraction:
        """Return the released value of a leaf."""
        if leaf.rule == "noisy_masses":
            return self.value_of_masses(leaf.alpha, leaf.bound, self.noisy_masses(leaf.masses, leaf.noise))
        return self.clamp(self.noisy_value(leaf), leaf.bound)

    def noisy_value(self, leaf: PortLeaf) -> Number:
        """Return the link of the proportion of a leaf on the grid, with noise."""
        value = self.raw_value(leaf)
        if leaf.rule == "link_clamp_noise":
            value = self.clamp(value, leaf.bound)
        return self.round_to(value, leaf.grid) + leaf.noise["value"]

    def raw_value(self, leaf: PortLeaf) -> Number:
        """Return the link of the clamped proportion of a leaf; 0 if it is empty."""
        if not leaf.masses.total:
            return Fraction(0)
        return self.link(m_alpha(leaf.alpha), self.inner(leaf.masses.positive / leaf.masses.total, leaf.zeta))

    def noisy_masses(self, masses: Masses, noise: Noise) -> Masses:
        """Return both masses with their noise."""
        return Masses(masses.positive + noise["positive"], masses.negative + noise["negative"])

    def value_of_masses(self, alpha: Fraction, bound: Fraction, noisy: Masses) -> Fraction:
        """Return the link of the proportion of noisy masses, clamped."""
        masses = Masses(self.at_least_zero(noisy.positive), self.at_least_zero(noisy.negative))
        if not masses.total:
            return Fraction(0)
        return self.clamp(self.link(m_alpha(alpha), masses.positive / masses.total), bound)

    def at_least_zero(self, mass: Fraction) -> Fraction:
        """Return max(mass, 0)."""
        return max(mass, Fraction(0))

    def inner(self, u: Fraction, zeta: Fraction) -> Fraction:
        """Return a proportion clamped to [zeta, 1 - zeta]."""
        return min(max(u, zeta), 1 - zeta)

    def clamp(self, value: Number, bound: Fraction) -> Fraction:
        """Return a value clamped to [-M, M]."""
        return Fraction(min(max(value, -bound), bound))

    def round_to(self, value: Number, grid: Fraction) -> Number:
        """Return a value rounded down to the grid."""
        return value if isinstance(value, float) else grid * floor(value / grid)

    def answer_leverage(self, args: Args) -> Fraction:
        """Answer `leverage`."""
        alpha, bound, m = self.read(args, "alpha", "bound", "m")
        values, nets = (
            [self.read_number(part, name) for part in self.read_list(args[name], name)]
            for name in ("values", "nets")
        )
        if len(values) != len(nets):
            raise RefusedError("nets", f"{len(values)} numbers", nets)
        return self.leverage(Leverage(alpha, bound, m, values, nets))

    def leverage(self, tree: Leverage) -> Fraction:
        """Return (alpha / M^2) / m times the sum of value times net."""
        total = sum((value * net for value, net in zip(tree.values, tree.nets, strict=True)), Fraction(0))
        return tree.alpha / tree.bound**2 / tree.m * total

    def answer_update_weight(self, args: Args) -> Fraction:
        """Answer `update_weight`."""
        alpha, y = self.read(args, "alpha", "y")
        if args["rule"] == "mirror":
            weight, beta, value = self.read(args, "weight", "beta", "value")
            return self.mirror(alpha, y, weight, beta * value)
        bound, grid, margin = self.read(args, "weight_bound", "grid", "margin")
        return self.accumulate(Update(alpha, y, margin, bound, grid))

    def mirror(self, alpha: Fraction, y: int, weight: Fraction, prediction: Fraction) -> Fraction:
        """Return link^-1(link(w) - y H), where H is the prediction of the last tree."""
        at = self.link(m_alpha(alpha), weight)
        return self.inverse_link(m_alpha(alpha), at - y * prediction)

    def accumulate(self, update: Update) -> Fraction:
        """Return link^-1(-y H), at most the bound, rounded down to the grid, at least one step of it."""
        weight = min(self.weight_of_margin(update), update.bound)
        return Fraction(max(self.round_to(weight, update.grid), update.grid))

    def weight_of_margin(self, update: Update) -> Fraction:
        """Return link^-1(-y H)."""
        return self.inverse_link(m_alpha(update.alpha), -update.y * update.margin)


def normalise(chances: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """Return chances divided by their sum."""
    total = sum(chances.values())
    return {name: chance / total for name, chance in chances.items()}


def noise_names(rule: str) -> tuple[str, ...]:
    """Return the names of the noises of a leaf."""
    return ("positive", "negative") if rule == "noisy_masses" else ("value",)
