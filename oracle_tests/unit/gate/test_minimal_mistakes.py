"""A mistake has no number that neither its words nor the right method has."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import pytest

from privboost.gate.trees.faulty import MISTAKES

WORDS = {
    2: ("twice", "double", "two", "half", "halve", "second", "level", "deviation"),
    3: ("three",),
    6: ("six",),
}
"""Words that stand for a number."""
REASONS = {
    "integer-rounded": "2^53 is where doubles skip integers",
    "margin-clamped": "10,000 is written as a power of 10",
    "inverse-square-overflows": "the square of 2^512 overflows a double",
    "codes-wrap": "integers of 32 bits reach to 2^31",
    "square-halved": "4 / 8 is 1/2",
    "link-logit": "logarithms of base 2 and e differ by log 2",
    "inverse-sigmoid": "exponents are limited to 5000, where the result is 0",
    "leaf-risk-smoothed": "one example of each class makes 2",
    "sharp-root-of-m": "the sensitivity is 2 sqrt(m - 1) at alpha = 1",
    "law-overflows": "709 is where exp overflows a double",
    "permute-and-flip-quadrature": "Gauss points are in [-1, 1], of length 2",
    "weight-exponential": "exponents are limited to 100, where the weight is at its bound",
    "laplace-variance": "the variance of Laplace noise is 2 scale^2",
    "infinity-is-large": "a large number",
    "codes-clipped": "a limit above all codes",
    "predict-codes-unchecked": "a limit above all codes",
    "single-precision": "1e38 is the range of floats",
}
"""Why other numbers are needed."""
Q = Fraction


def tree_of(function: Callable[..., Any]) -> ast.AST:
    """Return the syntax tree of a function."""
    return ast.parse(textwrap.dedent(inspect.getsource(function)))


def _outside_of_indices(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield all nodes of a syntax tree but the indices of lists."""
    yield tree
    for name, value in ast.iter_fields(tree):
        if isinstance(tree, ast.Subscript) and name == "slice":
            continue
        for node in value if isinstance(value, list) else [value]:
            if isinstance(node, ast.AST):
                yield from _outside_of_indices(node)


def numbers_in(tree: ast.AST) -> Iterator[Fraction]:
    """Yield the numbers in a syntax tree, also those in strings such as "0.95"."""
    for node in _outside_of_indices(tree):
        if not isinstance(node, ast.Constant) or isinstance(node.value, bool):
            continue
        if isinstance(node.value, int | float):
            yield Fraction(str(node.value))
        elif isinstance(node.value, str) and re.fullmatch(r"\d+(\.\d+|/\d+)?", node.value):
            yield Fraction(node.value)


def numbers_of_words(description: str) -> set[Fraction]:
    """Return the numbers that a description mentions."""
    digits = {Fraction(number) for number in re.findall(r"\d+(?:\.\d+)?", description)}
    powers = {Q(10)} if "1e-" in description else set()
    words = {Q(number) for number, words in WORDS.items() if any(word in description for word in words)}
    return digits | powers | words


def unexplained_numbers(name: str) -> set[str]:
    """Return the numbers of a mistake that nothing explains."""
    mistake = MISTAKES[name]
    known = {Q(0), Q(1)} | numbers_of_words(mistake.description) | set(numbers_in(tree_of(mistake.method)))
    own = set(numbers_in(tree_of(mistake.replacement)))
    return {str(number) for number in own if number not in known and 1 / (number or 1) not in known}


@pytest.mark.parametrize("name", MISTAKES)
def test_faulty__mistake_has_no_number_that_its_words_do_not_have(name: str) -> None:
    assert (name in REASONS) == bool(unexplained_numbers(name))


def test_faulty__extra_factor_is_noticed() -> None:
    tree = ast.parse("def noise_scale(self, scale, run):\n    return scale / run.trees / 4\n")
    words = numbers_of_words("Training draws the noise of a tree as if it had the budget of all.")
    assert set(numbers_in(tree)) - words == {Q(4)}
