"""Make the card of a release from its files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from .answers import CardAnswer, CardEvidence, CardLine, CardSection, ReleaseCard
from .evidence import check_stated_in, gate_answers, guaranteed_of, read_evidence
from .folder import ReleaseFolder, read_folder
from .model import model_answers, read_model
from .questions import GUARANTEE, PYRAMID, REGISTRY, SHARED

Answers = Mapping[str, tuple[CardAnswer, ...]]


def make_card(given: Path) -> ReleaseCard:
    """Return the card of a model or a folder.

    Ensures: UsageError for files that are not as expected.
    """
    folder = read_folder(given)
    computed: dict[str, CardAnswer] = {}
    if folder.model is not None:
        computed = model_answers(
            read_model(folder.model, folder.model_text, folder.model_file), folder.model_file
        )
    stated = {} if folder.release is None else dict(folder.release.guarantee)
    if "epsilon" in stated:
        text = "differential privacy with these parameters, as the owner states; it is not checked here"
        stated["statement"] = replace(stated["epsilon"], text=text, value=None)
    answers: Answers = {
        key: tuple(source[key] for source in (computed, stated) if key in source)
        for key in (*computed, *stated)
    }
    check_stated_in(folder, stated.get("stated_in"))
    guaranteed = guaranteed_of({key: each[0] for key, each in answers.items()})
    evidence = read_evidence(folder, guaranteed)
    return ReleaseCard(
        folder.release.name.text if folder.release is not None else folder.model_file,
        _headline(answers),
        computed["statement"].text == "guaranteed" if computed else False,
        (
            CardSection(
                "guarantee",
                "The guarantee",
                "No test answers a question of this section.",
                tuple(CardLine(key, question, answers.get(key, ())) for key, question in GUARANTEE.items()),
            ),
            _pyramid(folder, answers, evidence),
            _registry_section(folder, answers),
        ),
        evidence,
        tuple(folder.files),
        _registry_record(folder, answers),
    )


def _headline(answers: Answers) -> str:
    """Return the guarantee in one line."""
    if "epsilon" not in answers:
        return "No ε is stated."
    epsilon = answers["epsilon"][0]
    if epsilon.value is None:
        return f"No guarantee: {answers['statement'][0].text}."
    delta = f"δ = {answers['delta'][0].text}" if "delta" in answers else "δ not stated"
    relation = answers["relation"][0].text.partition(":")[0] if "relation" in answers else "not stated"
    says = answers["statement"][0].text if "statement" in answers else "stated by the owner"
    return f"ε = {epsilon.text}, {delta}, neighbours by {relation}: {says}."


def _pyramid(folder: ReleaseFolder, answers: Answers, evidence: Sequence[CardEvidence]) -> CardSection:
    """Return the parts of the pyramid; what the guarantee says is repeated with its source."""
    stated = {} if folder.release is None else folder.release.pyramid
    lines = []
    for key, (level, question) in PYRAMID.items():
        own = [stated[key]] if key in stated else []
        match key:
            case "epsilon":
                named = [
                    replace(each, text=f"{sign} = {each.text}")
                    for name, sign in (("epsilon", "ε"), ("delta", "δ"), ("rho", "ρ"))
                    for each in answers.get(name, ())
                ]
                own = [*named, *own]
            case "unit":
                own = [*answers.get("unit", ()), *own]
            case "algorithms":
                own = [*answers.get("mechanisms", ()), *own, *gate_answers(evidence)]
        lines.append(CardLine(key, question, tuple(own), level))
    about = (
        "The parts of the differential privacy pyramid of NIST SP 800-226, Figure 1; each protects only as "
        "well as those below it. The questions are in our words."
    )
    return CardSection("pyramid", "The pyramid of NIST SP 800-226", about, tuple(lines))


def _registry_answers(folder: ReleaseFolder, answers: Answers) -> dict[str, tuple[CardAnswer, ...]]:
    """Return the answers to the fields of the registry; the owner's come first, but not for ε and δ."""
    stated = {} if folder.release is None else folder.release.registry
    by_path: dict[str, tuple[CardAnswer, ...]] = {path: (answer,) for path, answer in stated.items()}
    for path, key in SHARED.items():
        if path in by_path:
            continue
        if key == "name" and folder.release is not None:
            by_path[path] = (folder.release.name,)
        elif own := answers.get(key, ()):
            # The last one is that of the owner, who knows whose row it is.
            by_path[path] = own[-1:] if key == "unit" else own[:1]
    for key in ("epsilon", "delta"):
        path = f"privacy_loss.privacy_parameters.{key}"
        if path in by_path and by_path[path][0].value is None:
            del by_path[path]
    if folder.release is not None and folder.release.library is not None:
        path = "implementation.mechanisms"
        by_path[path] = (*by_path.get(path, ()), folder.release.library)
    return by_path


def _registry_section(folder: ReleaseFolder, answers: Answers) -> CardSection:
    by_path = _registry_answers(folder, answers)
    lines = tuple(
        CardLine(each.path, each.question, by_path.get(each.path, ()), f"tier {each.tier}")
        for each in REGISTRY
    )
    about = (
        "The fields of a record of the Differential Privacy Deployments Registry (registry.opendp.org), as "
        "of July 2026. card.json has the answered ones as a record."
    )
    return CardSection("registry", "The registry of deployments", about, lines)


def _registry_record(folder: ReleaseFolder, answers: Answers) -> dict[str, Any]:
    """Return the answered fields as a record of the registry."""
    record: dict[str, Any] = {}
    for path, own in _registry_answers(folder, answers).items():
        *groups, name = path.split(".")
        place = record
        for group in groups:
            place = place.setdefault(group, {})
        place[name] = own[0].plain if len(own) == 1 else "; ".join(each.text for each in own)
    return record
