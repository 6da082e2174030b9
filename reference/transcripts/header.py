"""The header of a transcript: everything that is public about a run, in full."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from fractions import Fraction
from typing import Any

from privboost.errors import PreconditionError
from privboost.reference.data import Attribute, Categorical, Domain, Quantised, Relation
from privboost.reference.exact import Number, Real
from privboost.reference.learners.boosting import INITIAL_BOUND
from privboost.reference.learners.protocol import (
    AlphaRule,
    BetaRule,
    BudgetRule,
    LeafRule,
    Parameters,
    Protocol,
    SensitivityRule,
    SplitLaw,
)
from privboost.reference.learners.records import Record
from privboost.reference.learners.splitting import Setting

from .errors import TranscriptError
from .lines import compare
from .number_text import Form, read_number, text_of_number
from .shapes import PARAMETERS, Plain, text_of_found

FORMAT = "privboost-transcript"
VERSION = 1

CHOICES: Mapping[str, type[Enum]] = {
    "alpha": AlphaRule,
    "split_law": SplitLaw,
    "sensitivity": SensitivityRule,
    "node_budget": BudgetRule,
    "leaf": LeafRule,
    "beta": BetaRule,
    "relation": Relation,
}
"""The fields of a protocol besides its name, and what each is a choice among."""


def header_record(setting: Setting) -> Record:
    """Return the record that opens a transcript.

    Requires: parameters that have an exact text: rationals and surds.
    """
    protocol, parameters = setting.protocol, setting.parameters
    numbers = {name: getattr(parameters, name) for name in PARAMETERS}
    for name, value in numbers.items():
        for number in value if isinstance(value, tuple) else (value,):
            if isinstance(number, Real) or (number and text_of_number(number).startswith("~")):
                raise PreconditionError("sec-solv", f"a rational or a surd as {name} of a transcript", number)
    return {
        "kind": "header",
        "format": FORMAT,
        "version": VERSION,
        "protocol": {"name": protocol.name, **{name: getattr(protocol, name).value for name in CHOICES}},
        "parameters": numbers,
        "domain": tuple(map(_attribute_record, setting.domain.attributes)),
        "size": setting.size,
        "trees": parameters.trees,
    }


def _attribute_record(attribute: Attribute) -> Record:
    """Return an attribute of the public domain."""
    if isinstance(attribute, Categorical):
        return {"kind": "categorical", "name": attribute.name, "values": attribute.values}
    return {
        "kind": "quantised",
        "name": attribute.name,
        "n_values": attribute.n_values,
        "lo": attribute.lo,
        "hi": attribute.hi,
    }


def setting_of_header(line: int, header: Mapping[str, Any]) -> Setting:
    """Return the setting of the first tree that a header of the right shape describes.

    A number of a header is an input of the run, so it is read and not compared: a JSON number is taken at
    the value of its literal, and a rounded one is refused.
    """
    compare(
        line,
        "",
        {"format": FORMAT, "version": VERSION},
        {name: header[name] for name in ("format", "version")},
    )
    protocol = _protocol(line, header["protocol"])
    parameters = _parameters(line, header["parameters"])
    compare(line, "trees", parameters.trees, header["trees"])
    attributes = [_attribute(line, f"domain[{i}]", entry) for i, entry in enumerate(header["domain"])]
    try:
        return Setting(protocol, parameters, Domain(tuple(attributes)), header["size"], INITIAL_BOUND)
    except PreconditionError as error:
        field = "size" if "size" in error.expected else "domain"
        raise TranscriptError(line, field, error.expected, str(error.got)) from None


def _protocol(line: int, found: Mapping[str, str]) -> Protocol:
    """Return the protocol of a header."""
    chosen: dict[str, Any] = {}
    for name, choices in CHOICES.items():
        known = {choice.value: choice for choice in choices}
        if found[name] not in known:
            raise TranscriptError(line, f"protocol.{name}", f"one of {', '.join(known)}", found[name])
        chosen[name] = known[found[name]]
    try:
        return Protocol(name=found["name"], **chosen)
    except PreconditionError as error:
        raise TranscriptError(line, "protocol", error.expected, str(error.got)) from None


def _parameters(line: int, found: Mapping[str, Any]) -> Parameters:
    """Return the parameters of a header."""
    read: dict[str, Any] = {}
    for name, shape in PARAMETERS.items():
        field, value = f"parameters.{name}", found[name]
        if shape is Plain.WHOLE:
            read[name] = value
        elif isinstance(value, list):
            read[name] = tuple(_input(line, f"{field}[{i}]", entry) for i, entry in enumerate(value))
        else:
            read[name] = _input(line, field, value)
    read["grid"] = _rational(line, "parameters.grid", found["grid"])
    try:
        return Parameters(**read)
    except PreconditionError as error:
        raise TranscriptError(line, "parameters", error.expected, str(error.got)) from None


def _attribute(line: int, field: str, found: Mapping[str, Any]) -> Attribute:
    """Return an attribute of a header."""
    try:
        if found["kind"] == "categorical":
            return Categorical(found["name"], tuple(found["values"]))
        lo, hi = (_rational(line, f"{field}.{end}", found[end]) for end in ("lo", "hi"))
        return Quantised(found["name"], found["n_values"], lo, hi)
    except PreconditionError as error:
        raise TranscriptError(line, field, error.expected, str(error.got)) from None


def _input(line: int, field: str, found: object) -> Number:
    """Return a number that a run starts from, which must be exact."""
    written = read_number(found)
    if written.form is Form.ROUNDED:
        raise TranscriptError(line, field, "an exact number", text_of_found(found))
    return written.value


def _rational(line: int, field: str, found: object) -> Fraction:
    """Return a number that a run starts from, which must be rational."""
    number = _input(line, field, found)
    if not isinstance(number, Fraction):
        raise TranscriptError(line, field, "a rational number", text_of_found(found))
    return number
