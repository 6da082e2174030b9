"""The test vectors on disk are those that the reference gives; the comparison notices when they are not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from .generate import OPERATIONS, compare_vectors, vector_files

VECTORS = Path(__file__).parent / "vectors"


@pytest.fixture(scope="module")
def contents() -> dict[str, bytes]:
    """Return the content of every vector file."""
    return vector_files()


def test_vectors__on_disk_are_the_bytes_of_the_reference() -> None:
    assert {name: text for name, text in compare_vectors(VECTORS).items() if text} == {}


def test_vectors__are_the_same_twice(contents: dict[str, bytes]) -> None:
    assert vector_files() == contents


@pytest.mark.parametrize("operation", [operation.name for operation in OPERATIONS])
def test_vectors__have_unique_ids_and_values_of_every_kind(
    contents: dict[str, bytes], operation: str
) -> None:
    cases = json.loads(contents[f"{operation}.json"])["cases"]
    assert len({case["id"] for case in cases}) == len(cases)
    assert any("refused" in case for case in cases)
    assert any("value" in case or "interval" in case for case in cases)


def _delete_last_case(document: bytes) -> bytes:
    lines = document.split(b"\n")
    lines[-5:-3] = [lines[-5].rstrip(b",")]
    return b"\n".join(lines)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (
            lambda text: text.replace(b'"0.7500000000', b'"0.7500000001', 1),
            "first difference at case loss=square",
        ),
        (_delete_last_case, "found no such case"),
        (lambda text: text + b" ", "the cases agree but the bytes do not"),
        (lambda text: text[:-10], "cannot be read as JSON"),
        (lambda _: b"[1, 2]", "cannot be read as JSON"),
        (lambda _: None, "missing"),
    ],
)
def test_vectors__damage_is_found_and_named(
    contents: dict[str, bytes], tmp_path: Path, damage: Callable[[bytes], bytes | None], said: str
) -> None:
    for name, content in contents.items():
        changed = damage(content) if name == "bayes_risk.json" else content
        if changed is not None:
            (tmp_path / name).write_bytes(changed)
    found = {name: text for name, text in compare_vectors(tmp_path).items() if text}
    assert list(found) == ["bayes_risk.json"]
    assert said in found["bayes_risk.json"]


def test_vectors__stray_file_is_found(contents: dict[str, bytes], tmp_path: Path) -> None:
    for name, content in (contents | {"stray.json": b"{}"}).items():
        (tmp_path / name).write_bytes(content)
    assert compare_vectors(tmp_path)["stray.json"] == "not a vector file of this version"
