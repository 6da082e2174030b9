"""The Coq development: its checks, the quotations of its page, and its model run on the releases of fits."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Sequence
from fractions import Fraction
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from privboost.fast.growth import Candidates, Setting, fit_trees
from privboost.fast.loss import weight_table
from privboost.fast.protocol import GRID, SOUND_NET, Parameters, Relation
from privboost.oracle_tests.support.fast_runs import make_samples
from privboost.proofs_check.coq_links.record import digest
from tools.coq_development import (
    SOURCES,
    CoqError,
    answer,
    check,
    find_source,
    gaps,
    listed_theorems,
    run,
    source_names,
)
from tools.coq_hollow import hollow_out
from tools.coq_statements import (
    PAGE,
    allowed_axioms_with_types,
    changed_statements,
    find_coq_blocks,
    foreign_axioms,
    frozen_statements,
    recheck_faults,
    text_faults,
)
from tools.fast_inputs import Data, domain_of, random_data
from tools.hollowings import HOLLOWINGS, Hollowing

needs_coq = pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed; run `make coq`")


HEADLINES_DIGEST = "2f5f49949fb4b5d9e3ff5c78"
"""Digest of Headlines.v. Whoever changes what the project claims changes it here, by hand."""


def test_formal__sources_and_their_page_have_no_faults() -> None:
    assert len(find_coq_blocks(PAGE.read_text("utf-8"))) > 10
    assert text_faults() == []


def test_formal__headlines_are_those_that_were_read() -> None:
    headlines = SOURCES / "Headlines.v"
    assert digest(headlines.read_text("utf-8")) == HEADLINES_DIGEST
    assert len(re.findall(r"^Theorem ", headlines.read_text("utf-8"), re.MULTILINE)) == 11


def test_formal__no_more_than_four_axioms_are_allowed() -> None:
    assert len(allowed_axioms_with_types(SOURCES)) == 4


@pytest.mark.parametrize("hollowing", [item for item in HOLLOWINGS if item.of_texts], ids=attrgetter("name"))
def test_formal__hollowings_of_texts_are_refused(hollowing: Hollowing, tmp_path: Path) -> None:
    hollow_out(hollowing, tmp_path)
    assert text_faults(tmp_path) != []


def test_formal__changed_statements_and_axioms_are_reported() -> None:
    frozen = frozen_statements()
    weaker = frozen | {"Sensitivity.th3P": f"1 = 2 -> {frozen['Sensitivity.th3P']}"}
    assert changed_statements(frozen, frozen) == []
    (complaint,) = changed_statements(frozen, weaker)
    assert complaint.startswith("Sensitivity.th3P states something else")
    allowed = allowed_axioms_with_types(SOURCES)
    assert foreign_axioms(allowed, allowed) == []
    assert foreign_axioms(allowed, {"Classical_Prop.classic": "1 = 2"}) != []


SUMMARY = """
CONTEXT SUMMARY
===============

* Theory: Set is predicative

* Axioms:
    Coq.Logic.Classical_Prop.classic

* Constants/Inductives relying on type-in-type: <none>
"""


@pytest.mark.parametrize(
    ("summary", "faults"),
    [
        (SUMMARY, 0),
        ("", 1),
        (SUMMARY.replace("    Coq", "    Coq.Logic.Other.axiom\n    Coq"), 1),
        (SUMMARY.replace("<none>", "Law.law"), 1),
    ],
)
def test_formal__the_summary_of_coqchk_is_read(summary: str, faults: int) -> None:
    assert len(recheck_faults(summary, ["Classical_Prop.classic"])) == faults


@pytest.mark.parametrize("gap", ["Admitted.", "Axiom e : False.", "Parameter e : False.", "intros; admit."])
def test_formal__gaps_are_reported(gap: str, tmp_path: Path) -> None:
    source = f"(* Admitted is (* only *) a word here. *) Lemma a : False. {gap}"
    (tmp_path / "A.v").write_text(source, "utf-8")
    assert len(gaps(tmp_path)) == 1


def test_formal__unlisted_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "_CoqProject").write_text("A.v\n", "utf-8")
    (tmp_path / "B.v").touch()
    with pytest.raises(CoqError, match=r"B\.v"):
        source_names(tmp_path)


@needs_coq
def test_formal__other_axioms_are_reported(tmp_path: Path) -> None:
    sources, axiom = tmp_path / "sources", "Axiom e : forall P : Prop, P."
    sources.mkdir()
    for name, text in {
        "_CoqProject": "-R . Privboost\nA.v\n",
        "A.v": f"{axiom} Lemma bad : False. Proof. apply e. Qed. Lemma good : True. Proof. exact I. Qed.",
        "theorems.txt": "A.bad  false\nA.good  true\n",
        "assumptions.txt": "",
    }.items():
        (sources / name).write_text(text, "utf-8")
    table = check(sources, tmp_path / "build")
    assert not table.conforming
    assert [row[2] for row in table.rows] == ["OTHER AXIOMS", "no axiom"]


@pytest.mark.parametrize("theorem", listed_theorems(SOURCES))
def test_formal__listed_theorems_are_stated(theorem: str) -> None:
    module, _, name = theorem.partition(".")
    source = find_source(module).read_text("utf-8")
    assert re.search(rf"^(Theorem|Lemma|Corollary) {name}\b", source, re.MULTILINE)


@pytest.fixture(scope="module")
def grid(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which Grid.v is compiled."""
    folder = tmp_path_factory.mktemp("coq")
    shutil.copy(find_source("Grid"), folder)
    run(["coqc", "-R", ".", "Privboost", "Grid.v"], folder)
    return folder


