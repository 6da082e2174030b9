"""The OCaml program that is extracted from Coq: built, compared with Python on tapes, and gated."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import islice
from pathlib import Path

import pytest

from privboost.cli import app
from privboost.fast.bits import SPARE, plan_of
from privboost.oracle_tests.support.ocaml import needs_ocaml
from tools.extraction import (
    HEADER,
    PROGRAMS,
    build_program,
    cases,
    defining_digest,
    differences,
    laplace_case,
    rare_tape,
)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the program."""
    target = tmp_path_factory.mktemp("extracted") / "program"
    build_program(target)
    return target


def test_extraction__programs_are_those_of_the_coq_sources() -> None:
    first_line = PROGRAMS.read_text("utf-8").partition("\n")[0] + "\n"
    assert first_line == HEADER.format(defining_digest()), "run `make extracted`"


@needs_ocaml
def test_extraction__tapes_give_the_draws_of_fast_and_reference(program: Path) -> None:
    asked = list(islice(cases(random.Random(7)), 240))
    assert {case.args["sampler"] for case in asked} == {"fast", "reference"}
    assert [difference for difference in differences(program, asked) if difference] == []


@needs_ocaml
def test_extraction__rare_tapes_make_draws_go_on(program: Path) -> None:
    source, scale = random.Random(3), Fraction(2048, 3)
    asked = [laplace_case("fast", scale, rare_tape(scale, source)) for _ in range(40)]
    longer = [case.expected["bits"] > plan_of(2048, 3, SPARE).n_bits for case in asked]
    assert sum(longer) > 10
    assert [difference for difference in differences(program, asked) if difference] == []


@needs_ocaml
@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        ("programs", "Numbers.sub (Numbers.opp Numbers.one)", "Numbers.sub Numbers.zero"),
        ("bits", "(7 - ((!used - 1) land 7))", "((!used - 1) land 7)"),
        ("numbers", "Z.fdiv x y", "Z.div x y"),
        ("programs", "if Numbers.lt signed_margin Numbers.zero", "if true"),
    ],
)
def test_extraction__altered_programs_are_noticed(module: str, old: str, new: str, tmp_path: Path) -> None:
    build_program(tmp_path / "program", {module: (old, new)})
    asked = islice(cases(random.Random(7)), 240)
    assert any(differences(tmp_path / "program", asked))


@needs_ocaml
def test_extraction__the_gate_accepts_the_program(program: Path) -> None:
    levels = [word for level in ("wire", "values", "refusal") for word in ("--level", level)]
    assert app.main(["gate", f"cmd:{program}", *levels]) == 0
