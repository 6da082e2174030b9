"""Described inputs and their hostile neighbours: they are as described, and every class occurs."""

from __future__ import annotations

import math
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privboost import limits
from privboost.auditor.inputs.cells import LARGEST
from privboost.auditor.inputs.classes import HOSTILE
from privboost.auditor.inputs.constants import constants_of
from privboost.auditor.inputs.description import (
    Description,
    describe,
    describe_examples,
    describe_strategy,
    parse_description,
)
from privboost.auditor.inputs.kinds import Double, Integer
from privboost.auditor.inputs.neighbours import hostile_pairs
from privboost.auditor.inputs.shrinking import shrink_pair
from privboost.auditor.pairs.pair import Pair
from privboost.auditor.pairs.relations import check_neighbours
from privboost.errors import MissingExtraError, PreconditionError, UsageError
from privboost.limits import (
    ADD_REMOVE,
    ANSWERS,
    CHANGE_VALUE,
    DELETE_INSERT,
    EXCHANGE,
    INPUT_RELATIONS,
    INSERT_DELETE,
    KEEP_SIZE,
    L1,
    L2,
    RELATIONS,
    USER,
)
from privboost.limits import NUMBERS as OF_NUMBERS
from privboost.oracle_tests.support.checkout import ROOT

NESTED = describe_examples(
    [[{"a": [1, None], "b": "x"}, {"a": [2.5, 3], "b": "y", "c": True}], [{"a": [0, 1], "b": ""}]]
)
MIXED = describe_examples([[1, 0, 5, "1"], [3, 2, 2, 4]])
DESCRIPTIONS: dict[str, Description] = {
    text: parse_description(text)
    for text in (
        "vector:10",
        "vector:10,low=0,high=1",
        "vector:4,low=-1e300",
        "vector:10,size=10",
        "integers:5",
        "integers:5,low=3,high=3",
        "rows:6,columns=3,user=0",
        "rows:4,columns=2,low=0,high=1",
        "strings:6",
        "strings:8,categories=a|b|c",
        "strings:8,categories=a",
    )
} | {"nested": NESTED, "mixed": MIXED}
INT32 = parse_description("integers:3,low=-2147483648,high=2147483647,size=3")
CONSTANTS = (12, 86_028, 77.25, "total")


def fits(description: Description, relation: str) -> bool:
    """Return whether described inputs have neighbours under a relation."""
    if relation == USER and description.user is None:
        return False
    if relation in OF_NUMBERS and not isinstance(description.row, Double | Integer):
        return False
    return description.size is None or relation in KEEP_SIZE


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(sorted(DESCRIPTIONS)),
    st.sampled_from(INPUT_RELATIONS),
    st.integers(0, 2**32),
    st.integers(1, 300),
    st.booleans(),
)
def test_pairs__are_neighbours_and_as_described_unless_marked(
    name: str, relation: str, seed: int, count: int, beyond: bool
) -> None:
    description = DESCRIPTIONS[name]
    if not fits(description, relation):
        return
    arguments: dict[str, Any] = {"seed": seed, "count": count, "constants": CONSTANTS, "beyond": beyond}
    pairs = hostile_pairs(description, relation, **arguments)
    check_neighbours(pairs)
    assert {pair.relation for pair in pairs} <= {relation}
    assert all(set(pair.classes) <= HOSTILE.keys() and pair.classes for pair in pairs)
    inside = [description.contains(pair.left) and description.contains(pair.right) for pair in pairs]
    assert [not pair.outside for pair in pairs] == inside
    assert beyond or all(inside)
    assert sum(inside) <= count
    spellings = {tuple(sorted((repr(pair.left), repr(pair.right)))) for pair in pairs}
    assert len(spellings) == len(pairs) == len({pair.name for pair in pairs})
    assert repr(pairs) == repr(hostile_pairs(description, relation, **arguments))


