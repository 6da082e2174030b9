"""Cases of `train` with a tape and of `predict`.

Every word of the protocol occurs: in both presets, and in each preset with one field changed. Tapes are drawn
from a fixed seed, and dropped if a double could round to another step of the grid than the exact number.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from privboost.errors import Undecided
from privboost.gate.profile import VectorCase
from privboost.gate.trees.expected.ask import expected_of
from privboost.gate.trees.expected.learner import roundings
from privboost.gate.trees.operations.operations_of_learner import SOUND
from privboost.gate.trees.operations.ranges import WORDS
from privboost.gate.trees.operations.training import candidates_of, read_domain
from privboost.gate.vectors.encoding import format_significant
from privboost.reference.exact import enclose

AS_PRINTED = {
    "alpha": "raw_strict",
    "split_law": "exponential",
    "sensitivity": "printed",
    "node_budget": "printed",
    "leaf": "link_noise_clamp",
    "beta": "raw",
    "relation": "exchange",
}
PARAMETERS: dict[str, Any] = {
    "trees": "2",
    "depth": "2",
    "epsilon": "1",
    "beta_tree": "1/2",
    "bound": "4",
    "zeta": "1/64",
    "alphas": ["1", "1/2"],
    "boost_alpha": "1",
    "grid": "1/1024",
}
MIXED_DOMAIN = [
    {"kind": "quantised", "n_values": 4},
    {"kind": "categorical", "n_values": 3},
    {"kind": "categorical", "n_values": 2},
]
BINARY_DOMAIN = [{"kind": "quantised", "n_values": 2}] * 2
CONSTANT_DOMAIN = [*MIXED_DOMAIN[:2], {"kind": "categorical", "n_values": 1}]
WIDE_DOMAIN = [{"kind": "quantised", "n_values": 12}, *MIXED_DOMAIN[2:] * 10]

Rows = list[dict[str, Any]]


def rows_of(*strings: str) -> Rows:
    """Return rows from strings such as '013+'."""
    return [
        {"x": [int(code) for code in string[:-1]], "y": 1 if string[-1] == "+" else -1} for string in strings
    ]


SAMPLES: dict[str, tuple[Rows, tuple[str, ...]]] = {
    "mixed": (rows_of("000+", "110+", "221-", "301-", "120+", "200-", "311+"), ("categorical", "side")),
    "tied": (rows_of("000+", "000-", "311+", "311-", "120+", "221-"), ("tie", "strict-draw")),
    "pure": (rows_of("000+", "110+", "221+", "301+"), ("pure-leaf", "empty-leaf", "calibration-cap")),
    "one": (rows_of("210-"), ("m-one", "empty-leaf")),
    "two": (rows_of("000+", "321-"), ("m-plus-one", "empty-leaf")),
    "constant": (rows_of("000+", "110-", "220-", "300+", "120+"), ("constant-attribute",)),
    "wide": (
        [
            {"x": [code, *(code >> bit % 4 & 1 for bit in range(10))], "y": 1 if code % 3 else -1}
            for code in (0, 3, 7, 9, 10, 11, 11)
        ],
        ("two-digits",),
    ),
    "turned": (rows_of("000-", "000-", "110+", "221+", "301-", "120-", "120-", "311-"), ("duplicate-rows",)),
}
FIELD_FLAGS = {
    "alpha": ("sensitivity-alpha", "calibration-cap", "same-level"),
    "split_law": ("permute-and-flip",),
    "sensitivity": ("weight-bound", "m-plus-one"),
    "node_budget": ("budget-depth", "expenses"),
    "leaf": ("clamp-order", "leaf-count", "zeta"),
    "beta": ("beta-rule", "accumulated-weights"),
    "relation": ("exchange-two", "expenses"),
}
GENERAL_FLAGS = ("budget-trees", "weight-bound", "beta-rule")
MARGIN = Fraction(1, 10**7)
"""Minimum distance from a step of the grid, in steps, for numbers that are not on the grid in doubles."""


def train_cases() -> Iterator[VectorCase]:
    """Yield all cases of `train` with a tape."""
    for name, protocol, flags in protocols():
        for sample in ("mixed", "tied"):
            yield _case(f"{name} rows={sample}", protocol, sample, flags)
    for preset, protocol in (("SOUND", SOUND), ("AS_PRINTED", AS_PRINTED)):
        for sample in ("pure", "one", "two", "constant", "wide"):
            yield _case(f"{preset} rows={sample}", protocol, sample, ())
        for name, more in CHANGES.items():
            flags = ("alpha-of-level",) if "alphas" in more else ()
            yield _case(f"{preset} rows=mixed {name}", protocol, "mixed", flags, **more)
        yield _same_tape(f"{preset} rows=mixed", f"{preset} rows=turned tape of rows=mixed", protocol)


def _same_tape(name: str, new_name: str, protocol: dict[str, str]) -> VectorCase:
    """Return a case with the tape of another case, and other rows: a cached model is wrong."""
    case = _case(name, protocol, "mixed", ())
    args = case.args | {"rows": SAMPLES["turned"][0]}
    assert is_robust(args), new_name
    return VectorCase("train", new_name, args, SAMPLES["turned"][1])


CHANGES: dict[str, dict[str, Any]] = {
    "depth=1": {"depth": "1", "trees": "3"},
    "depth=3": {"depth": "3", "trees": "1", "alphas": ["1", "1/4"]},
    "alphas=1,1/4,3/4": {"depth": "3", "trees": "1", "alphas": ["1", "1/4", "3/4"]},
    "boost_alpha=1/2": {"boost_alpha": "1/2"},
    "epsilon=10 beta_tree=1/4": {"epsilon": "10", "beta_tree": "1/4"},
    "bound=1": {"bound": "1"},
}


def protocols() -> Iterator[tuple[str, dict[str, str], tuple[str, ...]]]:
    """Yield both presets, and each preset with one field changed: a name, the protocol, flags."""
    for preset, protocol in (("SOUND", SOUND), ("AS_PRINTED", AS_PRINTED)):
        yield preset, protocol, GENERAL_FLAGS
        for field, words in WORDS.items():
            for word in words:
                if word != protocol[field]:
                    yield f"{preset} {field}={word}", protocol | {field: word}, FIELD_FLAGS[field]
    # Under add/remove the cost of a level depends on the factor 2 of the law, and so on the sensitivity.
    turned = {"relation": "add_remove", "sensitivity": "printed"}
    yield "SOUND add_remove printed", SOUND | turned, FIELD_FLAGS["relation"]


def _case(
    name: str, protocol: dict[str, str], sample: str, flags: tuple[str, ...], **more: Any
) -> VectorCase:
    """Return one case, with the first tape on which doubles round to the same steps."""
    rows, sample_flags = SAMPLES[sample]
    domain = {"constant": CONSTANT_DOMAIN, "wide": WIDE_DOMAIN}.get(sample, MIXED_DOMAIN)
    for attempt in range(20):
        args = request(protocol, PARAMETERS | more, domain, rows, random.Random(f"{name}/{attempt}"))
        if is_robust(args):
            return VectorCase("train", name, args, (*flags, *sample_flags))
    raise AssertionError(f"no robust tape for {name}")


def request(
    protocol: dict[str, str],
    parameters: dict[str, Any],
    domain: list[dict[str, Any]],
    rows: Rows,
    generator: random.Random,
) -> dict[str, Any]:
    """Return the arguments of `train` with a random tape."""
    candidates = candidates_of(read_domain(domain))
    depth = int(parameters["depth"])
    names = ("positive", "negative") if protocol["leaf"] == "noisy_masses" else ("value",)
    tape = []
    for _ in range(int(parameters["trees"])):
        choices = [candidates[int(generator.random() * len(candidates))] for _ in range((1 << depth) - 1)]
        noise = [{name: _noise(generator) for name in names} for _ in range(1 << depth)]
        tape.append({"choices": choices, "noise": noise})
    public = {"protocol": protocol, "parameters": parameters, "domain": domain}
    return public | {"rows": rows, "tape": tape}


def _noise(generator: random.Random) -> str:
    """Return a random multiple of 1/1024 between -2 and 2, with extra weight on 0."""
    steps = int(generator.random() * 4096) - 2048 if generator.random() < 0.9 else 0
    return str(Fraction(steps, 1024))


def is_robust(args: dict[str, Any]) -> bool:
    """Return whether doubles round and compare as exact numbers do throughout a run."""
    try:
        for value, step in roundings(args):
            steps = enclose(value / step, 64).lo
            near = abs(steps - round(steps))
            exact_in_doubles = value in (0, Fraction(1, 2), Fraction(args["parameters"]["bound"]))
            if near < MARGIN * (1 if step < 1 else Fraction(1, 10**9)) and not exact_in_doubles:
                return False
    except Undecided:
        return False
    return True


def predict_cases() -> Iterator[VectorCase]:
    """Yield cases of `predict`: models of some tapes, at observations of the whole domain."""
    everywhere = [{"x": [a, b, c]} for a in range(4) for b in range(3) for c in range(2)]
    for case in train_cases():
        if case.id in (
            "SOUND rows=mixed",
            "AS_PRINTED rows=mixed",
            "SOUND rows=mixed depth=3",
            "SOUND rows=one",
        ):
            model = _decimal(expected_of("train", case.args))
            args = {"model": model, "domain": MIXED_DOMAIN, "rows": everywhere}
            yield VectorCase("predict", f"model of {case.id}", args, ("side", "categorical"))
    for name, model in (("trees of several depths", SEVERAL_DEPTHS), ("no trees", {"trees": []})):
        for rows in (everywhere, []):
            args = {"model": model, "domain": MIXED_DOMAIN, "rows": rows}
            yield VectorCase("predict", f"{name} rows={len(rows)}", args, ("model-shape",))
    args = {"model": {"trees": SEVERAL_DEPTHS["trees"][:1]}, "domain": [], "rows": [{"x": []}]}
    yield VectorCase("predict", "no attributes", args, ("model-shape",))


SEVERAL_DEPTHS: dict[str, Any] = {
    "trees": [
        {"splits": [], "values": ["-1/3"], "beta": "2"},
        {"splits": ["x0 >= 2"], "values": [0.375, -3], "beta": -0.25},
        {"splits": ["x1 = 2", "x0 >= 1", "x2 = 0"], "values": ["1", "-0.7", 2.75, 0], "beta": "1/7"},
    ]
}
"""A model with numbers of all spellings, and nothing but what `predict` needs."""


def _decimal(value: Any) -> Any:
    """Return exact numbers within lists and objects as decimal strings of 17 digits, without exponents."""
    if isinstance(value, dict):
        return {name: _decimal(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [_decimal(entry) for entry in value]
    if isinstance(value, str):
        return value
    return str(Fraction(format_significant(value, 17)))
