"""The header of a transcript: all public information about a run."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from privboost.errors import PreconditionError
from privboost.reference.data import Attribute, Categorical, Domain, Quantised
from privboost.reference.exact import Number, Real
from privboost.reference.learners.boosting import INITIAL_BOUND
from privboost.reference.learners.protocol import AS_PRINTED, CHOICES, SOUND, Parameters, Protocol
from privboost.reference.learners.records import Record
from privboost.reference.learners.splitting import Setting

from .errors import TranscriptError
from .lines import compare
from .number_format import Form, format_number, read_number
from .shapes import CONCENTRATED, PARAMETERS, Plain

FORMAT = "privboost-transcript"
VERSION = 1

TRUE_NAME = "a name that says how the protocol differs from the preset that it begins with"


def header_record(setting: Setting) -> Record:
    """Return the record that opens a transcript.

    Requires: the parameters are rationals and surds, which have an exact string. The name of the protocol
    says how it differs from the preset that it begins with.
    """
    protocol, parameters = setting.protocol, setting.parameters
    if not _is_named_truly(protocol):
        raise PreconditionError("sec-solv", TRUE_NAME, protocol.name)
    written = PARAMETERS | CONCENTRATED if parameters.delta else PARAMETERS
    numbers = {name: getattr(parameters, name) for name in written}
    for name, value in numbers.items():
        for number in value if isinstance(value, tuple) else (value,):
            if isinstance(number, Real) or (number and format_number(number).startswith("~")):
                raise PreconditionError("sec-solv", f"a rational or a surd as {name} of a transcript", number)
    return {
        "kind": "header",
        "format": FORMAT,
        "version": VERSION,
        "protocol": {"name": protocol.name, **_choices(protocol)},
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
    """Return the setting of the first tree, from a header of the right shape.

    The numbers of a header are inputs of the run, so they are read and not compared. A JSON number has the
    value of its literal. A rounded number is refused.
    """
    compare(line, "format", FORMAT, header["format"])
    compare(line, "version", VERSION, header["version"])
    protocol = _protocol(line, header["protocol"])
    parameters = _parameters(line, header["parameters"])
    compare(line, "trees", parameters.trees, header["trees"])
    attributes = [_attribute(line, f"domain[{i}]", entry) for i, entry in enumerate(header["domain"])]
    try:
        return Setting(protocol, parameters, Domain(tuple(attributes)), header["size"], INITIAL_BOUND)
    except PreconditionError as error:
        field = "size" if "size" in error.expected else "domain"
        raise TranscriptError(line, field, error.expected, str(error.got)) from None


def _protocol(line: int, fields: Mapping[str, str]) -> Protocol:
    """Return the protocol of a header."""
    chosen: dict[str, Any] = {}
    for name, choices in CHOICES.items():
        known = {choice.value: choice for choice in choices}
        if fields[name] not in known:
            raise TranscriptError(line, f"protocol.{name}", f"one of {', '.join(known)}", fields[name])
        chosen[name] = known[fields[name]]
    try:
        protocol = Protocol(name=fields["name"], **chosen)
    except PreconditionError as error:
        raise TranscriptError(line, "protocol", error.expected, str(error.got)) from None
    if not _is_named_truly(protocol):
        raise TranscriptError(line, "protocol.name", TRUE_NAME, protocol.name)
    return protocol


def _choices(protocol: Protocol) -> dict[str, str]:
    """Return the fields of a protocol other than its name."""
    return {name: getattr(protocol, name).value for name in CHOICES}


def _is_named_truly(protocol: Protocol) -> bool:
    """Return whether the name of a protocol says how it differs from the preset that it begins with.

    After the preset, such a name has changed fields, as in 'SOUND relation=add_remove'. All other names are
    free.
    """
    for preset in (AS_PRINTED, SOUND):
        if protocol.name.upper().startswith(preset.name):
            first, *words = protocol.name.removeprefix(preset.name).split(" ")
            changes = {field: value for field, _, value in (word.partition("=") for word in words)}
            return not first and {**_choices(preset), **changes} == _choices(protocol)
    return True


def _parameters(line: int, fields: Mapping[str, Any]) -> Parameters:
    """Return the parameters of a header."""
    read: dict[str, Any] = {}
    for name, shape in (PARAMETERS | CONCENTRATED).items():
        if name not in fields:
            continue
        field, value = f"parameters.{name}", fields[name]
        if shape is Plain.INTEGER:
            read[name] = value
        elif isinstance(value, list):
            read[name] = tuple(_input(line, f"{field}[{i}]", entry) for i, entry in enumerate(value))
        else:
            read[name] = _input(line, field, value)
    read["grid"] = _rational(line, "parameters.grid", fields["grid"])
    try:
        return Parameters(**read)
    except PreconditionError as error:
        raise TranscriptError(line, "parameters", error.expected, str(error.got)) from None


def _attribute(line: int, field: str, fields: Mapping[str, Any]) -> Attribute:
    """Return an attribute of a header."""
    try:
        if fields["kind"] == "categorical":
            return Categorical(fields["name"], tuple(fields["values"]))
        lo, hi = (_rational(line, f"{field}.{end}", fields[end]) for end in ("lo", "hi"))
        return Quantised(fields["name"], fields["n_values"], lo, hi)
    except PreconditionError as error:
        raise TranscriptError(line, field, error.expected, str(error.got)) from None


def _input(line: int, field: str, written: object) -> Number:
    """Return an input of the run, which must be an exact number."""
    number = read_number(written)
    if number.form is Form.ROUNDED:
        raise TranscriptError(line, field, "an exact number", str(written))
    return number.value


def _rational(line: int, field: str, written: object) -> Fraction:
    """Return an input of the run, which must be a rational number."""
    number = _input(line, field, written)
    if not isinstance(number, Fraction):
        raise TranscriptError(line, field, "a rational number", str(written))
    return number
