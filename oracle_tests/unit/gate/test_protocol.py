"""docs/gate_protocol.md shows the operations, arguments and words of the table of operations."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

import pytest

from privboost.gate.implementations import load_implementation
from privboost.gate.protocol.operations import LOSSES, OPERATIONS, PARAMETERS, WORDS, Operation, operation_of
from privboost.oracle_tests.support.checkout import ROOT

LONGEST_CELL = 140


@pytest.fixture(scope="module")
def page() -> str:
    """Return the page of the protocol."""
    return (ROOT / "docs" / "gate_protocol.md").read_text("utf-8")


def _by_word(parts: Mapping[str, tuple[str, ...] | str]) -> str:
    return "".join(
        f"; `{word}`: {part if isinstance(part, str) else ', '.join(part)}" for word, part in parts.items()
    )


def row_of(operation: Operation) -> str:
    """Return the row of an operation in a table of the page."""
    arguments = ", ".join(operation.arguments) + _by_word(operation.by_word)
    if operation.optional:
        arguments += f"; optional: {', '.join(operation.optional)}"
    label = operation.label + _by_word(operation.label_by_word)
    return f"| `{operation.name}` | {arguments} | {operation.meaning} | {label} |"


def test_protocol__page_has_every_operation_as_in_the_table(page: str) -> None:
    rows = [line for line in page.splitlines() if re.match(r"\| `\w+` \|.*\|.*\|.*\|$", line)]
    members = ("result", "unsupported", "error")
    assert [row for row in rows if row.split("`")[1] not in members] == [
        row_of(operation) for operation in OPERATIONS.values()
    ]


def test_protocol__page_has_the_words_of_train_as_in_the_table(page: str) -> None:
    for name, words in WORDS.items():
        assert f"| {name} | {', '.join(f'`{word}`' for word in words)} |" in page


def test_protocol__page_explains_every_word_and_parameter(page: str) -> None:
    words = {word for operation in OPERATIONS.values() for each in operation.words.values() for word in each}
    for word in (*words, *LOSSES, *PARAMETERS):
        assert f"`{word}`" in page


def test_protocol__page_has_no_long_cells(page: str) -> None:
    rows = [line for line in page.splitlines() if line.lstrip().startswith("|")]
    assert max(len(cell) for row in rows for cell in row.split("|")) <= LONGEST_CELL


def test_protocol__page_links_only_to_files_that_exist(page: str) -> None:
    for link in re.findall(r"\]\(([^)#]+)", page):
        assert (ROOT / "docs" / link).is_file()


def test_protocol__example_of_train_has_the_answer_of_the_reference(page: str) -> None:
    request, answer = (
        json.loads(block) for block in re.findall(r"^ {4}(\{\"id\": 8.*?\}\})$", page, re.M | re.S)
    )
    assert load_implementation("reference").answer(request["op"], request["args"]) == answer["result"]


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("hello", {}, ("protocol",)),
        ("link", {"loss": "square"}, ("loss", "u")),
        ("link", {"loss": "m_alpha"}, ("loss", "u", "alpha")),
        ("update_weight", {"rule": "mirror"}, ("rule", "alpha", "y", "weight", "beta", "value")),
        ("update_weight", {"rule": ["mirror"]}, ("rule", "alpha", "y")),
    ],
)
def test_protocol__arguments_depend_on_words(
    name: str, given: Mapping[str, object], expected: tuple[str, ...]
) -> None:
    assert operation_of(name).arguments_of(given) == expected
