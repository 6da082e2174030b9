"""Functions are named by verbs: no bare participle, except those listed here with their reasons."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from privboost.oracle_tests.support.checkout import ROOT
from tools.layers import FOLDERS

PARTICIPLE = re.compile(
    "begun|bent|bought|broken|brought|built|caught|chosen|done|drawn|driven|fallen|felt|found|given|gone|grown"
    "|held|hidden|kept|known|laid|left|lost|made|meant|met|paid|said|seen|sent|short|shown|sought|spent|struck"
    "|taken|thought|told|understood|won|worn|written|[a-z]+ed"
)
NO_PARTICIPLE = re.compile("bed|embed|exceed|feed|need|proceed|red|seed|shed|speed|succeed")
"""Words that end in -ed and are no participles."""
VALUES = frozenset({"property", "cached_property", "fixture"})
"""Decorators of functions that callers use as values, which are named by nouns and adjectives."""

RECORDED = "the fingerprints of recorded verdicts contain the source that calls it"
PUBLIC = "part of the public interface of the learner"
KEPT = {
    "fast/domain.py:observed": PUBLIC,
    "fast/protocol.py:changed": PUBLIC,
    "proofs_check/claims/section2_losses/computations.py:scaled": RECORDED,
    "proofs_check/claims/section2_losses/computations.py:shown": RECORDED,
    "proofs_check/claims/section3_privacy/computations.py:_clamped": RECORDED,
    "proofs_check/claims/section6_calibration/computations.py:_counted": RECORDED,
    "proofs_check/claims/section6_calibration/computations.py:_listed": RECORDED,
    "proofs_check/claims/section7_experiments/computations.py:_quantised": RECORDED,
    "reference/data/sample.py:restricted": RECORDED,
}
"""The participles that are left, and why."""


def is_participle(name: str) -> bool:
    """Return whether a name of one word is a past participle, or `short`."""
    word = name.strip("_")
    return bool(PARTICIPLE.fullmatch(word)) and not NO_PARTICIPLE.fullmatch(word)


def is_value(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether a function is a property or a fixture."""
    words = {ast.unparse(decorator).partition("(")[0] for decorator in function.decorator_list}
    return not VALUES.isdisjoint(word.rpartition(".")[2] for word in words)


def bare_participles(source: str) -> Iterator[str]:
    """Yield the functions of a source that are named by a bare participle."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not is_value(node):
            yield from [node.name] if is_participle(node.name) else []


def test_names__functions_are_no_bare_participles_unless_there_is_a_reason() -> None:
    folders = [*FOLDERS, "benchmarks", "examples"]
    left = {
        f"{path.relative_to(ROOT).as_posix()}:{name}"
        for folder in folders
        for path in (ROOT / folder).rglob("*.py")
        for name in bare_participles(path.read_text("utf-8"))
    }
    assert left == set(KEPT)
    assert len(KEPT) <= 20


def test_names__participles_are_told_from_verbs_and_values() -> None:
    names = ["shown", "_judged", "written", "short", "seed", "exceed", "_read", "kept_rows"]
    source = "\n".join(f"def {name}(): ..." for name in names)
    assert list(bare_participles(source)) == ["shown", "_judged", "written", "short"]
    values = "@property\ndef ended(self): ...\n@pytest.fixture(scope='module')\ndef opened(): ..."
    assert list(bare_participles(values)) == []
    assert list(bare_participles(values.replace("property", "cache"))) == ["ended"]
