"""The card of a release: answers have sources, tests are no guarantees, bad files are named."""

from __future__ import annotations

import json
import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privboost.cli.app import main
from privboost.cli.card.answers import AnswerKind, ReleaseCard, Subject
from privboost.cli.card.making import make_card
from privboost.cli.card.model import NOISY, OF_FOREST, OF_SPLITS
from privboost.cli.card.questions import GUARANTEE, PYRAMID, REGISTRY
from privboost.cli.card.rendering import SCHEMA, card_document, card_page, count_answers
from privboost.errors import UsageError
from privboost.fast import Domain, PrivateBoostedTreesClassifier, PrivateForestClassifier
from privboost.fast.protocol import LeafMechanism, LeafRule, SplitLaw
from privboost.oracle_tests.support.command_line import Run
from privboost.oracle_tests.support.json_schema import complaints

OWNER = """
format = "privboost-release"
version = 1
name = "Risk <script>alert(1)</script>"
[library]
name = "diffprivlib"
version = "0.6.6"
[guarantee]
epsilon = 1.0
delta = 0
relation = "as_given"
unit = "one patient"
stated_in = "the documentation of diffprivlib"
[pyramid]
threat_model = "The hospital is trusted."
[registry.basic]
data_curators = ["A", "B"]
publication_date = 2026-11-19
data_product_type = "Machine learning model"
[registry.deployment_model]
model_name = "Central"
[evidence]
targets = ["bank:laplace", "fast"]
"""
ROWS, LABELS = np.arange(40.0).reshape(20, 2), np.arange(20) % 2


@pytest.fixture(scope="module")
def model_text() -> str:
    """Return a model as JSON."""
    domain = Domain.from_bounds([(0, 40)] * 2, names=["age", "dose"])
    model = PrivateBoostedTreesClassifier(epsilon=1.0, domain=domain, classes=(0, 1), n_trees=1, depth=1)
    return model.fit(ROWS, LABELS).to_json()


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Return a report of each tool."""
    folder = tmp_path_factory.mktemp("reports")
    main(["audit", "bank:laplace", "--calls", "60", "--seed", "1", "-o", str(folder / "audit")])
    main(["gate", "fast", "--only", "f-alphaM", "--json", str(folder / "gate.json")])
    stability = ["stability", "builtins:len", "--input", "vector:2", "--bound", "1", "--tries", "20"]
    main([*stability, "--relation", "add_remove", "-o", str(folder / "stability")])
    names = {"audit": "audit/report.json", "gate": "gate.json", "stability": "stability/report.json"}
    return {name: json.loads((folder / path).read_text()) for name, path in names.items()}


def write(folder: Path, **contents: Any) -> Path:
    """Write a release: files by name, with `model`, `release`, `audit`, `gate` and `stability`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        path = folder / ("release.toml" if name == "release" else f"{name}.json")
        path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return folder


def resolve(folder: Path, file: str, member: str) -> Any:
    """Return the value that a source names."""
    content = (folder / file).read_bytes()
    value = tomllib.loads(content.decode()) if file.endswith(".toml") else json.loads(content)
    for part in member.split("."):
        value = value[part]
    return value


def assert_traceable(card: ReleaseCard, folder: Path) -> int:
    """Check that every source of a card exists, and return the number of sources."""
    sources = [answer.source for line in card.lines() for answer in line.answers]
    sources += [each.source for each in card.evidence]
    files = {each.path for each in card.files}
    for source in sources:
        assert source.file in files
        for member in source.member.split(", "):
            assert resolve(folder, source.file, member) is not None, source
    return len(sources)


# Answers -------------------------------------------------------------------------------------------------


def test_card__of_a_model_has_its_guarantee_and_every_line_is_traceable(
    model_text: str, reports: dict[str, Any], tmp_path: Path
) -> None:
    folder = write(tmp_path / "release", model=model_text, gate=reports["gate"])
    card = make_card(folder)
    assert card.headline.startswith("ε = 1, δ = 0, neighbours by exchange: guaranteed if the domain")
    assert assert_traceable(card, folder) > 20
    answers = {line.key: line.answers for line in card.lines()}
    assert [answer.value for answer in answers["privacy_loss.privacy_parameters.epsilon"]] == [1.0]
    assert "age: 0.0 to 40.0 in 10 values" in answers["dp_variant.data_domain"][0].text
    assert answers["threat_model"] == ()
    assert answers["mechanisms"][0].text.startswith("discrete Laplace noise on the net weight of each leaf")
    assert answers["privacy_loss.privacy_parameters.rho"] == ()
    assert make_card(folder / "model.json").headline == card.headline


