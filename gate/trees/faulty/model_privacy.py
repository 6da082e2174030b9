"""Trees, budgets, laws, leaves and weights of the implementation, one method per formula."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from math import floor
from typing import Any

from .model_losses import Args, Losses
from .model_numbers import HALF, Number, RefusedError, checked_object, exponential, root

LAWS = ("exponential", "permute_and_flip")
LEAF_RULES = ("noisy_masses", "link_noise_clamp", "link_clamp_noise")
RELATIONS = ("exchange", "add_remove")
Noise = Mapping[str, Fraction]
Shares = tuple[Fraction, Fraction, int]
"""Epsilon, beta_tree and the number of trees."""
CANDIDATE = re.compile(r"x(\d+) (>=|=) (\d+)", re.ASCII)


@cache
def parse_candidate(candidate: str) -> tuple[int, str, int]:
    """Return the attribute, the operator and the value of a candidate."""
    match = CANDIDATE.fullmatch(candidate)
    if match is None:
        raise RefusedError("candidate", "a string such as 'x0 >= 1'", candidate)
    return int(match[1]), match[2], int(match[3])


class Privacy(Losses):
    """The operations on trees and privacy that are not random."""

    def leaf_risk(self, args: Args) -> Any:
        """Answer `leaf_risk`."""
        alpha = self.probability(args["alpha"], "alpha")
        masses = (self.mass(args[name], name) for name in ("positive", "negative"))
        return self.written(self.risk_of_leaf(alpha, *masses))

    def risk_of_leaf(self, alpha: Fraction, positive: Fraction, negative: Fraction) -> Fraction:
        """Return (a + b) L(a / (a + b))."""
        total = positive + negative
        return total * self.risk("m_alpha", alpha, positive / total) if total else Fraction(0)

    def sensitivity(self, args: Args) -> Any:
        """Answer `sensitivity`."""
        rule = self.word(args["rule"], "rule", ("printed", "sharp"))
        alpha, m = self.probability(args["alpha"], "alpha"), self.integer(args["m"], "m")
        return self.written(
            self.sensitivity_of(rule, alpha, m, self.positive(args["weight_bound"], "weight_bound"))
        )

    def sensitivity_of(self, rule: str, alpha: Fraction, m: int, bound: Fraction) -> Fraction:
        """Return the sensitivity of a split's score."""
        return self.printed_sensitivity(alpha, m) if rule == "printed" else self.sharp(alpha, m, bound)

    def printed_sensitivity(self, alpha: Fraction, m: int) -> Fraction:
        """Return 3 + 2 alpha (sqrt(m) - 1)."""
        return 3 + 2 * alpha * (root(Fraction(m)) - 1)

    def sharp(self, alpha: Fraction, m: int, bound: Fraction) -> Fraction:
        """Return bound m L(1/m)."""
        return bound * m * self.risk("m_alpha", alpha, Fraction(1, m))

    def budget_args(self, args: Args) -> Shares:
        """Return epsilon, beta_tree and the number of trees."""
        epsilon, share = self.positive(args["epsilon"], "epsilon"), self.share(args["beta_tree"], "beta_tree")
        return epsilon, share, self.integer(args["trees"], "trees")

    def node_budget(self, args: Args) -> Any:
        """Answer `node_budget`."""
        rule = self.word(args["rule"], "rule", ("printed", "level"))
        depth, level = self.integer(args["depth"], "depth"), self.integer(args["level"], "level", 0)
        if level >= depth:
            raise RefusedError("level", f"a level below {depth}", level)
        return self.written(self.budget_of_node(rule, self.budget_args(args), depth, level))

    def budget_of_node(self, rule: str, shares: Shares, depth: int, level: int) -> Fraction:
        """Return beta epsilon / (T d), also divided by 2^level if the rule is `printed`."""
        epsilon, share, trees = shares
        level_budget = share * epsilon / (trees * depth)
        return level_budget / 2**level if rule == "printed" else level_budget

    def leaf_budget(self, args: Args) -> Any:
        """Answer `leaf_budget`."""
        return self.written(self.budget_of_leaves(self.budget_args(args)))

    def budget_of_leaves(self, shares: Shares) -> Fraction:
        """Return (1 - beta) epsilon / T."""
        epsilon, share, trees = shares
        return (1 - share) * epsilon / trees

    def leaf_scale(self, args: Args) -> Any:
        """Answer `leaf_scale`."""
        rule = self.word(args["rule"], "rule", LEAF_RULES)
        relation = self.word(args["relation"], "relation", RELATIONS)
        leaves, bound = self.integer(args["leaves"], "leaves"), self.positive(args["bound"], "bound")
        weight_bound = self.positive(args["weight_bound"], "weight_bound")
        budget = self.budget_of_leaves(self.budget_args(args))
        if rule == "noisy_masses":
            return self.written(self.scale_of_masses(relation, budget, weight_bound))
        return self.written(self.scale_of_values(leaves, budget, bound))

    def scale_of_masses(self, relation: str, budget: Fraction, weight_bound: Fraction) -> Fraction:
        """Return the scale of the noise of masses."""
        return self.n_changed_masses(relation) * weight_bound / budget

    def scale_of_values(self, leaves: int, budget: Fraction, bound: Fraction) -> Fraction:
        """Return the scale of the noise of values."""
        return 2 * bound * leaves / budget

    def n_changed_masses(self, relation: str) -> int:
        """Return the number of masses in which neighbouring samples differ."""
        return 2 if relation == "exchange" else 1

    def calibrated_alpha(self, args: Args) -> Any:
        """Answer `calibrated_alpha`."""
        error, base = self.mass(args["error"], "error"), self.mass(args["root_error"], "root_error")
        return self.written(self.alpha_of_errors(error, base))

    def alpha_of_errors(self, error: Fraction, base: Fraction) -> Fraction:
        """Return min(error / root error, 1)."""
        return min(error / base, Fraction(1)) if base else Fraction(1)

    def split_scores(self, args: Args) -> Any:
        """Answer `split_scores`."""
        alpha = self.probability(args["alpha"], "alpha")
        rows = []
        for given in self.listed(args["rows"], "rows"):
            row = checked_object(given, "rows", ("x", "y", "w"))
            codes = [self.integer(code, "x", 0) for code in self.listed(row["x"], "x")]
            rows.append((codes, self.label(row["y"]), self.mass(row["w"], "w")))
            if len(codes) != len(rows[0][0]):
                raise RefusedError("x", f"{len(rows[0][0])} codes", codes)
        scores = {}
        for candidate in self.listed(args["candidates"], "candidates"):
            attribute, _, _ = self.test_of(candidate)
            if rows and attribute >= len(rows[0][0]):
                raise RefusedError("candidates", "an attribute of the rows", candidate)
            scores[candidate] = self.written(self.score(alpha, rows, candidate))
        return scores

    def test_of(self, candidate: Any) -> tuple[int, str, int]:
        """Return the attribute, the operator and the value of a candidate."""
        if not isinstance(candidate, str):
            raise RefusedError("candidate", "a string such as 'x0 >= 1'", candidate)
        return parse_candidate(candidate)

    def holds(self, candidate: str, codes: Sequence[int]) -> bool:
        """Return whether a row passes a test, so that it goes right."""
        attribute, sign, value = self.test_of(candidate)
        return codes[attribute] == value if sign == "=" else codes[attribute] >= value

    def score(self, alpha: Fraction, rows: Sequence[tuple[Any, int, Fraction]], candidate: str) -> Fraction:
        """Return minus the sum of the risks of both sides of a split."""
        masses = [[Fraction(0), Fraction(0)], [Fraction(0), Fraction(0)]]
        for codes, y, weight in rows:
            masses[self.holds(candidate, codes)][y < 0] += weight
        return -sum((self.risk_of_leaf(alpha, *side) for side in masses), Fraction(0))

    def split_law(self, args: Args) -> Any:
        """Answer `split_law`."""
        law, scores, rate = self.law_args(args)
        return {name: self.written(chance) for name, chance in self.law_of(law, scores, rate).items()}

    def law_args(self, args: Args) -> tuple[str, dict[str, Fraction], Fraction]:
        """Return the law, the scores and the factor of the scores."""
        given = args["scores"]
        if not isinstance(given, Mapping) or not given:
            raise RefusedError("scores", "an object with a candidate", given)
        scores = {str(name): self.number(value, "scores") for name, value in given.items()}
        epsilon = self.positive(args["epsilon"], "epsilon")
        delta = self.positive(args["sensitivity"], "sensitivity")
        return self.word(args["law"], "law", LAWS), scores, self.rate_of(epsilon, delta, one_sided=False)

    def rate_of(self, epsilon: Fraction, delta: Fraction, *, one_sided: bool) -> Fraction:
        """Return epsilon / (2 Delta), or epsilon / Delta if one-sided; 0 if Delta is 0."""
        if not delta:
            return Fraction(0)
        return epsilon / delta if one_sided else epsilon / (2 * delta)

    def law_of(self, law: str, scores: Mapping[str, Fraction], rate: Fraction) -> dict[str, Fraction]:
        """Return the probability of every candidate."""
        chances = self.chances(scores, rate)
        if law == "exponential":
            total = sum(chances.values())
            return {name: chance / total for name, chance in chances.items()}
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

    def leaf_value(self, args: Args) -> Any:
        """Answer `leaf_value`."""
        rule = self.word(args["rule"], "rule", LEAF_RULES)
        alpha, bound = self.probability(args["alpha"], "alpha"), self.positive(args["bound"], "bound")
        zeta, grid = self.share(args["zeta"], "zeta", HALF), self.positive(args["grid"], "grid")
        numbers = {"boost_alpha": alpha, "zeta": zeta, "bound": bound, "grid": grid}
        masses = [self.mass(args[name], name) for name in ("positive", "negative")]
        noise = self.noise_of(args["noise"], rule)
        return self.written(self.value_of_leaf(rule, numbers, masses, noise))

    def noise_of(self, value: Any, rule: str) -> Noise:
        """Return the noise of a leaf."""
        names = ("positive", "negative") if rule == "noisy_masses" else ("value",)
        return {name: self.number(part, name) for name, part in checked_object(value, "noise", names).items()}

    def value_of_leaf(
        self, rule: str, numbers: Mapping[str, Any], masses: Sequence[Fraction], noise: Noise
    ) -> Fraction:
        """Return the released value of a leaf."""
        alpha, bound = numbers["boost_alpha"], numbers["bound"]
        if rule == "noisy_masses":
            return self.value_of_masses(alpha, bound, self.noisy_masses(masses, noise))
        value = self.raw_value(alpha, numbers["zeta"], masses)
        if rule == "link_clamp_noise":
            value = self.clamp(value, bound)
        return self.clamp(self.round_to(value, numbers["grid"]) + noise["value"], bound)

    def raw_value(self, alpha: Fraction, zeta: Fraction, masses: Sequence[Fraction]) -> Number:
        """Return the link of the clamped proportion of a leaf; 0 if it is empty."""
        total = sum(masses)
        return self.link_at("m_alpha", alpha, self.inner(masses[0] / total, zeta)) if total else Fraction(0)

    def noisy_masses(self, masses: Sequence[Fraction], noise: Noise) -> list[Fraction]:
        """Return both masses with their noise."""
        return [masses[0] + noise["positive"], masses[1] + noise["negative"]]

    def value_of_masses(self, alpha: Fraction, bound: Fraction, noisy: Sequence[Fraction]) -> Fraction:
        """Return the link of the proportion of noisy masses, clamped."""
        positive, negative = (self.at_least_zero(mass) for mass in noisy)
        total = positive + negative
        if not total:
            return Fraction(0)
        return self.clamp(self.link_at("m_alpha", alpha, positive / total), bound)

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

    def leverage(self, args: Args) -> Any:
        """Answer `leverage`."""
        alpha, bound = self.probability(args["alpha"], "alpha"), self.positive(args["bound"], "bound")
        m = self.integer(args["m"], "m")
        values = [self.number(value, "values") for value in self.listed(args["values"], "values")]
        nets = [self.number(net, "nets") for net in self.listed(args["nets"], "nets")]
        if len(values) != len(nets):
            raise RefusedError("nets", f"{len(values)} numbers", nets)
        return self.written(self.coefficient(alpha, bound, m, values, nets))

    def coefficient(
        self, alpha: Fraction, bound: Fraction, m: int, values: Sequence[Fraction], nets: Sequence[Fraction]
    ) -> Fraction:
        """Return (alpha / M^2) / m times the sum of value times net."""
        total = sum((value * net for value, net in zip(values, nets, strict=True)), Fraction(0))
        return alpha / bound**2 / m * total

    def update_weight(self, args: Args) -> Any:
        """Answer `update_weight`."""
        alpha, y = self.probability(args["alpha"], "alpha"), self.label(args["y"])
        if args["rule"] == "mirror":
            weight = self.share(args["weight"], "weight")
            move = [self.number(args[name], name) for name in ("beta", "value")]
            return self.written(self.mirror(alpha, y, weight, *move))
        bound, grid = self.positive(args["weight_bound"], "weight_bound"), self.positive(args["grid"], "grid")
        return self.written(self.accumulated(alpha, y, self.number(args["margin"], "margin"), bound, grid))

    def mirror(self, alpha: Fraction, y: int, weight: Fraction, beta: Fraction, value: Fraction) -> Fraction:
        """Return link^-1(link(w) - beta y h)."""
        at = self.link_at("m_alpha", alpha, weight)
        return self.inverse_at("m_alpha", alpha, at - beta * y * value)

    def accumulated(
        self, alpha: Fraction, y: int, margin: Fraction, bound: Fraction, grid: Fraction
    ) -> Fraction:
        """Return link^-1(-y H), at most the bound, rounded down to the grid, at least one step of it."""
        weight = min(self.inverse_at("m_alpha", alpha, -y * margin), bound)
        return Fraction(max(self.round_to(weight, grid), grid))
