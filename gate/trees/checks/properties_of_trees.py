"""The properties of masses, budgets, laws and weights."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

from .property import Argument, Asker, Drawn, Property, Statement, differ, exceed, first, property_of

ALPHA, MARGIN, PROBABILITY = (0, 8, 8), (-256, 256, 64), (1, 63, 64)
POSITIVE, EIGHTHS, VALUE = (1, 256, 64), (1, 8, 8), (-64, 64, 16)
CANDIDATES = ("x0 >= 1", "x0 >= 2", "x1 = 0")


def tree_properties() -> Iterator[Property]:
    """Yield the properties of masses, budgets, laws and weights."""
    masses = {"alpha": ALPHA, "positive": POSITIVE, "negative": POSITIVE, "more": POSITIVE}
    yield property_of("leaf-risk", "defMECH", _leaf_risk, ("homogeneity",), **masses)
    sizes = {"alpha": ALPHA, "m": (1, 400, 1), "bound": EIGHTHS}
    yield property_of(
        "sharp-sensitivity", "sharp-sensitivity", _sharp, ("weight-bound", "m-plus-one"), **sizes
    )
    shape = {"trees": (1, 20, 1), "depth": (1, 8, 1), "epsilon": POSITIVE, "share": (1, 15, 16)}
    shares = ("budget-depth", "budget-share", "budget-trees")
    yield property_of("budgets-add-up", "fixEPSILON", _budgets, shares, **shape)
    yield property_of(
        "scale-is-inverse-to-budget",
        "sec-solv",
        _scales,
        ("exchange-two", "leaf-count"),
        **shape,
        weight_bound=EIGHTHS,
    )
    errors = {"error": (0, 256, 64), "root": (0, 256, 64), "c": POSITIVE}
    yield property_of("calibrated-alpha", "fixALPHA", _calibrated_alpha, ("calibration-cap",), **errors)
    scores = dict.fromkeys(CANDIDATES, (-512, 0, 64)) | {"shift": (-4096, 4096, 1)}
    scores |= {"epsilon": POSITIVE, "sensitivity": POSITIVE}
    for law in ("exponential", "permute_and_flip"):
        flags = ("score-sign", "tie", "overflow-trap")
        yield property_of(f"law/{law}", "expSPLIT", _law(law), flags, **scores)
    leaves = {"alpha": EIGHTHS, "value": VALUE, "net": (1, 64, 16), "c": POSITIVE}
    yield property_of("leverage-linear", "cboost", _leverage, ("normalisation",), **leaves)
    weights = {"alpha": EIGHTHS, "weight": PROBABILITY, "value": VALUE}
    yield property_of("mirror-update", "defwunMF", _mirror, ("mirror-plateau", "plateau"), **weights)
    margins = {"alpha": EIGHTHS, "z": MARGIN, "t": MARGIN, "bound": EIGHTHS}
    yield property_of("accumulated-weight", "defwunMF", _accumulated_weight, ("grid", "plateau"), **margins)
    noisy = {"alpha": EIGHTHS, "positive": POSITIVE, "negative": POSITIVE, "noise": (-4096, 4096, 1024)}
    yield property_of("leaf-value", "predDT", _leaf_value, ("clamp-order",), **noisy)


def _leaf_risk(ask: Asker, drawn: Drawn) -> str:
    alpha, p, n, c = drawn.values()
    risk, swapped, scaled, more = (
        ask.number("leaf_risk", alpha=alpha, positive=a, negative=b)
        for a, b in ((p, n), (n, p), (c * p, c * n), (p + c, n))
    )
    return first(
        differ("the risk of a leaf before and after its classes are exchanged", risk, swapped),
        differ("c times the risk of a leaf, and the risk with both masses times c", c * risk, scaled),
        exceed("the risk of a leaf before and after an example is added", risk, more),
    )


def _sharp(ask: Asker, drawn: Drawn) -> str:
    alpha, m, bound = drawn.values()
    sensitivity, at_one, next_size = (
        ask.number("sensitivity", rule="sharp", alpha=alpha, m=size, weight_bound=w_bar)
        for size, w_bar in ((m, bound), (m, Fraction(1)), (m + 1, Fraction(1)))
    )
    lone = ask.number("leaf_risk", alpha=alpha, positive=Fraction(1), negative=m - 1)
    return first(
        differ("the sensitivity at w_bar, and w_bar times the sensitivity at 1", sensitivity, bound * at_one),
        differ("the sensitivity, and the risk of a leaf with one example against m - 1", at_one, lone),
        exceed("the sensitivity at m and at m + 1", at_one, next_size),
    )


def _public(drawn: Drawn) -> dict[str, Argument]:
    return {"epsilon": drawn["epsilon"], "beta_tree": drawn["share"], "trees": drawn["trees"]}


def _budgets(ask: Asker, drawn: Drawn) -> str:
    public = _public(drawn)
    trees, depth = int(drawn["trees"]), int(drawn["depth"])
    leaves = trees * ask.number("leaf_budget", **public)
    for rule in ("printed", "level"):
        spent = leaves
        for level in range(depth):
            nodes = 1 << level if rule == "printed" else 1
            args = public | {"depth": drawn["depth"], "level": Fraction(level)}
            spent += trees * nodes * ask.number("node_budget", rule=rule, **args)
        statement = f"the sum of all budgets with the rule {rule}, and epsilon"
        if complaint := differ(statement, spent, drawn["epsilon"]):
            return complaint
    return ""


def _scales(ask: Asker, drawn: Drawn) -> str:
    budget = ask.number("leaf_budget", **_public(drawn))
    leaves, bound = Fraction(1 << int(drawn["depth"])), drawn["weight_bound"]
    args = {"leaves": leaves, "bound": Fraction(4), "weight_bound": bound}
    for relation, n_changed in (("exchange", 2), ("add_remove", 1)):
        noisy, value = (
            ask.number("leaf_scale", rule=rule, **_public(drawn), relation=relation, **args)
            for rule in ("noisy_masses", "link_clamp_noise")
        )
        statement = f"scale times budget under {relation}, and {n_changed} w_bar"
        complaint = first(
            differ(statement, noisy * budget, n_changed * bound),
            differ("scale of a value times budget, and 2 M leaves", value * budget, 8 * leaves),
        )
        if complaint:
            return complaint
    return ""


def _calibrated_alpha(ask: Asker, drawn: Drawn) -> str:
    error, root, c = drawn.values()
    alpha = ask.number("calibrated_alpha", error=error, root_error=root)
    scaled = ask.number("calibrated_alpha", error=c * error, root_error=c * root)
    return first(
        differ("the calibrated alpha before and after both errors are multiplied by c", alpha, scaled),
        exceed("the calibrated alpha and 1", alpha, Fraction(1)),
        exceed("0 and the calibrated alpha", Fraction(0), alpha),
    )


def _law(law: str) -> Statement:
    def statement(ask: Asker, drawn: Drawn) -> str:
        scores = {name: drawn[name] for name in CANDIDATES}
        shifted = {name: score + drawn["shift"] for name, score in scores.items()}
        turned = {name: scores[name] for name in (CANDIDATES[-1], *CANDIDATES[:-1])}
        public = {"epsilon": drawn["epsilon"], "sensitivity": drawn["sensitivity"]}
        chances, *others = (ask.law(each, **public, law=law) for each in (scores, shifted, turned))
        order = sorted(scores, key=lambda name: (scores[name], name))
        changes = ("all scores are shifted", "the candidates are reordered")
        return first(
            differ("the sum of the probabilities, and 1", sum(chances.values(), Fraction(0)), Fraction(1)),
            *(
                differ(f"the probability of {name} before and after {change}", chances[name], other[name])
                for change, other in zip(changes, others, strict=True)
                for name in scores
            ),
            *(
                exceed("the probability of a lower score, and of a higher one", chances[low], chances[high])
                for low, high in pairwise(order)
            ),
        )

    return statement


def _leverage(ask: Asker, drawn: Drawn) -> str:
    alpha, value, net, c = drawn.values()
    public: dict[str, Argument] = {"alpha": alpha, "bound": Fraction(4), "m": Fraction(5)}
    single = ask.number("leverage", **public, values=[str(value)], nets=[str(net)])
    twice = ask.number("leverage", **public, values=[str(value)] * 2, nets=[str(net), str(c * net)])
    return differ(
        "(1 + c) times the coefficient with one leaf, and the coefficient with two", (1 + c) * single, twice
    )


def _mirror(ask: Asker, drawn: Drawn) -> str:
    still, right, wrong = (
        ask.number("update_weight", rule="mirror", **drawn, y=y, beta=Fraction(beta))
        for y, beta in (("1", 0), ("1", 1), ("-1", 1))
    )
    low, high = (right, wrong) if drawn["value"] >= 0 else (wrong, right)
    return first(
        differ("the weight before and after an update by 0", drawn["weight"], still),
        exceed("the weight where the tree is right, and where it is wrong", low, high),
    )


def _accumulated_weight(ask: Asker, drawn: Drawn) -> str:
    grid = Fraction(1, 1024)
    public = {"weight_bound": drawn["bound"], "grid": grid}
    z, t = sorted((drawn["z"], drawn["t"]))
    wrong, right = (
        ask.number("update_weight", rule="accumulated", alpha=drawn["alpha"], y="1", **public, margin=at)
        for at in (z, t)
    )
    steps = wrong / grid
    return first(
        exceed("the weight at a larger margin, and at a smaller one", right, wrong),
        exceed("the weight and w_bar", wrong, drawn["bound"]),
        exceed("one step of the grid and the weight", grid, right),
        differ("the weight in steps of the grid, and the nearest integer", steps, Fraction(round(steps))),
    )


def _leaf_value(ask: Asker, drawn: Drawn) -> str:
    alpha, p, n, noise = drawn.values()
    public: dict[str, Argument] = {"alpha": alpha, "zeta": Fraction(1, 64)}
    public |= {"bound": Fraction(2), "grid": Fraction(1, 1024)}
    value = ask.leaf(rule="link_clamp_noise", **public, positive=p, negative=n, noise={"value": noise})
    quiet = {"positive": Fraction(0), "negative": Fraction(0)}
    of_leaf, swapped = (
        ask.leaf(rule="noisy_masses", **public, positive=a, negative=b, noise=quiet)
        for a, b in ((p, n), (n, p))
    )
    away = -of_leaf if p >= n else of_leaf
    return first(
        exceed("the absolute value of a leaf, and M", abs(value), Fraction(2)),
        differ("the value of a leaf, and minus its value after its classes are exchanged", of_leaf, -swapped),
        exceed("minus the value of a leaf in the direction of its majority, and 0", away, Fraction(0)),
    )