def test_card__of_another_library_has_the_statements_of_its_owner(
    reports: dict[str, Any], tmp_path: Path
) -> None:
    folder = write(tmp_path, release=OWNER, **reports)
    card = make_card(folder)
    assert assert_traceable(card, folder) > 20
    guarantee = card.sections[0]
    assert {a.kind for line in guarantee.lines for a in line.answers} == {AnswerKind.STATED}
    assert "not checked here" in card.headline
    assert not card.is_guaranteed
    basic = card.registry["basic"]
    assert (basic["data_curators"], basic["publication_date"]) == (["A", "B"], "2026-11-19")
    assert card.registry["privacy_loss"]["privacy_parameters"] == {"epsilon": 1.0, "delta": 0.0}
    assert card.registry["implementation"]["mechanisms"] == "diffprivlib 0.6.6"
    document = json.loads(json.dumps(card_document(card, date(2026, 11, 19))))
    assert complaints(json.loads(SCHEMA.read_text("utf-8")), document) == []


def test_card__asks_every_question_once_in_order(tmp_path: Path) -> None:
    card = make_card(write(tmp_path, release=OWNER))
    assert [line.key for line in card.lines()] == [*GUARANTEE, *PYRAMID, *(each.path for each in REGISTRY)]
    assert [section.key for section in card.sections] == ["guarantee", "pyramid", "registry"]


def test_model__without_a_guarantee_has_no_epsilon(tmp_path: Path) -> None:
    model = PrivateBoostedTreesClassifier(domain="observed", classes=(0, 1), n_trees=1, depth=1)
    with pytest.warns(UserWarning, match="domain"):
        model.fit(ROWS, LABELS)
    card = make_card(write(tmp_path, model=model.to_json()))
    assert card.headline.startswith("No guarantee: not guaranteed, because")
    answers = {line.key: line.answers for line in card.lines()}
    assert answers["epsilon"][0].value is None
    assert answers["privacy_loss.privacy_parameters.epsilon"] == ()
    assert "privacy_parameters" not in card.registry["privacy_loss"]


def test_model__with_a_delta_states_it(tmp_path: Path) -> None:
    domain = Domain.from_bounds([(0, 40)] * 2)
    learner = PrivateBoostedTreesClassifier(delta=1e-6, domain=domain, classes=(0, 1), n_trees=2, depth=1)
    model = learner.fit(ROWS, LABELS)
    card = make_card(write(tmp_path, model=model.to_json()))
    assert "δ = 1e-06" in card.headline
    answers = {line.key: line.answers for line in card.lines()}
    texts = [answer.text for line in card.lines() for answer in line.answers]
    assert answers["delta"][0].value == 1e-6
    assert "Approximate DP" in texts
    assert "Pure DP" not in texts
    (rho,) = answers["privacy_loss.privacy_parameters.rho"]
    assert rho.value == 0.0243559703594
    (composition,) = answers["composition"]
    shares = "2 × ρ ≈ 0.012178 for leaves of each tree; together ρ = 0.0243559703594"
    assert composition.text.endswith(f"{shares} (zero-concentrated DP), converted to ε = 1 at δ = 1e-06")
    (mechanisms,) = answers["mechanisms"]
    assert mechanisms.text.startswith("discrete Gaussian noise on the net weight of each leaf")
    assert "Laplace" not in mechanisms.text
    assert_traceable(card, tmp_path)


def test_model__has_words_for_every_mechanism(tmp_path: Path) -> None:
    assert (set(NOISY), set(OF_SPLITS), set(OF_FOREST)) == (set(LeafRule), set(SplitLaw), set(LeafMechanism))
    domain = Domain.from_bounds([(0, 40)] * 2)
    forest = PrivateForestClassifier(domain=domain, classes=(0, 1), n_trees=1, depth=1).fit(ROWS, LABELS)
    boosted = PrivateBoostedTreesClassifier(
        domain=domain, classes=(0, 1), n_trees=1, depth=2, protocol="sound", alpha_rule="noisy_minority"
    )
    models = {"forest": forest, "boosted": boosted.fit(ROWS, LABELS)}
    texts = {}
    for name, model in models.items():
        card = make_card(write(tmp_path / name, model=model.to_json()))
        assert_traceable(card, tmp_path / name)
        texts[name] = next(line.answers[0].text for line in card.lines() if line.key == "mechanisms")
    assert texts["forest"] == "discrete Laplace noise on the counts of both classes in each leaf"
    weights = "discrete Laplace noise on the weights of both classes in each leaf"
    assert texts["boosted"].startswith(f"{weights}; splits by the exponential mechanism; discrete Laplace")


