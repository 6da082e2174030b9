"""The JSON schema of transcripts agrees with the reader."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import pytest

from privboost.oracle_tests.support.json_schema import complaints
from privboost.oracle_tests.support.transcript_runs import MISSHAPEN, RUNS, as_floats, change_number, run
from privboost.reference.learners.protocol import CHOICES, Parameters, Protocol
from privboost.reference.transcripts import SCHEMA
from privboost.reference.transcripts.number_format import NUMBER_PATTERN
from privboost.reference.transcripts.shapes import ATTRIBUTE, CONCENTRATED, LINE, PARAMETERS, PROTOCOL

DOCUMENT: dict[str, Any] = json.loads(SCHEMA.read_text("utf-8"))


@pytest.mark.parametrize("name", RUNS)
def test_schema__accepts_what_the_writer_writes(name: str) -> None:
    for line in run(name)[0]:
        assert complaints(DOCUMENT, json.loads(line)) == []


def test_schema__accepts_floats() -> None:
    for line in as_floats(run("SOUND")[0]):
        assert complaints(DOCUMENT, json.loads(line)) == []


STRUCTURAL = set(MISSHAPEN) - {
    "unknown candidate",
    "one candidate too few",
    "noise of another rule",
    "impossible parameters",
    "impossible protocol",
    "rounded parameter",
    "irrational grid",
    "domain without the sample",
    "size below the sample",
    "tree that is a decimal",
}
"""Fields that are wrong for any sample. JSON Schema accepts 0.0 as an integer, so that case is left out."""


@pytest.mark.parametrize("name", sorted(STRUCTURAL))
def test_schema__refuses_what_the_reader_refuses(name: str) -> None:
    line, path, value, _ = MISSHAPEN[name]
    assert complaints(DOCUMENT, json.loads(change_number(run("SOUND")[0], (line, path), value)[line - 1]))


def test_schema__has_the_fields_of_the_reader() -> None:
    definitions = DOCUMENT["$defs"]
    kinds = {**LINE.fields, **ATTRIBUTE.fields}
    wanted = {name: {"kind", *shape} for name, shape in kinds.items()}
    wanted |= {"protocol": set(PROTOCOL), "parameters": set(PARAMETERS)}
    for name, names in wanted.items():
        others = set(CONCENTRATED) if name == "parameters" else set()
        assert set(definitions[name]["required"]) == names
        assert set(definitions[name]["properties"]) == names | others
        assert definitions[name]["additionalProperties"] is False
    assert [option["$ref"] for option in DOCUMENT["oneOf"]] == [f"#/$defs/{name}" for name in LINE.fields]


def test_schema__header_has_every_field_of_protocol_and_parameters() -> None:
    assert set(PROTOCOL) == {field.name for field in fields(Protocol)}
    assert {*PARAMETERS, *CONCENTRATED} == {field.name for field in fields(Parameters)}


def test_schema__numbers_have_the_grammar_of_the_reader() -> None:
    assert DOCUMENT["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert DOCUMENT["$defs"]["number"]["oneOf"][1]["pattern"] == NUMBER_PATTERN


def test_schema__protocols_have_the_choices_of_the_reader() -> None:
    properties = DOCUMENT["$defs"]["protocol"]["properties"]
    for name, choices in CHOICES.items():
        assert properties[name]["enum"] == [choice.value for choice in choices]
