"""The cases of the operations on trees and privacy: masses, sensitivities, budgets, laws, leaves, weights."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

from privboost.gate.profile import VectorCase

from .points import InputPoint, named_point, points

ALPHAS = ("0", "1/10", "1/2", "1")


def tree_cases() -> Iterator[VectorCase]:
    """Yield all cases of the operations on trees and privacy that have a value."""
    for cases in (
        _leaf_risks,
        _sensitivities,
        _node_budgets,
        _leaf_budgets,
        _leaf_scales,
        _calibrated_alphas,
        _scores,
        _laws,
        _values,
        _leverages,
        _mirror_updates,
        _accumulated_updates,
    ):
        yield from cases()


def case_of(op: str, flags: tuple[str, ...], **given: str | InputPoint) -> VectorCase:
    """Return a case that is named by its arguments, with the flags of the points among them."""
    values = {
        name: value if isinstance(value, InputPoint) else InputPoint(value, value)
        for name, value in given.items()
    }
    identity = " ".join(f"{name}={point.name}" for name, point in values.items())
    of_points = (flag for point in values.values() for flag in point.flags)
    return VectorCase(
        op, identity, {name: point.string for name, point in values.items()}, (*flags, *of_points)
    )


HUGE, TINY = Fraction(1 << 300), Fraction(1, 1 << 300)


def _leaf_risks() -> Iterator[VectorCase]:
    masses: list[tuple[InputPoint, ...]] = [
        (InputPoint("0", "0", ("empty-leaf",)), InputPoint("0", "0")),
        (InputPoint("1", "1", ("pure-leaf",)), InputPoint("0", "0")),
        (InputPoint("0", "0", ("pure-leaf",)), InputPoint("5/2", "5/2")),
        (InputPoint("1", "1", ("tie",)), InputPoint("1", "1")),
        *map(points, ("1", "3", "7/2", "1/2"), ("2", "1", "3/2", "1")),
        *map(points, ("1", "1023", "1/1024", "10"), ("1023", "1", "1/2", "6")),
        (named_point("2^300", HUGE, "huge"), named_point("3*2^300", 3 * HUGE)),
        (named_point("2^-300", TINY, "tiny"), named_point("2^-300", TINY)),
        (named_point("2^-300", TINY, "tiny"), InputPoint("1", "1")),
    ]
    for alpha, (a, b) in product((*ALPHAS, "9/10"), masses):
        yield case_of("leaf_risk", ("factor-two", "homogeneity"), alpha=alpha, positive=a, negative=b)


def _sensitivities() -> Iterator[VectorCase]:
    sizes = ("1", "2", "3", "4", "5", "16", "100", "1024", "1000000", "4294967296")
    for rule, alpha, m in product(("printed", "sharp"), (*ALPHAS, "9/10"), sizes):
        for bound in ("1",) if rule == "printed" else ("1", "1/2"):
            flags = ("m-plus-one", "sensitivity-alpha", *(("m-one",) if m == "1" else ()))
            all_flags = (*flags, *(("weight-bound",) if bound != "1" else ()))
            yield case_of("sensitivity", all_flags, rule=rule, alpha=alpha, m=m, weight_bound=bound)
    for rule, m in product(("printed", "sharp"), ("16", str(10**20))):
        flags = ("weight-bound", "huge")
        yield case_of("sensitivity", flags, rule=rule, alpha="1/2", m=m, weight_bound="3")


BUDGETS = (
    *points("1", "1/10", "10"),
    named_point("2^-40", Fraction(1, 1 << 40), "tiny"),
    named_point("2^60", Fraction(1 << 60), "huge"),
)


def _node_budgets() -> Iterator[VectorCase]:
    shapes = (("1", "1", "0"), ("3", "4", "0"), ("3", "4", "3"), ("10", "5", "2"), ("7", "1000", "900"))
    flags = ("budget-trees", "budget-depth", "budget-share")
    for rule, epsilon, share, shape in product(("printed", "level"), BUDGETS, ("1/2", "1/4"), shapes):
        more = dict(zip(("trees", "depth", "level"), shape, strict=True))
        yield case_of("node_budget", flags, rule=rule, epsilon=epsilon, beta_tree=share, **more)


def _leaf_budgets() -> Iterator[VectorCase]:
    for epsilon, share, trees in product(BUDGETS, ("1/2", "1/4", "9/10"), ("1", "3", "50")):
        flags = ("budget-trees", "budget-share")
        yield case_of("leaf_budget", flags, epsilon=epsilon, beta_tree=share, trees=trees)


def _leaf_scales() -> Iterator[VectorCase]:
    rules = ("noisy_masses", "link_noise_clamp", "link_clamp_noise")
    usual = product(rules, ("exchange", "add_remove"), BUDGETS, (("1", "2"), ("5", "8")), ("1", "1/2"))
    three_leaves = product(rules, ("exchange",), BUDGETS[:1], (("2", "3"),), ("1",))
    for rule, relation, epsilon, (trees, leaves), bound in (*usual, *three_leaves):
        of_rule = ("exchange-two", "weight-bound") if rule == "noisy_masses" else ("leaf-count", "factor-two")
        more = {"beta_tree": "1/4", "trees": trees, "leaves": leaves, "bound": "10", "weight_bound": bound}
        flags = (*of_rule, "budget-share")
        yield case_of("leaf_scale", flags, rule=rule, relation=relation, epsilon=epsilon, **more)


def _calibrated_alphas() -> Iterator[VectorCase]:
    pairs = ("0", "0"), ("1", "0"), ("0", "1"), ("1", "2"), ("1", "3"), ("2", "2"), ("3", "2"), ("7/2", "5")
    errors = [
        *(points(*pair) for pair in pairs),
        (named_point("2^-300", TINY, "tiny"), named_point("2^-299", 2 * TINY)),
        (named_point("2^300", HUGE, "huge"), InputPoint("1", "1")),
    ]
    for error, root in errors:
        yield case_of("calibrated_alpha", ("calibration-cap",), error=error, root_error=root)


def row(x: list[int], y: int, w: str) -> dict[str, Any]:
    """Return a weighted row."""
    return {"x": x, "y": y, "w": w}


SAMPLES: dict[str, tuple[list[dict[str, Any]], tuple[str, ...]]] = {
    "empty": ([], ("empty-leaf",)),
    "one": ([row([0, 0], 1, "1/2")], ("pure-leaf", "empty-leaf")),
    "tie": ([row([0, 0], 1, "1"), row([1, 1], -1, "1")], ("tie", "pure-leaf")),
    "mixed": (
        [row([x, c], y, "1/2") for x, c, y in ((0, 0, 1), (1, 1, 1), (2, 2, -1), (3, 0, -1), (1, 2, 1))],
        (),
    ),
    "skewed": ([row([x % 4, x % 3], 1 if x % 5 else -1, f"{x + 1}/16") for x in range(12)], ("homogeneity",)),
    "heavy": (
        [row([0, 1], 1, str(1 << 200)), row([0, 2], -1, str(1 << 199)), row([3, 0], -1, "1")],
        ("huge",),
    ),
    "light": (
        [row([0, 1], 1, str(Fraction(1, 1 << 200))), row([0, 2], -1, str(Fraction(1, 1 << 201)))],
        ("tiny",),
    ),
    "pure": ([row([x, x % 3], -1, "1/2") for x in range(4)], ("pure-leaf",)),
    "duplicates": (
        [row([x, c], y, "1/2") for x, c, y in ((0, 0, 1), (0, 0, 1), (2, 1, -1), (2, 1, -1), (2, 1, 1))],
        ("duplicate-rows",),
    ),
    "weight 0": (
        [row([0, 0], 1, "1/2"), row([1, 1], -1, "0"), row([2, 2], -1, "1/4"), row([0, 1], -1, "0")],
        ("weight-zero",),
    ),
}
CANDIDATES = ["x0 >= 1", "x0 >= 2", "x0 >= 3", "x1 = 0", "x1 = 1", "x1 = 2"]


def _scores() -> Iterator[VectorCase]:
    for (name, (rows, flags)), alpha in product(SAMPLES.items(), (*ALPHAS, "9/10")):
        args = {"alpha": alpha, "rows": rows, "candidates": CANDIDATES}
        all_flags = ("score-sign", "categorical", "side", *flags)
        yield VectorCase("split_scores", f"alpha={alpha} rows={name}", args, all_flags)
    args = {"alpha": "1/2", "rows": SAMPLES["mixed"][0], "candidates": ["x0 >= 2"]}
    yield VectorCase("split_scores", "alpha=1/2 rows=mixed one candidate", args, ("score-sign",))
    yield VectorCase(
        "split_scores", "alpha=1/2 rows=mixed no candidate", args | {"candidates": []}, ("empty-list",)
    )
    rows = [
        row([code, *[code % 2] * 9, code % 3], y, "1/2")
        for code, y in zip(WIDE_CODES, WIDE_LABELS, strict=True)
    ]
    args = {"alpha": "1/2", "rows": rows, "candidates": ["x0 >= 12", "x0 >= 256", "x10 = 0", "x10 = 2"]}
    yield VectorCase("split_scores", "alpha=1/2 rows=wide", args, ("two-digits",))
    rows = [row([code], y, "1/2") for code, y in zip(GREAT_CODES, WIDE_LABELS, strict=True)]
    args = {"alpha": "1/2", "rows": rows, "candidates": [f"x0 {test}" for test in GREAT_TESTS]}
    yield VectorCase("split_scores", "alpha=1/2 rows=great codes", args, ("huge",))


GREAT_CODES = (0, 10**9, 1 << 31, 1 << 32, (1 << 32) + 1, 10**10, (1 << 53) - 1)
"""Codes around those of 32-bit integers, and up to the greatest that every JSON reader reads exactly."""
GREAT_TESTS = (f">= {1 << 31}", f">= {(1 << 32) + 1}", f"= {1 << 32}", f">= {10**10}", f"= {(1 << 53) - 1}")
WIDE_CODES, WIDE_LABELS = (0, 1, 11, 12, 255, 256, 300), (1, -1, 1, -1, -1, 1, 1)


TABLES: dict[str, tuple[dict[str, str], tuple[str, ...]]] = {
    "one": ({"x0 >= 1": "-3"}, ("tie",)),
    "equal": ({f"x0 >= {cut}": "-2" for cut in range(1, 5)}, ("tie",)),
    "two": ({"x0 >= 1": "-1", "x1 = 0": "-2"}, ("score-sign", "factor-two")),
    "spread": ({f"x0 >= {cut}": f"-{cut}/2" for cut in range(1, 7)}, ("score-sign", "factor-two")),
    "tied best": ({"x0 >= 1": "0", "x0 >= 2": "0", "x1 = 0": "-4"}, ("tie",)),
    "steep": ({"x0 >= 1": "0", "x0 >= 2": "-100", "x1 = 0": "-200"}, ("tiny",)),
    "above 700": ({"x0 >= 1": "3000", "x0 >= 2": "2999", "x1 = 0": "2990"}, ("overflow-trap", "huge")),
    "below -700": ({"x0 >= 1": "-3000", "x0 >= 2": "-2999", "x1 = 0": "-2990"}, ("overflow-trap",)),
    "far apart": ({"x0 >= 1": "1500", "x0 >= 2": "-1500", "x1 = 0": "1499"}, ("overflow-trap",)),
    "many": ({f"x0 >= {cut}": f"-{cut}/8" for cut in range(1, 25)}, ("many-candidates",)),
    "forty equal": ({f"x0 >= {cut}": "-2" for cut in range(1, 41)}, ("tie", "many-candidates")),
    "thirty best": (
        {f"x0 >= {cut}": "0" if cut <= 30 else "-4" for cut in range(1, 41)},
        ("tie", "many-candidates"),
    ),
    "vast": ({"x0 >= 1": "1073741824", "x0 >= 2": "1073741823"}, ("overflow-trap", "huge")),
}


def _laws() -> Iterator[VectorCase]:
    prices = (("1", "1"), ("1/8", "3"), ("2", "1/2"), ("8", "4"))
    for law, (name, (scores, flags)), (epsilon, delta) in product(
        ("exponential", "permute_and_flip"), TABLES.items(), prices
    ):
        args = {"scores": scores, "epsilon": epsilon, "sensitivity": delta, "law": law}
        all_flags = (*flags, *(("permute-and-flip",) if law == "permute_and_flip" else ()))
        yield VectorCase(
            "split_law", f"law={law} scores={name} epsilon={epsilon} sensitivity={delta}", args, all_flags
        )


def _value(
    rule: str, alpha: str, masses: tuple[str, str], noise: dict[str, str], **more: str
) -> dict[str, Any]:
    args = {"rule": rule, "alpha": alpha, "zeta": "1/64", "bound": "4", "grid": "1/1024"} | more
    return args | {"positive": masses[0], "negative": masses[1], "noise": noise}


def _values() -> Iterator[VectorCase]:
    masses = (("0", "0"), ("3", "0"), ("0", "5/2"), ("2", "2"), ("5", "2"), ("3", "20"), ("1/2", "3/2"))
    flags_of_masses = {
        "00": ("empty-leaf",),
        "30": ("pure-leaf",),
        "05/2": ("pure-leaf",),
        "22": ("tie-at-half",),
    }
    noisy = (
        {"positive": "0", "negative": "0"},
        {"positive": "3/8", "negative": "-1/4"},
        {"positive": "-9", "negative": "1"},
        {"positive": "-9", "negative": "-30"},
        {"positive": "1000", "negative": "1"},
    )
    for alpha, pair, noise in product(("1/10", "1/2", "1"), masses, noisy):
        args = _value("noisy_masses", alpha, pair, noise)
        flags = ("negative-mass", "normalisation", *flags_of_masses.get("".join(pair), ()))
        name = f"rule=noisy_masses alpha={alpha} masses={','.join(pair)} noise={','.join(noise.values())}"
        yield VectorCase("leaf_value", name, args, flags)
    for alpha, pair in product(("0",), masses):
        args = _value("noisy_masses", alpha, pair, noisy[1])
        name = f"rule=noisy_masses alpha={alpha} masses={','.join(pair)} noise={','.join(noisy[1].values())}"
        yield VectorCase("leaf_value", name, args, ("alpha-zero",))
    for bound, pair in product(("10/3", "1/3"), masses):
        args = _value("noisy_masses", "1", pair, noisy[1], bound=bound)
        name = f"rule=noisy_masses alpha=1 masses={','.join(pair)} bound={bound}"
        yield VectorCase("leaf_value", name, args, ("bound-off-grid",))
    for rule, alpha, pair, value in product(
        ("link_noise_clamp", "link_clamp_noise"), ("1/10", "1/2", "1"), masses, ("0", "-3/2", "100")
    ):
        args = _value(rule, alpha, pair, {"value": value})
        flags = ("clamp-order", "grid", "zeta", *flags_of_masses.get("".join(pair), ()))
        name = f"rule={rule} alpha={alpha} masses={','.join(pair)} noise={value}"
        yield VectorCase("leaf_value", name, args, flags)
    for rule, bound in product(("link_noise_clamp", "link_clamp_noise"), ("1", "16")):
        # The raw value is far above M and the noise is negative, so the order of the clamps matters.
        args = _value(rule, "1", ("100", "0"), {"value": "-6"}, bound=bound, zeta="1/1048576", grid="1/16")
        name = f"rule={rule} alpha=1 masses=100,0 noise=-6 bound={bound}"
        yield VectorCase("leaf_value", name, args, ("clamp-order", "pure-leaf", "zeta"))
    off_grid = {"noisy_masses": {"positive": "1/3", "negative": "-1/7"}}
    for rule in ("noisy_masses", "link_noise_clamp", "link_clamp_noise"):
        noise = off_grid.get(rule, {"value": "1/3"})
        args = _value(rule, "1", ("5", "2"), noise, grid="1/16")
        name = f"rule={rule} alpha=1 masses=5,2 noise={','.join(noise.values())} grid=1/16"
        yield VectorCase("leaf_value", name, args, ("noise-off-grid",))


def _leverages() -> Iterator[VectorCase]:
    tables = (
        (["1"], ["2"]),
        (["1/2", "-3/2"], ["4", "-1"]),
        (["0", "0"], ["1", "5"]),
        (["4", "-4", "1/8", "2"], ["3/2", "-2", "0", "5/4"]),
    )
    for alpha, bound, m, (values, nets) in product(("1/10", "1/2", "1"), ("1", "10"), ("1", "7"), tables):
        args = {"alpha": alpha, "bound": bound, "m": m, "values": values, "nets": nets}
        name = f"alpha={alpha} bound={bound} m={m} leaves={len(values)} first={','.join(values[:1])}"
        yield VectorCase("leverage", name, args, ("normalisation", "factor-two"))
    args = {"alpha": "1", "bound": "1", "m": "7", "values": [], "nets": []}
    yield VectorCase("leverage", "no leaves", args, ("empty-list",))


def _mirror_updates() -> Iterator[VectorCase]:
    weights = points("1/2", flags=["mirror-plateau"]) + points("1/16", "15/16", "1/3")
    for alpha, y, weight, (beta, value) in product(
        ("1/10", "1/2", "1"),
        ("1", "-1"),
        weights,
        (("1", "3/4"), ("2", "5/2"), ("1/4", "-3"), ("0", "1")),
    ):
        flags, more = ("accumulated-weights", "plateau"), {"beta": beta, "value": value}
        yield case_of("update_weight", flags, rule="mirror", alpha=alpha, y=y, weight=weight, **more)


def _accumulated_updates() -> Iterator[VectorCase]:
    margins = ("0", "1/3", "-1/3", "7/3", "-7/3", "50", "-50")
    usual = product(("1/10", "1/2", "1"), ("1", "-1"), margins, ("1", "1/2"))
    off_grid = product(("1",), ("1",), ("-7/3", "50"), ("1/3", "1/4096"))
    for alpha, y, margin, bound in (*usual, *off_grid):
        flags = ("accumulated-weights", "grid", "plateau")
        more = {"margin": margin, "weight_bound": bound, "grid": "1/1024"}
        yield case_of("update_weight", flags, rule="accumulated", alpha=alpha, y=y, **more)
