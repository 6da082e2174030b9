"""Checks of rows against their declaration: what they count and show, and that no fit computes them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from privboost.errors import PreconditionError
from privboost.fast import (
    ArraySource,
    Categorical,
    ColumnCheck,
    Date,
    Domain,
    DomainCheck,
    Numeric,
    PrivateBoostedTreesClassifier,
    PrivateForestClassifier,
    checks,
    domain,
)

DECLARED = Domain(
    (
        Numeric("age", 18, 91, missing=True),
        Categorical("smoker", ("no", "yes")),
        Date("joined", "2020-01-01", "2020-12-31"),
        Numeric("left", 0, 100),
    )
)
FRAME = pd.DataFrame(
    {
        "age": [18, 17, 91, 92, None, 50],
        "smoker": ["no", "No", "No", None, "no", "no"],
        "joined": ["2019-12-31", "2020-01-01", "2020-12-31 23:59", "2021-01-01", "soon", "2020-06-01"],
        "left": pd.to_datetime(["2021-01-01"] * 6),
    }
)
Y = ["ill", "healthy", "ill", "healthy", "healthy", "ill"]
CLASSES = ("healthy", "sick")


def test_check__counts_what_is_outside_column_by_column() -> None:
    check = DECLARED.check(FRAME, Y, CLASSES)
    age, smoker, joined, left = check.columns
    assert age == ColumnCheck(
        "age", "18 to 91", 6, 1, 1, 1, "(missing)", (("17.0", 1), ("92.0", 1), ("nan", 1)), "3 of 9", ()
    )
    assert (smoker.n_invalid, smoker.examples[0], smoker.unused) == (3, ("'No'", 2), ("yes",))
    assert (joined.n_invalid, joined.n_below, joined.n_above) == (1, 1, 1)
    assert joined.invalid_value == "< 2020-02-06"
    assert (left.n_invalid, left.n_rows, left.invalid_value) == (6, 6, "< 10")
    assert left.examples == (("2021-01-01", 6),)
    assert check.n_outside == 3 + 3 + 3 + 6 + 3
    texts = DECLARED.check(FRAME.astype(str)).columns[3]
    assert (texts.n_invalid, texts.examples) == (6, (("'2021-01-01'", 6),))


def test_check__shows_labels_that_are_not_among_the_classes() -> None:
    wrong = ColumnCheck("y", "healthy, sick", 6, 3, 0, 0, "healthy", (("'ill'", 3),), "1 of 2", ("sick",))
    for labels in (Y, np.array(Y), pd.Series(Y, index=range(10, 16))):
        assert DECLARED.check(FRAME, labels, CLASSES).labels == wrong
    right = ColumnCheck("y", "healthy, ill", 6, 0, 0, 0, "healthy", (), "2 of 2", ())
    assert DECLARED.check(FRAME, Y, ("healthy", "ill")).labels == right


def test_check__prints_a_table_that_says_that_it_is_not_private() -> None:
    lines = str(DECLARED.check(FRAME, Y, CLASSES)).splitlines()
    assert lines[0].startswith("NOT PRIVATE: ")
    assert max(map(len, lines)) <= 112
    assert [line.split()[0] for line in lines[3:]] == ["age", "smoker", "joined", "left", "y"]
    assert " ".join(lines[-1].split()) == "y healthy, sick 6 3 healthy 'ill' (3) 1 of 2 sick"
    for documented in (Domain.check, DomainCheck, ColumnCheck):
        assert "not private" in (documented.__doc__ or "").lower().partition("\n\n")[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((FRAME, Y), "classes: expected the two public labels, to check y, got None"),
        ((FRAME, Y, "observed"), "classes: expected the two public labels"),
        ((FRAME, Y, CLASSES[::-1]), r"classes: expected the labels sorted, \('healthy', 'sick'\), got"),
        ((FRAME, Y, {0, 1}), "classes: expected the two public labels"),
        ((FRAME, Y, (1, 0)), r"classes: expected the labels sorted, \(0, 1\), got"),
        ((FRAME, Y[:3], CLASSES), "y: expected as many labels as rows"),
        ((FRAME.drop(columns="age"),), "X: expected the columns"),
    ],
)
def test_check__inputs_are_refused_with_the_reason(arguments: Any, message: str) -> None:
    with pytest.raises(PreconditionError, match=message):
        DECLARED.check(*arguments)


@pytest.mark.parametrize("kind", [PrivateBoostedTreesClassifier, PrivateForestClassifier])
def test_check__is_never_called_by_a_fit_or_a_prediction(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise AssertionError("called")

    for module, name in ((checks, "check_column"), (domain, "check_column"), (Domain, "check")):
        monkeypatch.setattr(module, name, fail)
    with pytest.raises(AssertionError, match="called"):
        DECLARED.check(FRAME)
    rows = FRAME.to_numpy().tolist()
    for given in ((FRAME, Y), (rows, Y), (FRAME.to_numpy(), Y), (ArraySource(rows, Y),)):
        kind(domain=DECLARED, classes=CLASSES, n_trees=1, depth=1).fit(*given).predict(rows)
