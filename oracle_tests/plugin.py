"""The pytest plugin of the conformance suite: its options and its marker.

It is loaded in every pytest run where privboost is installed, so it imports nothing but pytest and leaves the
tests of others alone. The settings of hypothesis are in `conftest.py`, which only this suite loads.
"""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the conformance suite."""
    group = parser.getgroup("privboost", "privboost conformance suite")
    group.addoption(
        "--privboost-fresh",
        action="store_true",
        default=False,
        help="draw fresh random examples instead of the fixed ones (failures print how to reproduce them)",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker that ties a test to a label of the paper."""
    config.addinivalue_line(
        "markers", "claim(label): the label of the paper's statement that the test checks"
    )


def pytest_itemcollected(item: pytest.Item) -> None:
    """Record the claims of a test as properties, so that JUnit reports are keyed by them."""
    item.user_properties.extend(
        ("claim", str(label)) for mark in item.iter_markers("claim") for label in mark.args
    )