ROWS = {"odd_rows", "even_rows", "one_row", "equal_rows", "source_constant", "ordinary"}
NUMBERS = {"integer_limits", "magnitudes", "negative_zero", "subnormal", "zero_divisor"}
STRINGS = {"empty_string", "odd_string", "undeclared_category"}
GROUPS = {"first_category", "lone_group"}
CLASSES: dict[str, tuple[set[str], set[str]]] = {
    "vector:10": (ROWS | NUMBERS | {"nan", "infinity"}, {"null", "wrong_type"}),
    "vector:10,low=0,high=1": (
        (ROWS | NUMBERS | {"at_bounds"}) - {"integer_limits"},
        {"nan", "infinity", "outside_bounds", "integer_limits", "null", "wrong_type"},
    ),
    "integers:5": (
        ROWS | {"integer_limits", "magnitudes", "at_bounds", "zero_divisor"},
        {"nan", "infinity", "outside_bounds", "null", "wrong_type"},
    ),
    "rows:6,columns=3,user=0": (
        ROWS - {"ordinary"} | NUMBERS | {"nan", "infinity", "bounds"},
        {"null", "wrong_type"},
    ),
    "strings:6": ((ROWS | STRINGS | GROUPS) - {"ordinary"}, {"null", "wrong_type", "nan"}),
    "strings:8,categories=a|b|c": (
        (ROWS | GROUPS) - {"source_constant", "ordinary"},
        STRINGS | {"null", "wrong_type", "nan"},
    ),
    "nested": (
        ROWS - {"ordinary"} | NUMBERS | STRINGS | GROUPS | {"null", "bounds"},
        {"nan", "infinity", "wrong_type"},
    ),
    "mixed": (ROWS | {"integer_limits", "wrong_type", "at_bounds"}, {"nan", "null", "outside_bounds"}),
}
"""For each description: classes that occur within it, and classes that occur only beyond it."""


@pytest.mark.parametrize("relation", [each for each in INPUT_RELATIONS if each not in OF_NUMBERS])
@pytest.mark.parametrize("name", CLASSES)
def test_pairs__have_every_class_that_the_description_allows(name: str, relation: str) -> None:
    description, (within, beyond) = DESCRIPTIONS[name], CLASSES[name]
    if not fits(description, relation):
        return
    pairs = hostile_pairs(description, relation, seed=0, count=150, constants=CONSTANTS, beyond=True)
    inside = {key for pair in pairs if not pair.outside for key in pair.classes}
    outside = {key for pair in pairs if pair.outside for key in pair.classes}
    wanted = within | ({"no_rows"} if relation not in KEEP_SIZE else set())
    wanted |= {"another_order"} if relation == ADD_REMOVE else set()
    assert wanted - inside == set()
    assert beyond & inside == set()
    assert beyond - outside == set()


@pytest.mark.parametrize("relation", OF_NUMBERS)
def test_pairs__of_numbers_are_at_the_limits_of_integers_beside_others(relation: str) -> None:
    pairs = hostile_pairs(INT32, relation, seed=0, count=400)
    sums = [[sum(side) for side in (pair.left, pair.right)] for pair in pairs]
    assert any(min(both) < 2**31 <= max(both) for both in sums)
    assert {"integer_limits", "at_bounds"} <= {key for pair in pairs for key in pair.classes}


def test_pairs__tell_which_classes_no_description_here_has() -> None:
    occurring = set().union(*(within | beyond for within, beyond in CLASSES.values()))
    assert set(HOSTILE) - occurring == {"no_rows", "another_order"}


def test_pairs__of_another_seed_differ_only_after_the_fixed_list() -> None:
    one, other = (
        hostile_pairs(DESCRIPTIONS["strings:6"], EXCHANGE, seed=seed, count=2000) for seed in (1, 2)
    )
    listed = sum(not pair.name.startswith("drawn") for pair in one)
    assert repr(one[:listed]) == repr(other[:listed])
    assert repr(one[listed:]) != repr(other[listed:])


WRONG = {
    "vectr:10": "did you mean vector?",
    "vector": "a number of rows from 1",
    "vector:x": "a number of rows from 1 to 100000, as in vector:10,low=0,high=1, got 'x' in 'vector:x'",
    "vector:0": "a number of rows",
    "vector:10,lo=0": "'lo=0'; did you mean low?",
    "vector:10,low=0,low=1": "twice the same",
    "vector:10,low": "options of vector among low=, high=, size=",
    "vector:10,low=a": "low= a finite number",
    "vector:10,high=nan": "high= a finite number",
    "vector:10,low=2,high=1": "low= not above high=",
    "integers:5,low=0.5": "low= an integer",
    "rows:5": "columns= an integer from 1",
    "rows:5,columns=2,user=2": "user= one of 0, 1, got '2'",
    "strings:4,size=-1": "size= an integer",
    "table:none.toml": "schema: expected a file, got 'none.toml'",
    "json:none.json": "none.json",
    "": "one of vector:10",
}


