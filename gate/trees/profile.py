"""The profile `trees`: the private boosted trees of the paper."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

from privboost.gate.check import WIRE, Check
from privboost.gate.checks.vectors import vector_checks
from privboost.gate.checks.wire import wire_checks
from privboost.gate.profile import CheckGroup, FaultyImplementation, Profile, ProtocolPage, VectorSource
from privboost.gate.protocol.hello import Limit
from privboost.gate.protocol.kinds import WordKind
from privboost.gate.trees.cases.flags import FLAGS, OF_POINTS
from privboost.gate.trees.operations.operations import OPERATIONS
from privboost.gate.trees.operations.ranges import MEANINGS, PARAMETERS, WORDS

from .levels import Level


def _later(module: str, name: str) -> Callable[..., Any]:
    """Return a function that imports another one of this package when it is called, and calls it."""

    def call(*arguments: Any) -> Any:
        return getattr(import_module(f"{__package__}.{module}"), name)(*arguments)

    return call


def _vector_checks() -> Iterable[Check]:
    return vector_checks(PROFILE, (Level.VALUES, Level.REFUSAL))


def _tape_checks() -> Iterable[Check]:
    from privboost.gate.trees.checks.tapes import tape_checks

    return tape_checks(PROFILE)


def _faulty() -> dict[str, FaultyImplementation]:
    from privboost.gate.trees.faulty import MISTAKES

    return {
        name: mistake.describe("learner/law" if "seeded" in mistake.replacement.__module__ else "")
        for name, mistake in MISTAKES.items()
    }


CORE = frozenset(
    {"sensitivity", "node_budget", "leaf_budget", "leaf_scale", "split_law"}
    | {"sample_split", "sample_laplace", "train", "predict"}
)
"""All that spends budget or draws noise, and the learner itself."""
LABEL_NAMES = {
    WIRE: "requests and answers",
    "pbr": "partial losses and Bayes risk",
    "eqpartialloss": "partial loss of a label",
    "f-alphaM": "links and surrogates",
    "defpt": "perspectives of risks",
    "defMECH": "risk of a leaf",
    "sensALPHA": "sensitivity as printed",
    "sharp-sensitivity": "sharp sensitivity",
    "fixEPSILON": "budgets of nodes, and expenses",
    "sec-solv": "budgets and noise of leaves, and training",
    "fixALPHA": "alpha of a node",
    "expSPLIT": "scores and draws of splits",
    "predDT": "values of leaves",
    "cboost": "coefficients of trees",
    "defwunMF": "weights of rows",
    "defEDPRIV": "differential privacy",
}
VALUES, LEARNER = frozenset({Level.VALUES}), frozenset({Level.LEARNER})
LABELS_OF_OPERATIONS = frozenset(
    label
    for operation in OPERATIONS.values()
    for label in (operation.label, *operation.label_by_word.values())
)
LABELS_OF_TREES = frozenset(
    {"defMECH", "sharp-sensitivity", "fixEPSILON", "sec-solv", "fixALPHA", "expSPLIT", "cboost", "predDT"}
)
GROUPS = (
    CheckGroup(frozenset({WIRE}), frozenset({Level.WIRE}), wire_checks),
    CheckGroup(
        LABELS_OF_OPERATIONS,
        VALUES | {Level.REFUSAL},
        _vector_checks,
    ),
    CheckGroup(
        frozenset({"pbr", "eqpartialloss", "f-alphaM", "defpt"}),
        VALUES,
        _later("checks.properties_of_losses", "loss_properties"),
    ),
    CheckGroup(
        LABELS_OF_TREES | {"defwunMF"}, VALUES, _later("checks.properties_of_trees", "tree_properties")
    ),
    CheckGroup(
        frozenset({"expSPLIT", "sec-solv"}),
        frozenset({Level.MECHANISMS}),
        _later("checks.mechanisms", "mechanism_checks"),
    ),
    CheckGroup(
        LABELS_OF_TREES - {"defMECH"} | {"sensALPHA", "defwunMF"},
        LEARNER,
        _tape_checks,
    ),
    CheckGroup(frozenset({"sec-solv"}), LEARNER, _later("checks.trained", "trained_checks")),
    CheckGroup(
        frozenset({"sec-solv", "expSPLIT"}), LEARNER, _later("checks.trained_laws", "trained_law_checks")
    ),
    CheckGroup(
        frozenset({"defEDPRIV", "sec-solv", "expSPLIT"}),
        frozenset({Level.PRIVACY}),
        _later("checks.privacy", "privacy_checks"),
    ),
)

PROFILE = Profile(
    name="trees",
    version="1",
    package="privboost.gate.trees",
    levels=tuple(Level),
    operations=OPERATIONS,
    core=CORE,
    label_names=LABEL_NAMES,
    limits=(
        Limit("m", "Largest sample size.", "rows"),
        Limit("count", "Largest number of draws in one request."),
    ),
    flags=FLAGS,
    flags_of_points=OF_POINTS,
    plausible_flags=_later("checks.explaining", "plausible_flags"),
    groups=GROUPS,
    vectors=VectorSource(
        cases=_later("cases", "all_cases"),
        answer=_later("expected.ask", "exact_answer"),
        provenance=_later("expected.ask", "provenance"),
        variants=("loss", "rule", "law"),
        choices=("loss", "rule", "law", "protocol"),
    ),
    implementations={
        "fast": _later("implementations.fast", "FastImplementation"),
        "reference": _later("implementations.reference", "ReferenceImplementation"),
    },
    faulty=_faulty,
    load_faulty=_later("faulty", "load"),
    page=ProtocolPage(
        path="docs/gate_protocol.md",
        meanings=MEANINGS,
        records={
            "protocols": ("words", {name: WordKind(words) for name, words in WORDS.items()}),
            "parameters": ("values", PARAMETERS),
        },
        complete="leaf_budget",
    ),
)
