"""The learners as mechanisms: target strings, pairs with exact losses, leaks of the printed protocol."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from privboost.auditor import Verdict, audit
from privboost.auditor.mechanisms.learners import DEFAULT, SAMPLERS, DefaultCall, mechanism_of
from privboost.auditor.pairs.exact_settings import binary_domain
from privboost.auditor.pairs.learner_pairs import LEAK_PAIRS
from privboost.errors import UsageError
from privboost.fast import PrivateBoostedTreesClassifier
from privboost.reference.learners.leaks import LEAKS


def test_learners__leak_pairs_have_the_losses_of_the_leaks_command() -> None:
    for leak in LEAKS:
        known = LEAK_PAIRS[leak.key]
        opened, closed = (known.pair(p, known.parameters) for p in (known.leaking, known.closed))
        assert opened.exact is not None
        assert closed.exact is not None
        assert opened.exact > 1 >= closed.exact
    shown = LEAK_PAIRS["raw-alpha"]
    assert shown.pair(shown.leaking, shown.parameters).exact == pytest.approx(1.303222, abs=1e-6)
    larger = LEAK_PAIRS["raw-alpha-50"]
    assert larger.pair(larger.leaking, larger.parameters).exact == pytest.approx(4.563755, abs=1e-6)


@pytest.mark.parametrize(
    ("target", "exact"),
    [
        ("fast:as_printed,size=2", math.inf),
        ("fast:sound,depth=1,epsilon=2,size=2", 1.5),
        ("fast:sound_net,size=2", 1.0),
        ("fast:sound_net,relation=add_remove,size=2", 1.0),
    ],
)
def test_learners__the_worst_pair_of_a_size_is_the_one_that_verify_finds(target: str, exact: float) -> None:
    _, (pair,) = mechanism_of(target)
    assert pair.exact == pytest.approx(exact, rel=1e-12)


def test_learners__a_protocol_alone_has_all_leaks_and_the_worst_pair() -> None:
    _, (added,) = mechanism_of("fast:sound,relation=add_remove,size=2,depth=1")
    assert added.name == "worst of all 72 pairs of size up to 2"
    _, pairs = mechanism_of("fast:sound_net")
    assert [pair.name for pair in pairs[:-1]] == list(LEAK_PAIRS)
    assert pairs[-1].name.startswith("worst of all")
    _, several = mechanism_of("fast:sound_net,trees=2,leak=raw-leverage")
    assert several[0].exact is None


@pytest.mark.parametrize(
    "target",
    [
        "fast:as_printed",
        "fast:default",
        "fast:sound,trees=2",
        "fast:sound_net",
        "reference:sound,depth=1",
        *SAMPLERS,
    ],
)
def test_learners__outputs_follow_from_the_stream_and_are_plain(target: str) -> None:
    leak = "" if target in SAMPLERS or target == DEFAULT else ",leak=raw-leverage"
    mechanism, (pair, *_) = mechanism_of(target + leak)
    outputs = [mechanism.call(pair.left, np.random.default_rng(seed)) for seed in (0, 0, 1, 2, 3, 4, 5)]
    assert json.loads(json.dumps(outputs[0])) == outputs[1]
    assert any(output != outputs[0] for output in outputs)


def test_learners__both_learners_release_trees_of_the_same_shape() -> None:
    shapes = []
    for learner in ("fast", "reference"):
        mechanism, (pair,) = mechanism_of(f"{learner}:sound,leak=raw-alpha")
        (tree,) = mechanism.call(pair.left, np.random.default_rng(0))
        shapes.append({key: len(value) if isinstance(value, list) else 1 for key, value in tree.items()})
    assert shapes[0] == shapes[1] == {"splits": 3, "values": 4, "coefficient": 1}


def test_learners__under_add_remove_the_smaller_sample_fits_the_public_bound() -> None:
    mechanism, (pair,) = mechanism_of("fast:sound,relation=add_remove")
    assert (len(pair.left), len(pair.right), pair.relation) in {(1, 2, "add_remove"), (2, 1, "add_remove")}
    assert all(len(mechanism.call(side, np.random.default_rng(0))) == 1 for side in (pair.left, pair.right))


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("fast:no", "expected one of fast:default, fast:as_printed"),
        ("fast:default,trees=3", "no options but epsilon, relation, size, attributes, part"),
        ("reference:default", "expected one of fast:default"),
        ("fast:sound,depth=a", "expected depth=a whole number, got 'depth=a'"),
        ("fast:sound,leaf=no", "expected leaf=one of link_noise_clamp"),
        ("fast:sound,epsilon=1/0", "expected epsilon=a number"),
        ("fast:sound,no=1", "expected key=value with one of leak"),
        ("fast:sound,leak=no", "expected leak=one of leaf-noise-before-clamp"),
        ("fast:sound,beta_tree=2", "beta_tree: expected a number between 0 and 1"),
        ("fast:sound,leaf=noisy_net", "expected a constant coefficient"),
    ],
)
def test_learners__an_unknown_target_is_a_usage_error_with_the_known_names(target: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        mechanism_of(target)


def _is_refuted(target: str, calls: int) -> bool:
    """Return whether an audit of `calls` calls refutes a claim of 1."""
    mechanism, pairs = mechanism_of(target)
    return audit(mechanism, pairs, epsilon=1.0, calls=calls, seed=1).verdict is Verdict.VIOLATION


@pytest.mark.claim("defEDPRIV")
@pytest.mark.parametrize(
    ("key", "choice", "calls"),
    [
        ("leaf-noise-before-clamp", "leaf=link_noise_clamp,beta=constant", 300),
        ("raw-leverage", "beta=raw", 300),
        ("raw-alpha-50", "alpha=raw_strict,part=splits", 2000),
    ],
)
def test_audit__a_printed_choice_is_found_and_the_closed_one_is_not(
    key: str, choice: str, calls: int
) -> None:
    """SOUND is refuted falsely with probability 5 % at most, over seeds."""
    assert _is_refuted(f"fast:sound,{choice},leak={key}", calls)
    assert not _is_refuted(f"fast:sound,leak={key}", 300)


# The estimators' default ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "given"),
    [
        ("", {}),
        (",epsilon=1/2,attributes=1", {"epsilon": 0.5}),
        (",relation=add_remove,size=4", {"relation": "add_remove", "size": 4}),
    ],
)
def test_default__the_target_is_the_public_class_with_its_default_parameters(
    options: str, given: dict[str, Any]
) -> None:
    mechanism, pairs = mechanism_of(DEFAULT + options)
    assert isinstance(mechanism.call, DefaultCall)
    estimator = mechanism.call.estimator(binary_domain(2), np.random.default_rng(0))
    assert type(estimator) is PrivateBoostedTreesClassifier
    expected = PrivateBoostedTreesClassifier(**given).get_params()
    chosen = ("domain", "classes", "random_state")
    assert {k: v for k, v in estimator.get_params().items() if k not in chosen} == {
        k: v for k, v in expected.items() if k not in chosen
    }
    output = mechanism.call(pairs[-1].left, np.random.default_rng(0))
    features = [[int(value) for value in row[:-1]] for row in pairs[-1].left]
    y = [1 if row[-1] == "+" else -1 for row in pairs[-1].left]
    estimator = mechanism.call.estimator(binary_domain(len(features[0])), np.random.default_rng(0))
    model = json.loads(estimator.fit(np.array(features, dtype=float), y).to_json())
    assert [tree["values"] for tree in output] == [
        [1024 * value for value in tree["values"]] for tree in model["trees"]
    ]
    assert [tree["splits"] for tree in output] == [
        [split["feature"] for split in tree["splits"]] for tree in model["trees"]
    ]


def test_default__no_row_and_one_row_are_audited_under_add_remove() -> None:
    mechanism, pairs = mechanism_of(f"{DEFAULT},relation=add_remove")
    (none,) = [pair for pair in pairs if not pair.left]
    outputs = [mechanism.call(side, np.random.default_rng(0)) for side in (none.left, none.right)]
    assert [len(trees) for trees in outputs] == [2, 2]


def test_default__what_is_audited_changes_with_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """The target is refuted falsely with probability 5 % at most, over seeds."""
    assert not _is_refuted(DEFAULT, 450)
    defaults = PrivateBoostedTreesClassifier.__init__.__kwdefaults__
    assert defaults is not None
    monkeypatch.setitem(defaults, "protocol", "as_printed")
    assert _is_refuted(DEFAULT, 450)