@pytest.mark.parametrize(("text", "said"), WRONG.items(), ids=WRONG)
def test_description__that_is_wrong_says_what_is_expected(text: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_description(text)
    assert caught.value.argument == "input"
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("text", "relation", "said"),
    [
        ("vector:10,size=10", ADD_REMOVE, "inputs without size="),
        ("vector:10", USER, "names the column of the user, such as rows:20,columns=3,user=0"),
        ("vector:10", "as_given", "one of exchange, add_remove, insert_delete, change_value, user"),
        ("strings:4", L1, "inputs that are numbers"),
    ],
)
def test_pairs__of_a_relation_without_neighbours_are_refused(text: str, relation: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        hostile_pairs(parse_description(text), relation, seed=0, count=1)


NEIGHBOURS: list[tuple[str, Any, Any, bool]] = [
    (ADD_REMOVE, [3, 1, 2], [1, 2, 3, 4], True),
    (ADD_REMOVE, [3, 1, 2], [1, 2, 3], True),
    (ADD_REMOVE, [3, 1, 2], [1, 2, 4], False),
    (INSERT_DELETE, [1, 2, 3], [1, 3], True),
    (INSERT_DELETE, [1, 2, 3], [3, 1], False),
    (CHANGE_VALUE, [[1, 2], [3, 4]], [[1, 2], [3, 5]], True),
    (CHANGE_VALUE, [[1, 2], [3, 4]], [[1, 2], [4, 5]], False),
    (CHANGE_VALUE, [{"a": 1}], [{"a": 2}], True),
    (CHANGE_VALUE, [1], [1, 2], False),
    (USER, [[1, "x"], [2, "y"]], [[1, "x"], [3, "a"], [2, "y"], [3, "b"]], True),
    (USER, [[1, "x"], [2, "y"]], [[1, "x"], [3, "a"], [2, "y"], [2, "b"]], False),
    (USER, [[1, "x"]], [[1, "x"], [1, "x"]], False),
    (USER, [[1, "x"], [2, "y"]], [[2, "y"], [1, "x"], [3, "a"]], False),
    (USER, [], [{"u": 1}, {"u": 1}], True),
    (DELETE_INSERT, [1, 2, 3], [2, 3, 4], True),
    (DELETE_INSERT, [1, 2, 3], [2, 4, 1], False),
    (DELETE_INSERT, [1, 2, 3], [1, 2], False),
    (ANSWERS, [1, 2.5], [2, 1.5], True),
    (ANSWERS, [2**53, 0], [2**53 + 2, 0], False),
    (L1, [1, 2], [1, 3], True),
    (L1, [1, 2], [2, 3], False),
    (L1, [0.0, math.inf], [0.5, math.inf], True),
    (L1, [0.0], [math.nan], False),
    (L2, [0, 0, 1], [0.6, 0.75, 1], True),
    (L2, [0, 0], [1, 1], False),
]


@pytest.mark.parametrize(("relation", "left", "right", "are"), NEIGHBOURS)
def test_relation__of_data_sets_is_checked_in_both_directions(
    relation: str, left: Any, right: Any, are: bool
) -> None:
    classes = ("another_order",) if relation == ADD_REMOVE else ()
    for sides in ((left, right), (right, left)):
        pair = Pair("mine", *sides, relation, classes=classes)
        if are:
            check_neighbours([pair])
        else:
            with pytest.raises(PreconditionError):
                check_neighbours([pair])


def test_relation__in_euclidean_length_also_moves_all_numbers_together() -> None:
    description = parse_description("vector:9")
    pairs = hostile_pairs(description, L2, seed=0, count=200)
    check_neighbours(pairs)
    moved = {sum(a != b for a, b in zip(pair.left, pair.right, strict=True)) for pair in pairs}
    assert {1, 9} <= moved


def test_users__have_rows_that_differ() -> None:
    description = parse_description("rows:8,columns=2,user=0")
    rows = [
        abs(len(pair.left) - len(pair.right)) > 1 and [*pair.left, *pair.right]
        for pair in hostile_pairs(description, USER, seed=0, count=100)
    ]
    several = [own for own in rows if own]
    assert any(len({row[1] for row in own if row[0] == own[-1][0]}) > 2 for own in several)


def test_shrinking__gives_a_user_a_simpler_name_in_all_rows() -> None:
    description = parse_description("rows:6,columns=2,user=0")
    pair = Pair("mine", [], [[7.5, 1.0], [7.5, 2.0]], USER)
    smallest = shrink_pair(description, pair, lambda each: len({row[1] for row in each.right}) > 1, 500)
    assert smallest.left == []
    assert [row[0] for row in smallest.right] == [0.0, 0.0]


def test_sums__go_up_and_then_down() -> None:
    """The greatest number some times, and after it its opposite more often."""
    pairs = hostile_pairs(parse_description("vector:9"), ADD_REMOVE, seed=0, count=2_000)
    assert any(pair.left == [LARGEST] * 3 + [-LARGEST] * 6 for pair in pairs)


def test_relation__of_own_pairs_keeps_the_order_of_rows() -> None:
    with pytest.raises(PreconditionError, match="expected the same order of the rows"):
        check_neighbours([Pair("mine", [3, 1, 2], [1, 2, 3, 4], ADD_REMOVE)])


def test_shrinking__keeps_what_shows_the_mistake_and_names_its_class() -> None:
    description = parse_description("vector:10")
    asked: list[Pair] = []

    def shows(pair: Pair) -> bool:
        asked.append(pair)
        return any(math.isnan(row) for row in (*pair.left, *pair.right))

    pairs = hostile_pairs(description, ADD_REMOVE, seed=0, count=400)
    largest = max((pair for pair in pairs if shows(pair)), key=lambda pair: len(pair.left) + len(pair.right))
    asked.clear()
    smallest = shrink_pair(description, largest, shows, 300)
    assert sorted((repr(smallest.left), repr(smallest.right))) == ["[]", "[nan]"]
    assert smallest.classes == ("nan",)
    assert 0 < len(asked) <= 300
    assert repr(shrink_pair(description, largest, shows, 300)) == repr(smallest)
    assert shrink_pair(description, largest, shows, 0) == largest


def test_shrinking__says_that_an_ordinary_pair_shows_it_as_well() -> None:
    description = parse_description("vector:10,low=0,high=1")
    pair = hostile_pairs(description, ADD_REMOVE, seed=0, count=1)[0]
    smallest = shrink_pair(description, pair, lambda _: True, 200)
    assert smallest.classes[-1] == "ordinary"


SCHEMA = """
[age]
lo = 0
hi = 120
missing = true
[children]
integers = [0, 8]
[joined]
first = "2020-01-01"
last = "2023-12-31"
[smoker]
categories = ["no", "yes"]
[patient]
categories = ["p", "q", "r"]
"""


@pytest.fixture
def schema(tmp_path: Path) -> Path:
    """Return a file with a schema of the learner."""
    path = tmp_path / "schema.toml"
    path.write_text(SCHEMA, "utf-8")
    return path


@pytest.mark.parametrize("relation", [*RELATIONS, INSERT_DELETE, CHANGE_VALUE, USER, DELETE_INSERT])
def test_description__of_a_schema_has_its_columns(schema: Path, relation: str) -> None:
    description = parse_description(f"table:{schema},rows=6,user=patient")
    assert description.contains([[47.5, 2, "2020-02-29", "no", "p"], [None, 0, "2023-12-31", "yes", "q"]])
    for cell in ([-1.0, 2, "2020-02-29", "no"], [1.0, 9, "2020-02-29", "no"], [1.0, 2, "2019-12-31", "no"]):
        assert not description.contains([[*cell, "p"]])
    assert not description.contains([[1.0, 2, "2020-02-29", "maybe", "p"]])
    pairs = hostile_pairs(description, relation, seed=0, count=200, beyond=True)
    check_neighbours(pairs)
    inside, outside = (
        {key for pair in pairs if pair.outside == beyond for key in pair.classes} for beyond in (False, True)
    )
    assert {"null", "at_bounds", "lone_group", "zero_divisor", "equal_rows"} <= inside
    assert not {"nan", "outside_bounds", "undeclared_category", "wrong_type"} & inside
    assert {"nan", "outside_bounds", "undeclared_category", "wrong_type"} <= outside


def test_description__with_a_label_has_tables_of_rows_and_labels(schema: Path) -> None:
    description = parse_description(f"table:{schema},size=5,label=smoker")
    pairs = hostile_pairs(description, EXCHANGE, seed=0, count=100)
    check_neighbours(pairs)
    for pair in pairs:
        assert description.contains(pair.left)
        assert len(pair.left["X"]) == len(pair.left["y"]) == 5
        assert {len(row) for row in pair.left["X"]} == {4}
        assert set(pair.left["y"]) <= {"no", "yes"}
        assert pair.left["probes"] == pairs[0].right["probes"]
    assert not description.contains([[1.0, 2, "2020-02-29", "p"]])


def test_description__of_examples_has_their_shape(tmp_path: Path) -> None:
    path = tmp_path / "examples.json"
    path.write_text('[[{"a": 1, "b": [0.5, null]}, {"a": 2}], [{"a": 3, "b": [1, "nan"]}]]', "utf-8")
    description = parse_description(f"json:{path},user=a")
    assert description.contains([])
    assert description.contains([{"a": 7}, {"a": 8, "b": [9.5, None]}])
    for row in ({"a": 0.5}, {"b": [0.5, None]}, {"a": 1, "b": [0.5]}, {"a": 1, "c": 2}, {"a": None}, 1):
        assert not description.contains([row])
    assert parse_description(f"json:{path},low=0,high=9").contains([{"a": 9, "b": [9.0, 0.0]}])
    assert not parse_description(f"json:{path},low=0,high=9").contains([{"a": 10}])
    assert parse_description(f"json:{path},size=2").size == 2
    tables = describe_examples([{"X": [[1.5, "x"]], "y": [0]}, {"X": [[2.5, ""]], "y": [1]}])
    assert tables.contains({"X": [[0.0, "y"]] * 3, "y": [5, 6, 7]})
    check_neighbours(hostile_pairs(tables, ADD_REMOVE, seed=0, count=50))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[]", "0 without a row"),
        ("[[], []]", "2 without a row"),
        ("[1]", "got a int"),
        ('[{"rows": []}]', "got a dict"),
        ("{}", "examples.json"),
        ("[[1,", "examples.json"),
    ],
)
def test_description__of_wrong_examples_is_refused(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "examples.json"
    path.write_text(content, "utf-8")
    with pytest.raises(UsageError, match=re.escape(said)):
        parse_description(f"json:{path}")


def test_description__of_a_strategy_uses_only_the_rows_that_it_draws(tmp_path: Path) -> None:
    rows = st.sampled_from([1.5, 2.5, -0.0])
    description = describe(st.lists(rows, min_size=2, max_size=5))
    assert (description.least, description.most) == (2, 5)
    for relation in (EXCHANGE, ADD_REMOVE, INSERT_DELETE):
        pairs = hostile_pairs(description, relation, seed=0, count=60)
        check_neighbours(pairs)
        assert len(pairs) == 60
        sides = [side for pair in pairs for side in (pair.left, pair.right)]
        assert {row for side in sides for row in side} <= {1.5, 2.5, 0.0}
        assert {len(side) for side in sides} == {2, 3, 4, 5}
    assert any("negative_zero" in pair.classes for pair in pairs)
    (tmp_path / "mine.py").write_text(
        "from hypothesis import strategies as st\ndata = st.lists(st.integers(0, 3))", "utf-8"
    )
    assert parse_description(f"{tmp_path}/mine.py:data").contains([0, 1, 2, 3])
    with pytest.raises(UsageError, match="a strategy of lists of rows"):
        describe(st.integers())


def test_description__of_a_strategy_needs_hypothesis(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    monkeypatch.setattr("privboost.extras.is_installed", lambda module: module != "hypothesis")
    with pytest.raises(MissingExtraError, match=r"pip install 'privboost\[strategies\]'"):
        describe_strategy(object())


def test_description__is_given_as_itself_or_by_its_spelling() -> None:
    description = parse_description("integers:5")
    assert describe(description) is description
    assert describe("integers:5") == description
    with pytest.raises(UsageError, match="expected a description such as 'vector:10,low=0,high=1'"):
        describe(5)


THRESHOLD = 77


def special(rows: list[Any], limit: int = 12) -> Any:
    """Do nothing with 5.5 and a name."""
    codes = [row in (86_028, "total") for row in rows]
    return len(rows) > limit or helper(rows) or codes


def helper(rows: list[Any]) -> bool:
    """Compare with a global."""
    return len(rows) == THRESHOLD


def test_constants__are_those_of_the_function_and_of_what_it_calls() -> None:
    assert set(constants_of(special)) >= {12, 86_028, "total", 77}
    assert 5.5 not in constants_of(special)
    assert constants_of(len) == ()
    assert {"exchange", 64} <= set(constants_of(limits))


def test_page__has_the_table_of_classes_and_all_descriptions() -> None:
    page = (ROOT / "docs" / "inputs.md").read_text("utf-8")
    rows = [f"| `{key}` | {entry.meaning} |" for key, entry in HOSTILE.items()]
    assert "\n".join(["| class | what is hostile |", "|---|---|", *rows, ""]) in page
    kinds = [line.split("`")[1].partition(":")[0] for line in page.splitlines() if "`, `size=" in line]
    assert {"vector", "integers", "rows", "strings", "table", "json"} == set(kinds)
