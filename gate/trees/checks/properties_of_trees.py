"""The properties of masses, budgets, laws and weights."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

from .property import Argument, Asker, Drawn, Property, Statement, differ, exceed, first, property_of

ALPHA, MARGIN, PROBABILITY = (0, 8, 8), (-256, 256, 64), (1, 63, 64)
POSITIVE = (1, 256, 64)
CANDIDATES = ("x0 >= 1", "x0 >= 2", "x1 = 0")


def tree_properties() -> Iterator[Property]:
    """Yield the properties of masses, budgets, laws and weights."""
    masses = {"alpha": ALPHA, "positive": POSITIVE, "negative": POSITIVE, "more": POSITIVE}
    yield property_of("leaf-risk", "defMECH", _leaf_risk, ("homogeneity",), **masses)
    yield property_of(
        "sharp-sensitivity",
        "sharp-sensitivity",
        _sharp,
        ("weight-bound", "m-plus-one"),
        alpha=ALPHA,
        m=(1, 400, 1),
        bound=(1, 8, 8),
    )
    shape = {"trees": (1, 20, 1), "depth": (1, 8, 1), "epsilon": POSITIVE, "share": (1, 15, 16)}
    yield property_of(
        "budgets-add-up", "fixEPSILON", _budgets, ("budget-depth", "budget-share", "budget-trees"), **shape
    )
    yield property_of(
        "scale-is-inverse-to-budget",
        "sec-solv",
        _scales,
        ("exchange-two", "leaf-count"),
        **shape,
        weight_bound=(1, 8, 8),
    )
    yield property_of(
        "calibrated-alpha",
        "fixALPHA",
        _calibrated_alpha,
        ("calibration-cap",),
        error=(0, 256, 64),
        root=(0, 256, 64),
        c=POSITIVE,
    )
    scores = dict.fromkeys(CANDIDATES, (-512, 0, 64))
    for law in ("exponential", "permute_and_flip"):
        yield property_of(
            f"law/{law}",
            "expSPLIT",
            _law(law),
            ("score-sign", "tie", "overflow-trap"),
            **scores,
            shift=(-4096, 4096, 1),
            epsilon=POSITIVE,
            sensitivity=POSITIVE,
        )
    yield property_of(
        "leverage-linear",
        "cboost",
        _leverage,
        ("normalisation",),
        alpha=(1, 8, 8),
        value=(-64, 64, 16),
        net=(1, 64, 16),
        c=POSITIVE,
    )
    weights = {"alpha": (1, 8, 8), "weight": PROBABILITY, "value": (-64, 64, 16)}
    yield property_of("mirror-update", "defwunMF", _mirror, ("mirror-plateau", "plateau"), **weights)
    yield property_of(
        "accumulated-weight",
        "defwunMF",
        _accumulated_weight,
        ("grid", "plateau"),
        alpha=(1, 8, 8),
        z=MARGIN,
        t=MARGIN,
        bound=(1, 8, 8),
    )
    yield property_of(
        "leaf-value",
        "predDT",
        _leaf_value,
        ("clamp-order",),
        alpha=(1, 8, 8),
        positive=POSITIVE,
        negative=POSITIVE,
        noise=(-4096, 4096, 1024),
    )


def _leaf_risk(ask: Asker, drawn: Drawn) -> str:
    alpha, p, n = drawn["alpha"], drawn["positive"], drawn["negative"]
    c = drawn["more"]
    risk = ask.number("leaf_risk", alpha=alpha, positive=p, negative=n)
    swapped = ask.number("leaf_risk", alpha=alpha, positive=n, negative=p)
    scaled = ask.number("leaf_risk", alpha=alpha, positive=c * p, negative=c * n)
    more = ask.number("leaf_risk", alpha=alpha, positive=p + c, negative=n)
    return first(
        differ("the risk of a leaf before and after its classes are exchanged", risk, swapped),
        differ("c times the risk of a leaf, and the risk with both masses times c", c * risk, scaled),
        exceed("the risk of a leaf before and after an example is added", risk, more),
    )


def _sharp(ask: Asker, drawn: Drawn) -> str:
    m, bound = drawn["m"], drawn["bound"]
    args: dict[str, Argument] = {"rule": "sharp", "alpha": drawn["alpha"]}
    sensitivity = ask.number("sensitivity", **args, m=m, weight_bound=bound)
    at_one = ask.number("sensitivity", **args, m=m, weight_bound=Fraction(1))
    next_size = ask.number("sensitivity", **args, m=m + 1, weight_bound=Fraction(1))
    lone = ask.number("leaf_risk", alpha=drawn["alpha"], positive=Fraction(1), negative=m - 1)
    return first(
        differ("the sensitivity at w_bar, and w_bar times the sensitivity at 1", sensitivity, bound * at_one),
        differ("the sensitivity, and the risk of a leaf with one example against m - 1", at_one, lone),
        exceed("the sensitivity at m and at m + 1", at_one, next_size),
    )


def _budgets(ask: Asker, drawn: Drawn) -> str:
    public: dict[str, Argument] = {
        "epsilon": drawn["epsilon"],
        "beta_tree": drawn["share"],
        "trees": drawn["trees"],
    }
    trees, depth = int(drawn["trees"]), int(drawn["depth"])
    leaves = trees * ask.number("leaf_budget", **public)
    for rule in ("printed", "level"):
        spent = leaves
        for level in range(depth):
            nodes = 1 << level if rule == "printed" else 1
            budget = ask.number(
                "node_budget", rule=rule, **public, depth=drawn["depth"], level=Fraction(level)
            )
            spent += trees * nodes * budget
        complaint = differ(
            f"the sum of all budgets with the rule {rule}, and epsilon", spent, drawn["epsilon"]
        )
        if complaint:
            return complaint
    return ""


def _scales(ask: Asker, drawn: Drawn) -> str:
    public: dict[str, Argument] = {
        "epsilon": drawn["epsilon"],
        "beta_tree": drawn["share"],
        "trees": drawn["trees"],
    }
    budget = ask.number("leaf_budget", **public)
    leaves, bound = Fraction(1 << int(drawn["depth"])), drawn["weight_bound"]
    for relation, n_changed in (("exchange", 2), ("add_remove", 1)):
        more: dict[str, Argument] = {
            "relation": relation,
            "leaves": leaves,
            "bound": Fraction(4),
            "weight_bound": bound,
        }
        noisy = ask.number("leaf_scale", rule="noisy_masses", **public, **more)
        value = ask.number("leaf_scale", rule="link_clamp_noise", **public, **more)
        complaint = first(
            differ(
                f"scale times budget under {relation}, and {n_changed} w_bar",
                noisy * budget,
                n_changed * bound,
            ),
            differ("scale of a value times budget, and 2 M leaves", value * budget, 8 * leaves),
        )
        if complaint:
            return complaint
    return ""


def _calibrated_alpha(ask: Asker, drawn: Drawn) -> str:
    error, root, c = drawn["error"], drawn["root"], drawn["c"]
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
        public: dict[str, Argument] = {
            "epsilon": drawn["epsilon"],
            "sensitivity": drawn["sensitivity"],
            "law": law,
        }
        chances = ask.law(scores, **public)
        shifted = ask.law({name: score + drawn["shift"] for name, score in scores.items()}, **public)
        turned = ask.law({name: scores[name] for name in (CANDIDATES[-1], *CANDIDATES[:-1])}, **public)
        order = sorted(scores, key=lambda name: (scores[name], name))
        return first(
            differ(
                "the sum of the probabilities, and 1", sum(chances.values(), start=Fraction(0)), Fraction(1)
            ),
            *(
                differ(
                    f"the probability of {name} before and after all scores are shifted",
                    chances[name],
                    shifted[name],
                )
                for name in scores
            ),
            *(
                differ(
                    f"the probability of {name} before and after the candidates are reordered",
                    chances[name],
                    turned[name],
                )
                for name in scores
            ),
            *(
                exceed("the probability of a lower score, and of a higher one", chances[low], chances[high])
                for low, high in pairwise(order)
            ),
        )

    return statement


def _leverage(ask: Asker, drawn: Drawn) -> str:
    value, net, c = drawn["value"], drawn["net"], drawn["c"]
    public: dict[str, Argument] = {"alpha": drawn["alpha"], "bound": Fraction(4), "m": Fraction(5)}
    single = ask.number("leverage", **public, values=[str(value)], nets=[str(net)])
    twice = ask.number("leverage", **public, values=[str(value)] * 2, nets=[str(net), str(c * net)])
    return differ(
        "(1 + c) times the coefficient with one leaf, and the coefficient with two", (1 + c) * single, twice
    )


def _mirror(ask: Asker, drawn: Drawn) -> str:
    public: dict[str, Argument] = {
        "rule": "mirror",
        "alpha": drawn["alpha"],
        "weight": drawn["weight"],
        "value": drawn["value"],
    }
    still = ask.number("update_weight", **public, y="1", beta=Fraction(0))
    right, wrong = (ask.number("update_weight", **public, y=y, beta=Fraction(1)) for y in ("1", "-1"))
    low, high = (right, wrong) if drawn["value"] >= 0 else (wrong, right)
    return first(
        differ("the weight before and after an update by 0", drawn["weight"], still),
        exceed("the weight where the tree is right, and where it is wrong", low, high),
    )


def _accumulated_weight(ask: Asker, drawn: Drawn) -> str:
    grid = Fraction(1, 1024)
    public: dict[str, Argument] = {
        "rule": "accumulated",
        "alpha": drawn["alpha"],
        "y": "1",
        "weight_bound": drawn["bound"],
        "grid": grid,
    }
    z, t = sorted((drawn["z"], drawn["t"]))
    wrong, right = (ask.number("update_weight", **public, margin=at) for at in (z, t))
    steps = wrong / grid
    return first(
        exceed("the weight at a larger margin, and at a smaller one", right, wrong),
        exceed("the weight and w_bar", wrong, drawn["bound"]),
        exceed("one step of the grid and the weight", grid, right),
        differ("the weight in steps of the grid, and the nearest integer", steps, Fraction(round(steps))),
    )


def _leaf_value(ask: Asker, drawn: Drawn) -> str:
    public: dict[str, Argument] = {
        "alpha": drawn["alpha"],
        "zeta": Fraction(1, 64),
        "bound": Fraction(2),
        "grid": Fraction(1, 1024),
    }
    p, n, noise = drawn["positive"], drawn["negative"], drawn["noise"]
    value = ask.leaf(rule="link_clamp_noise", **public, positive=p, negative=n, noise={"value": noise})
    quiet = {"positive": Fraction(0), "negative": Fraction(0)}
    value_of_leaf = ask.leaf(rule="noisy_masses", **public, positive=p, negative=n, noise=quiet)
    swapped = ask.leaf(rule="noisy_masses", **public, positive=n, negative=p, noise=quiet)
    return first(
        exceed("the absolute value of a leaf, and M", abs(value), Fraction(2)),
        differ(
            "the value of a leaf, and minus its value after its classes are exchanged",
            value_of_leaf,
            -swapped,
        ),
        exceed(
            "minus the value of a leaf in the direction of its majority, and 0",
            -value_of_leaf if p >= n else value_of_leaf,
            Fraction(0),
        ),
    )
