"""A file of the book of claims: its declarations and its entries.

The heading of level 1 is a section, those of level 2 are its parts, and those of level 3 are entries:

    ### KEY · ["our" | "meant"] KIND [", line N" | ", lines N N …"] [", label LABEL"] [", also LABEL …"]
        [" · " SEVERITY [", instead KEY"] [", erratum KEY"]]

on one line. A paragraph with the claim in words is below the heading of an entry, then its fields, each at
most once but `cites` and `runs`:

    given      hypotheses                         without    a point that shows that `adds` is needed
    shows      the conclusion                     refuted    a counterexample
    adds       hypotheses that the paper omits    cites      an entry whose conclusion is a hypothesis
    if         the same in words                  runs       the same by induction
    by         proofs; z3 is asked without them   example    "at" values for which the hypotheses hold,
    twin       a wrong claim or conclusion                   "where" functions
    remark     words                              risks      Bayes risks of this entry alone

A section declares its names in the fields `inputs`, `positive` and `outcomes` (variables), `risks` and `maps`
(other functions), and `python` (the module of its computations); formulas in `meaning` and `stands`. `let`
defines a name for a term or for formulas, here or in a part, for what follows there:
`let name(parameters) := body`. `book.proofs` has the grammar of proofs, `book.formulas` that of formulas.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from typing import Any, get_args

from privboost.proofs_check.entry import Cite, Entry, Induction, Kind, Reading, Severity, Symbols
from privboost.proofs_check.kernel.terms import Claim, Formula, Term
from privboost.proofs_check.language import infix
from privboost.proofs_check.proofs import Computed

from .blocks import Block, Field, read_blocks
from .formulas import NAME, Definition, Names, Passage, Reader, Unreadable
from .proofs import (
    KEY,
    Computations,
    read_citation,
    read_functions,
    read_induction,
    read_point,
    read_proofs,
    read_refutation,
    read_run,
)

CLAIMS = "privboost.proofs_check.claims"
SECTION_LEVEL, PART_LEVEL, ENTRY_LEVEL = 1, 2, 3
"""The levels of headings."""
READINGS: Mapping[str, Reading] = {"": "literal", "meant": "intended", "our": "ours"}
KINDS = get_args(Kind)
HEADING = re.compile(
    rf"(?P<key>{KEY.pattern}) · (?:(?P<reading>our|meant) )?(?P<kind>[a-z]+)"
    r"(?:, lines? (?P<lines>\d{1,6}(?: \d{1,6})*))?"
    r"(?:, label (?P<label>[^ ,·]+))?(?:, also (?P<also>[^ ,·]+(?: [^ ,·]+)*))?"
    rf"(?: · (?P<severity>[a-z ]+)(?:, instead (?P<correction>{KEY.pattern}))?"
    rf"(?:, erratum (?P<erratum>{KEY.pattern}))?)?",
    re.ASCII,
)
ENTRY_FIELDS = (
    *(
        "given",
        "shows",
        "adds",
        "if",
        "by",
        "twin",
        "cites",
        "runs",
        "example",
        "without",
        "refuted",
        "remark",
    ),
    "risks",
)
SECTION_FIELDS = ("inputs", "positive", "outcomes", "risks", "maps", "python", "let", "meaning", "stands")
REPEATED = ("cites", "runs", "let")


@dataclass(frozen=True, slots=True)
class Heading:
    """What the heading of an entry says."""

    key: str
    kind: str
    reading: Reading
    lines: tuple[int, ...]
    label: str | None
    also: tuple[str, ...]
    severity: Severity | None
    correction: str | None
    erratum: str | None


@dataclass(frozen=True, slots=True)
class BookSection:
    """A section: its blocks, its symbols, and its entries in their order."""

    blocks: tuple[Block, ...]
    symbols: Symbols
    entries: tuple[Entry, ...]


def read_section(source: str, content: str) -> BookSection:
    """Return the section in a file; raise `Unreadable` for the first thing that is not understood."""
    section, problems = try_section(source, content)
    for problem in problems:
        raise problem
    return section


def try_section(source: str, content: str) -> tuple[BookSection, list[Unreadable]]:
    """Return what can be read of a section, and what is wrong with each of the other entries.

    Raises `Unreadable` for a file that cannot be cut into entries, and for wrong declarations.
    """
    blocks = read_blocks(source, content)
    if not blocks or blocks[0].level != SECTION_LEVEL:
        raise Unreadable(source, 1, 1, "expected a heading '# ' first")
    head = _fields_by_name(blocks[0], SECTION_FIELDS)
    names = _declared_names(head)
    symbols, names = _read_symbols(head, names), _define(head, names)
    computations = _computations(head)
    entries: dict[str, Entry] = {}
    problems: list[Unreadable] = []
    in_part = names
    for block in blocks[1:]:
        if block.level == SECTION_LEVEL:
            raise block.heading.error(0, "expected one section in a file")
        if block.level == PART_LEVEL:
            in_part = _define(_fields_by_name(block, ("let",)), names)
            continue
        try:
            entry = _read_entry(block, in_part, computations)
            if entry.key in entries:
                raise block.heading.error(0, f"two entries have the key '{entry.key}'")
            entries[entry.key] = entry
        except Unreadable as problem:
            problems.append(problem)
    return BookSection(tuple(blocks), symbols, tuple(entries.values())), problems


def read_heading(text: Passage) -> Heading:
    """Read the heading of an entry."""
    match = HEADING.fullmatch(text.string)
    if match is None:
        expected = "expected a key, ' · ', and a kind with its lines, such as 'lemI · lemma, line 757'"
        raise text.error(0, expected)
    parts = match.groupdict()
    for name, allowed in (("kind", KINDS), ("severity", tuple(Severity))):
        if parts[name] not in (None, *allowed):
            raise text.error(match.start(name), f"expected one of {', '.join(allowed)}, got '{parts[name]}'")
    lines = tuple(map(int, (parts["lines"] or "").split()))
    if lines and (", lines " in text.string) != (len(lines) > 1):
        raise text.error(match.start("lines"), "expected 'line' before one number, 'lines' before several")
    return Heading(
        *(parts["key"], parts["kind"], READINGS[parts["reading"] or ""], lines, parts["label"]),
        tuple((parts["also"] or "").split()),
        Severity(parts["severity"]) if parts["severity"] else None,
        *(parts["correction"], parts["erratum"]),
    )


def _fields_by_name(block: Block, allowed: Sequence[str]) -> dict[str, list[Field]]:
    """Return the fields of a block; raise for one that is not allowed, or there twice."""
    fields: dict[str, list[Field]] = {}
    for each in block.fields:
        if each.name not in allowed:
            raise each.value.error(0, f"expected a field among {', '.join(allowed)}, got '{each.name}'")
        if each.name in fields and each.name not in REPEATED:
            raise each.value.error(0, f"the field '{each.name}' is here twice")
        fields.setdefault(each.name, []).append(each)
    return fields


def _words_in(head: Mapping[str, list[Field]], name: str) -> frozenset[str]:
    """Return the names in a field of declarations."""
    words: list[str] = []
    for each in head.get(name, ()):
        reader = Reader(each.value, Names())
        while reader.next != "":
            begin = reader.begin
            words.append(reader.match(NAME, "a name"))
            if words[-1] in words[:-1] or words[-1] in Names():
                raise each.value.error(begin, f"the name '{words[-1]}' is reserved, or here twice")
    return frozenset(words)


def _declared_names(head: Mapping[str, list[Field]]) -> Names:
    risks, functions = _words_in(head, "risks"), _words_in(head, "maps")
    if both := risks & functions:
        raise head["maps"][0].value.error(0, f"'{min(both)}' is a Bayes risk, and here any function")
    variables = [_words_in(head, name) for name in ("inputs", "positive", "outcomes")]
    for name, each in zip(("positive", "outcomes"), (variables[1], variables[2]), strict=True):
        if twice := each & frozenset().union(*(other for other in variables if other is not each)):
            raise head[name][0].value.error(0, f"'{min(twice)}' is declared twice")
    return Names(frozenset().union(*variables), risks, functions)


def _define(fields: Mapping[str, list[Field]], names: Names) -> Names:
    """Return the names with the definitions of some fields `let`, each of which may use those before it."""
    for each in fields.get("let", ()):
        reader = Reader(each.value, names)
        begin = reader.begin
        name = reader.match(NAME, "a name")
        if name in names:
            raise each.value.error(begin, f"the name '{name}' has a meaning already")
        parameters: list[str] = []
        if reader.accept("("):
            parameters = _read_parameters(reader)
        reader.demand(":=")
        reader.names = replace(names, variables=names.variables | set(parameters))
        definition = Definition(tuple(parameters), _read_body(reader))
        names = replace(names, definitions={**names.definitions, name: definition})
    return names


def _read_parameters(reader: Reader) -> list[str]:
    parameters: list[str] = []
    while True:
        begin = reader.begin
        parameter = reader.match(NAME, "a parameter")
        if parameter in parameters or parameter in reader.names.definitions or parameter in Names():
            raise reader.text.error(begin, f"expected another name than '{parameter}' for a parameter")
        parameters.append(parameter)
        if not reader.accept(","):
            reader.demand(")")
            return parameters


def _read_body(reader: Reader) -> Term | tuple[Formula, ...]:
    node = reader.term_or_formulas()
    reader.finish()
    return node


def _read_symbols(head: Mapping[str, list[Field]], names: Names) -> Symbols:
    """Return the symbols of a section; `stands` may use its definitions."""
    defined = _define(head, names)
    meaning: tuple[Formula, ...] = ()
    for each in head.get("meaning", ()):
        reader = Reader(each.value, defined)
        meaning = reader.formulas()
        reader.finish()
    stands: list[str] = []
    for each in head.get("stands", ()):
        reader = Reader(each.value, defined)
        stands.append(_read_meaning(reader))
        while reader.accept(";"):
            stands.append(_read_meaning(reader))
        reader.finish()
    inputs, positive = (" ".join(_words_in(head, name)) for name in ("inputs", "positive"))
    return Symbols(inputs, positive, meaning, "\n".join(stands))


def _read_meaning(reader: Reader) -> str:
    """Return what a symbol stands for, or how a run changes it, as citations and inductions print it."""
    name = reader.variable()
    if reader.accept("="):
        return f"{name} = {infix(reader.term())}"
    first, before, after = read_run(reader)
    return f"{name}: {infix(first)}; {infix(before)} → {infix(after)}"


def _computations(head: Mapping[str, list[Field]]) -> Computations:
    """Return the function that finds the computations of a section by name."""
    if "python" not in head:
        return dict[str, Computed]().__getitem__
    text = head["python"][0].value
    if not re.fullmatch(r"[a-z][a-z0-9_]*\.[a-z0-9_]+", text.string):
        raise text.error(0, "expected a folder and a module, such as section2_losses.computed")

    module = f"{CLAIMS}.{text.string}"
    try:
        exists = find_spec(module) is not None
    except ModuleNotFoundError:
        exists = False
    if not exists:
        raise text.error(0, f"there is no module {module}")

    def find(name: str) -> Computed:
        each = vars(import_module(module)).get(name)
        if not isinstance(each, Computed):
            raise KeyError(name)
        return each

    return find


def _read_entry(block: Block, names: Names, computations: Computations) -> Entry:
    heading = read_heading(block.heading)
    if len(block.paragraphs) != 1:
        raise block.heading.error(0, "expected one paragraph below the heading: the claim in words")
    fields = _fields_by_name(block, ENTRY_FIELDS)
    if risks := _words_in(fields, "risks"):
        names = replace(names, risks=names.risks | risks, functions=names.functions - risks)
    line, *further = heading.lines or (None,)
    claim, added = _read_claim(fields, names), _read_formulas(fields, "adds", names)
    return Entry(
        heading.key,
        block.paragraphs[0].string,
        heading.kind,  # type: ignore[arg-type]
        heading.label,
        line,
        heading.reading,
        claim,
        proofs=read_proofs(fields["by"][0].value, names, computations) if "by" in fields else (),
        control=_read_control(fields, names),
        added=added,
        hypothesis=_read_words(fields, "if") or "",
        correction=heading.correction,
        severity=heading.severity,
        erratum=heading.erratum,
        also=heading.also,
        also_lines=tuple(further),
        remark=_read_words(fields, "remark") or "",
        rests_on=tuple(_read_citations(block, names)),
        **_read_points(fields, names, computations),
    )


def _read_claim(fields: Mapping[str, list[Field]], names: Names) -> Claim | None:
    if "shows" not in fields:
        if wrong := [fields[name][0] for name in ("given", "adds", "twin") if name in fields]:
            raise wrong[0].value.error(0, f"expected a field 'shows' beside '{wrong[0].name}'")
        return None
    reader = Reader(fields["shows"][0].value, names)
    then = reader.formula()
    reader.finish()
    return Claim(_read_formulas(fields, "given", names), then)


def _read_formulas(fields: Mapping[str, list[Field]], name: str, names: Names) -> tuple[Formula, ...]:
    if name not in fields:
        return ()
    reader = Reader(fields[name][0].value, names)
    formulas = reader.formulas()
    reader.finish()
    return formulas


def _read_control(fields: Mapping[str, list[Field]], names: Names) -> Claim | Formula | None:
    """Read the field `twin`: a conclusion, or hypotheses, ⊢ and a conclusion."""
    if "twin" not in fields:
        return None
    reader = Reader(fields["twin"][0].value, names)
    if "⊢" not in reader.text.string:
        control: Claim | Formula = reader.formula()
    else:
        given = () if reader.next == "⊢" else reader.formulas()
        reader.demand("⊢")
        control = Claim(given, reader.formula())
    reader.finish()
    return control


def _read_points(
    fields: Mapping[str, list[Field]], names: Names, computations: Computations
) -> dict[str, Any]:
    """Read the refutation, the point that needs the added hypotheses, and the example."""
    points: dict[str, Any] = {}
    for name, keyword in (("refuted", "refutation"), ("without", "without")):
        if name in fields:
            points[keyword] = read_refutation(fields[name][0].value, names, computations)
    if "example" in fields:
        reader = Reader(fields["example"][0].value, names)
        if reader.accept("at"):
            points["example"] = read_point(reader)
        if reader.accept("where"):
            points["functions"] = read_functions(reader)
        reader.finish()
    return points


def _read_words(fields: Mapping[str, list[Field]], name: str) -> str | None:
    return fields[name][0].value.string if name in fields else None


def _read_citations(block: Block, names: Names) -> Iterator[Cite | Induction]:
    for each in block.fields:
        if each.name == "cites":
            yield read_citation(each.value, names)
        elif each.name == "runs":
            yield read_induction(each.value, names)