# Evidence ------------------------------------------------------------------------------------------------


def make_audit(reports: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Return the report of an audit with other members."""
    relation = changes.pop("relation", None)
    report = {**json.loads(json.dumps(reports["audit"])), **changes}
    for pair in report["pairs"]:
        pair["relation"] = pair["relation"] if relation is None else relation
    return report


@pytest.mark.parametrize(
    ("changes", "is_contradiction"),
    [
        ({}, False),
        ({"bound": 1.5}, True),
        ({"bound": "infinity"}, True),
        ({"bound": 1.0}, False),
        ({"bound": 1.0, "verdict": "VIOLATION"}, True),
        ({"bound": 1.5, "claim": "eps:0.5,delta:0.01"}, True),
        ({"bound": 0.7, "claim": "eps:0.5", "verdict": "VIOLATION"}, False),
        ({"bound": 1.5, "claim": "gdp:1.0"}, False),
        ({"bound": 1.5, "claim": "eps:1.0,group:2"}, False),
        ({"bound": "nan"}, False),
        ({"bound": 1.5, "relation": "exchange"}, False),
        ({"bound": 1.5, "target": "bank:gaussian"}, False),
    ],
)
def test_audit__contradicts_only_a_guarantee_that_it_refutes(
    changes: dict[str, Any], is_contradiction: bool, reports: dict[str, Any], tmp_path: Path
) -> None:
    folder = write(tmp_path, release=OWNER, audit=make_audit(reports, **changes))
    assert bool(make_card(folder).contradictions) == is_contradiction


@pytest.mark.parametrize("bound", [0.0, 0.3, 7.25])
def test_audit__bound_is_no_answer_to_any_question(
    bound: float, reports: dict[str, Any], tmp_path: Path
) -> None:
    folder = write(tmp_path, release=OWNER, audit=make_audit(reports, bound=bound, verdict="VIOLATION"))
    card = make_card(folder)
    assert all(answer.source.file != "audit.json" for line in card.lines() for answer in line.answers)
    assert card.registry["privacy_loss"]["privacy_parameters"]["epsilon"] == 1.0
    (evidence,) = card.evidence
    assert "a lower bound, no guarantee" in evidence.finding


def test_guarantee__that_is_said_to_be_stated_in_an_audit_is_refused(
    reports: dict[str, Any], tmp_path: Path
) -> None:
    owner = OWNER.replace("the documentation of diffprivlib", "audit.json, member bound")
    with pytest.raises(UsageError, match="stated_in: expected a document that states or proves"):
        make_card(write(tmp_path, release=owner, audit=reports["audit"]))


def test_audit__that_differs_from_the_guarantee_says_so(reports: dict[str, Any], tmp_path: Path) -> None:
    def finding(name: str, **changes: Any) -> str:
        folder = write(tmp_path / name, release=OWNER, audit=make_audit(reports, **changes))
        return make_card(folder).evidence[0].finding

    assert finding("same").endswith("no guarantee")
    assert "it says nothing about the guarantee" in finding("relation", relation="exchange")
    assert "another claim than that of the guarantee" in finding("claim", claim="eps:2.0")


def test_gate_and_stability__that_fail_contradict(reports: dict[str, Any], tmp_path: Path) -> None:
    owner = OWNER.replace('"fast"]', '"fast", "builtins:len"]')
    gate = {**reports["gate"], "verdict": "fail", "passed": False}
    stability = {**reports["stability"], "verdict": "COUNTEREXAMPLE"}
    card = make_card(write(tmp_path, release=owner, gate=gate, stability=stability))
    assert len(card.contradictions) == 2
    algorithms = next(line for line in card.lines() if line.key == "algorithms")
    assert [answer.kind for answer in algorithms.answers] == [AnswerKind.MEASURED] * 2


@pytest.mark.parametrize("delta", [0, 1e-6])
def test_gate__says_what_it_judged(delta: float, reports: dict[str, Any], tmp_path: Path) -> None:
    owner = OWNER.replace("delta = 0", f"delta = {delta:.6f}")
    card = make_card(write(tmp_path, release=owner, gate=reports["gate"]))
    (answer,) = next(line for line in card.lines() if line.key == "algorithms").answers
    assert "; judged: requests and answers (wire), links and surrogates (f-alphaM)" in answer.text
    assert "; not judged: mechanisms, learner, privacy" in answer.text
    assert ("nothing about Gaussian noise" in answer.text) == (delta > 0)


def test_reports__of_another_target_are_named_as_such(
    model_text: str, reports: dict[str, Any], tmp_path: Path
) -> None:
    card = make_card(write(tmp_path, model=model_text, gate=reports["gate"], audit=reports["audit"]))
    subjects = {each.what: each.subject for each in card.evidence}
    assert subjects == {"gate": Subject.LEARNER, "audit": Subject.OTHER}


# Bad files -----------------------------------------------------------------------------------------------

GOOD_MODEL, AUDIT = "the model", '{"format": "privboost-audit-report"'


@pytest.mark.parametrize(
    ("contents", "words"),
    [
        ({}, "expected a folder with a model of privboost or a release.toml"),
        ({"model": "{"}, "model.json: expected valid JSON"),
        ({"model": GOOD_MODEL, "copy": GOOD_MODEL}, "expected one model, got copy.json and model.json"),
        ({"model": {"format": "privboost-model"}}, "model.json: model: expected the key"),
        ({"model": '{"format": "privboost-model", "format": 1}'}, "model.json: expected"),
        ({"release": "name ="}, "release.toml: expected TOML"),
        ({"release": 'format = "privboost-release"\nversion = 2\nname = "a"'}, "version: expected 1, got 2"),
        ({"release": OWNER.replace("[library]", "[libary]")}, "expected some of format, version"),
        ({"release": OWNER.replace("epsilon = 1.0", "epsilon = nan")}, "guarantee.epsilon: expected"),
        ({"release": OWNER.replace("epsilon = 1.0", 'epsilon = "1"')}, "guarantee.epsilon: expected"),
        ({"release": OWNER.replace("epsilon = 1.0", "epsilon = -1")}, "guarantee.epsilon: expected"),
        ({"release": OWNER.replace("delta = 0", "delta = 2")}, "guarantee.delta: expected"),
        ({"release": OWNER.replace("epsilon = 1.0", "")}, "guarantee: expected the member epsilon"),
        ({"release": OWNER.replace('"Central"', '"Trusted"')}, "deployment_model.model_name: expected"),
        ({"release": OWNER.replace("2026-11-19", '"soon"')}, "publication_date: expected a date"),
        ({"release": OWNER.replace('["A", "B"]', "[]")}, "data_curators: expected"),
        ({"release": OWNER.replace("threat_model", "threats")}, "pyramid: expected some of epsilon, unit"),
        ({"release": OWNER.replace("one patient", "x" * 6000)}, "unit: expected a string of 1 to 5000"),
        ({"release": OWNER, "model": GOOD_MODEL}, "guarantee.epsilon: expected no such member"),
        ({"release": OWNER, "report": f"{AUDIT}"}, "report.json: expected valid JSON"),
        ({"release": OWNER, "report": f'{AUDIT}, "version": 99}}'}, "report.json: version: expected 3"),
        ({"release": OWNER, "deep": "[" * 100_000}, "deep.json: expected"),
    ],
)
def test_files__that_are_not_as_expected_are_usage_errors(
    contents: dict[str, Any], words: str, model_text: str, tmp_path: Path
) -> None:
    written = {name: model_text if content == GOOD_MODEL else content for name, content in contents.items()}
    with pytest.raises(UsageError) as caught:
        make_card(write(tmp_path, **written))
    assert words in str(caught.value)


def test_gate__whose_verdict_and_result_disagree_is_refused(reports: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="passed: expected"):
        make_card(write(tmp_path, release=OWNER, gate={**reports["gate"], "passed": False}))


def test_model__with_another_ledger_is_refused(model_text: str, tmp_path: Path) -> None:
    document = json.loads(model_text)
    document["ledger"]["expenses"][-1]["epsilon"] = "1/2"
    with pytest.raises(UsageError, match=r"model.json: model.ledger.expenses\[.*\].epsilon: expected"):
        make_card(write(tmp_path, model=document))


def test_files__that_a_card_does_not_read_do_no_harm(
    model_text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("privboost.cli.card.folder.LARGEST", len(model_text) + 10)
    folder = write(tmp_path / "release", model=model_text, other={"rows": [1]}, list=[1, 2])
    (folder / "witness.json").write_text('{"format": "privboost-audit-witness", ' + " " * len(model_text))
    (folder / "notes.txt").write_text("ε = 0.1")
    (folder / "loop").symlink_to(folder)
    (folder / "far.json").symlink_to("/dev/zero")
    card = make_card(folder)
    assert [each.path for each in card.files] == ["model.json"]
    (folder / "big.json").write_text(" " * (len(model_text) + 20))
    with pytest.raises(UsageError, match=r"big\.json: expected JSON in UTF-8 of at most"):
        make_card(folder)


def test_folder__with_too_many_files_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("privboost.cli.card.folder.MOST_FILES", 3)
    for number in range(4):
        (tmp_path / f"{number}.txt").write_text("")
    with pytest.raises(UsageError, match="at most 3 files"):
        make_card(tmp_path)


# The command ---------------------------------------------------------------------------------------------


def test_command__writes_page_and_document_and_can_be_run_again(
    model_text: str, tmp_path: Path, run: Run
) -> None:
    folder = write(tmp_path / "release", model=model_text)
    for _ in range(2):
        code, out, _ = run("card", str(folder), "-o", str(folder))
        assert code == 0
    assert "22 of 54 questions are addressed: 22 computed from the model" in out
    document = json.loads((folder / "card.json").read_text())
    assert complaints(json.loads(SCHEMA.read_text("utf-8")), document) == []
    assert complaints(json.loads(SCHEMA.read_text("utf-8")), {**document, "version": 2}) != []
    assert (document["format"], document["version"], document["contradicted"]) == ("privboost-card", 1, False)
    lines = [line for section in document["sections"] for line in section["lines"]]
    assert sum(line["addressed"] for line in lines) == 22
    assert all(answer["file"] == "model.json" for line in lines for answer in line["answers"])


def test_command__says_that_counts_of_answers_overlap(
    model_text: str, reports: dict[str, Any], tmp_path: Path
) -> None:
    model = write(tmp_path / "model", model=model_text)
    assert count_answers(make_card(model)).endswith("stated by the owner, 0 tested. 32 are not.")
    counted = count_answers(make_card(write(model, gate=reports["gate"])))
    assert counted.endswith(
        "22 computed from the model, 0 stated by the owner, 1 tested; some have several answers. 32 are not."
    )


def test_command__exits_1_if_a_report_contradicts(reports: dict[str, Any], tmp_path: Path, run: Run) -> None:
    folder = write(tmp_path / "release", release=OWNER, audit=make_audit(reports, bound=1.5))
    code, out, _ = run("card", str(folder), "-o", str(tmp_path / "out"))
    assert code == 1
    assert "CONTRADICTED: the audit refutes ε ≤ 1: ε > 1.5 with confidence 0.95 (audit.json: verdict)" in out
    assert "✗ contradicted" in (tmp_path / "out" / "card.html").read_text("utf-8")


def test_command__names_what_is_missing(tmp_path: Path, run: Run) -> None:
    code, _, err = run("card", str(tmp_path / "nothing"))
    assert (code, "MODEL_OR_FOLDER: expected a model or a folder" in err) == (2, True)
    (tmp_path / "text.json").write_text("[]")
    code, _, err = run("card", str(tmp_path / "text.json"))
    assert (code, "expected a model of privboost as JSON" in err) == (2, True)


def test_page__escapes_what_the_owner_writes_and_shows_what_is_missing(tmp_path: Path) -> None:
    card = make_card(write(tmp_path, release=OWNER))
    page = card_page(card, date(2026, 11, 19))
    assert "<script>" not in page
    assert page.count('class="missing"') == sum(not line.answers for line in card.lines()) + 1


def test_page__marks_a_passed_gate_as_passed(reports: dict[str, Any], tmp_path: Path) -> None:
    page = card_page(make_card(write(tmp_path, release=OWNER, **reports)), date(2026, 11, 19))
    assert '<span class="badge good">✓ pass</span>' in page
    assert f'<span class="badge warn">· {reports["audit"]["verdict"]}</span>' in page


def test_page__keeps_numbers_of_the_headline_on_one_line(tmp_path: Path) -> None:
    owner = OWNER.replace("delta = 0", "delta = 1e-6")
    page = card_page(make_card(write(tmp_path, release=owner)), date(2026, 11, 19))
    assert '<span class="number">δ = 1e-06</span>, neighbours' in page