def evaluate(terms: Sequence[str], folder: Path, definitions: Sequence[str] = ()) -> list[list[int]]:
    """Return lists of integers that Coq computes."""
    opening = [
        "From Coq Require Import List ZArith Arith.",
        "From Privboost Require Import Grid.",
        "Import ListNotations. Open Scope Z_scope. Set Printing Width 100000. Set Printing Depth 100000.",
    ]
    printed = answer([*opening, *definitions, *(f"Eval vm_compute in {term}." for term in terms)], folder)
    return [
        [int(number) for number in re.findall(r"-?\d+", line)]
        for line in printed.splitlines()
        if line.lstrip().startswith("=")
    ]


@needs_coq
def test_formal__weights_are_those_of_the_table(grid: Path) -> None:
    reach, stride = 3000, 75
    alphas = [Fraction(1), Fraction(2, 3), Fraction(1, 100)]
    margins = f"map (fun k => {stride} * Z.of_nat k - {reach}) (seq 0 {2 * reach // stride + 1})"
    terms = [f"map (weight_of_margin {a.numerator} {a.denominator}) ({margins})" for a in alphas]
    tables = [weight_table(reach, alpha, GRID // 2).tolist()[::stride] for alpha in alphas]
    assert evaluate(terms, grid) == tables
    assert tables[0] != tables[1]


def term(value: Any) -> str:
    """Return a list, tuple, boolean or integer as Coq writes it."""
    if isinstance(value, list):
        return f"[{'; '.join(map(term, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(term, value))})"
    return str(value).lower() if isinstance(value, bool) else f"({value})"


def definitions_of(setting: Setting, data: Data) -> list[str]:
    """Return the public inputs and the rows of a fit as Coq definitions."""
    of, p = Candidates.of(setting.domain), setting.parameters
    tests = list(zip(of.feature.tolist(), of.value.tolist(), of.equal.tolist(), strict=True))
    codes, labels = data.codes.T.tolist(), (data.signs > 0).tolist()
    relation = "Exchange" if setting.protocol.relation is Relation.EXCHANGE else "AddRemove"
    budget, alpha = p.epsilon.as_integer_ratio(), p.boost_alpha.as_integer_ratio()
    numbers = " ".join(map(str, (p.trees, p.depth, setting.size, *budget, *alpha)))
    return [
        f"Definition tests := {term(tests)}%nat.",
        "Definition code (x : list nat) (f : nat) : nat := nth f x 0%nat.",
        "Definition test (c : nat) (x : list nat) : bool :=",
        "let '(f, v, equal) := nth c tests (0, 0, false)%nat in",
        "if equal then Nat.eqb (code x f) v else Nat.leb v (code x f).",
        f"Definition S := {term(list(zip(codes, labels, strict=True)))}%nat.",
        f"Definition N := Build_net_parameters {relation} {numbers}.",
    ]


def trees_of(records: list[Any], names: list[str]) -> Iterator[tuple[list[list[int]], list[Any]]]:
    """Yield the chosen candidates of every tree by level, and the records of its leaves."""
    for index in {record["tree"]: None for record in records if "tree" in record}:
        mine = [record for record in records if record.get("tree") == index]
        levels: dict[int, list[int]] = {}
        for record in mine:
            if record["kind"] == "node":
                levels.setdefault(len(record["leaf"]), []).append(names.index(record["choice"]))
        yield list(levels.values()), [record for record in mine if record["kind"] == "leaf"]


@needs_coq
@pytest.mark.parametrize("relation", list(Relation))
def test_formal__nets_and_values_are_those_of_a_fit(relation: Relation, grid: Path) -> None:
    domain = domain_of(3, 2, 4, categories=(3,))
    data = random_data(domain, 20, seed=5)
    parameters = Parameters(3, 2, Fraction(7, 2))
    protocol = SOUND_NET.changed(relation=relation) if relation is not SOUND_NET.relation else SOUND_NET
    setting = Setting(protocol, parameters, domain, 20)
    records: list[Any] = []
    fit_trees(setting, data.rows, make_samples(3), records.append)
    candidates = Candidates.of(domain)
    names = [candidates.name_of(index) for index in range(len(candidates))]
    history, terms, expected = "[]", [], []
    for levels, leaves in trees_of(records, names):
        for level in levels:
            history = f"(Splits {term(level)}%nat :: {history})"
        noisy = [int(GRID * leaf["noisy"]["net"]) for leaf in leaves]
        terms += [f"nets N test {history} S", f"map (leaf_value N) {term(noisy)}"]
        masses = [leaf["masses"] for leaf in leaves]
        expected.append([int(GRID * (mass["positive"] - mass["negative"])) for mass in masses])
        expected.append([int(GRID * leaf["value"]) for leaf in leaves])
        history = f"(Leaves {term([[net] for net in noisy])} :: {history})"
    assert len(expected) == 2 * parameters.trees
    # Weights have left their plateau of 1/2: with constant weights all nets would be multiples of it.
    assert all(any(net % (GRID // 2) for net in nets) for nets in expected[2::2])
    first_tree = terms[0].removeprefix("nets N test ").removesuffix(" S")
    definitions = definitions_of(setting, data)
    *computed, with_one_row_less = evaluate([*terms, f"nets N test {first_tree} (tl S)"], grid, definitions)
    assert computed == expected
    assert with_one_row_less != expected[0]
