"""The book of claims as pages of the site: verdict, witness and Coq beside each claim, formulas typeset."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Set
from itertools import pairwise

from privboost.proofs_check.book.blocks import Block, Field
from privboost.proofs_check.book.formulas import NAME, Passage
from privboost.proofs_check.book.sections import ENTRY_LEVEL
from privboost.proofs_check.coq_links.theorems import coq_proofs
from privboost.proofs_check.entry import Entry
from privboost.proofs_check.index import load_entries, load_section
from privboost.proofs_check.ledger import entries
from privboost.proofs_check.record import Recorded, record

from .fields import place_of, sides_at_witness

GREEK = (
    *(
        "alpha",
        "beta",
        "gamma",
        "delta",
        "epsilon",
        "eta",
        "theta",
        "kappa",
        "lambda",
        "mu",
        "xi",
        "pi",
        "rho",
    ),
    *("sigma", "tau", "omega", "Delta", "Gamma", "Omega"),
)
LETTERS = {name: html.unescape(f"&{name};") for name in GREEK} | {"eps": "ε"}
CONNECTIVES = ("and", "or", "implies", "not")
WORDS = (
    "z3",
    "min",
    "max",
    "exp",
    "log",
    "of",
    "use",
    "by",
    "at",
    "to",
    "from",
    "with",
    "given",
    "where",
    "own",
    "words",
)
"""Words of one to five letters that are no variables; longer names are set upright anyway."""
TOKEN = re.compile(r"(?P<name>[A-Za-z][A-Za-z0-9_]*)|\^(?P<power>[0-9]+)|(?P<string>\"[^\"]*\")|(?P<sign>.)")
NAMED = re.compile(r"(?<![`\w.:-])[A-Za-z]+[A-Z0-9_:.-][A-Za-z0-9_:.-]*[A-Za-z0-9](?![`\w])")
"""What may be the key of an entry in words: letters, and a dot, a digit or a capital among them."""
USED, CITED, START = (re.compile(each) for each in (r"\buse ([^ ,;)]+)", r"^([^ ]+)", r" from ([^ ]+)"))
FORMULAS = ("given", "shows", "adds", "twin", "meaning", "stands", "example", "without", "refuted")
PROOFS = ("by", "cites", "runs")
TITLES = {
    "adds": "added hypothesis",
    "if": "in words",
    "twin": "wrong twin",
    "without": "false without it",
    "refuted": "witness",
    "cites": "rests on",
    "runs": "by induction",
    "stands": "symbols stand for",
    "maps": "functions",
    "risks": "Bayes risks",
}


def book_page(section: str) -> str:
    """Return a section of the book as Markdown of the site."""
    blocks = load_section(section).blocks
    names = (NAME.match(each.value.string) for block in blocks for each in block.fields if each.name == "let")
    defined = frozenset(name[0] for name in names if name)
    return "\n".join(line for block in blocks for line in _lines_of_block(section, block, defined))


def typeset(formula: str, defined: Set[str] = frozenset()) -> str:
    """Return a formula, or a field with formulas in it, as inline HTML that may be broken into lines.

    Defined names are links to their definitions.
    """
    parts: list[str] = []
    bars: list[bool] = []
    pending = False
    for match in TOKEN.finditer(formula):
        name, power, sign = match["name"], match["power"], match["sign"]
        if name == "abs":
            pending = True
        elif name == "sqrt":
            parts.append("√")
        elif name:
            shown = _typeset_name(name)
            parts.append(f'<a href="#let-{name}">{shown}</a>' if name in defined else shown)
        elif power:
            parts.append(f"<sup>{power}</sup>")
        elif sign == "(":
            bars.append(pending)
            parts.append("|" if pending else "(")
            pending = False
        elif sign == ")" and bars:
            parts.append("|" if bars.pop() else ")")
        else:
            parts.append(f"{html.escape(match[0])}<wbr>" if sign and sign in "·/" else html.escape(match[0]))
    return f'<span class="formula">{"".join(parts)}</span>'


def _typeset_name(name: str) -> str:
    if name in WORDS:
        return name
    if name in CONNECTIVES:
        return f"<b>{name}</b>"
    stem, _, index = name.partition("_")
    letter, number = stem.rstrip("0123456789"), stem[len(stem.rstrip("0123456789")) :]
    shown = LETTERS.get(letter, letter)
    if len(shown) > 1:
        return shown + name[len(letter) :]
    below = number + index
    return f"<i>{shown}</i>{f'<sub>{below}</sub>' if below else ''}"


def _lines_of_block(section: str, block: Block, defined: Set[str]) -> Iterator[str]:
    if block.level == ENTRY_LEVEL:
        entry = load_entries(section)[block.heading.string.split(" ")[0]]
        recorded = record().get(entry.key)
        yield from ("", f"### `{entry.key}`", "", _summary(entry, recorded), "", escape(entry.words), "")
        yield from (_field_line(each, defined) for each in block.fields)
        yield from _judged_lines(entry, recorded)
        return
    yield from ("", f"{'#' * block.level} {escape(block.heading.string)}", "")
    for paragraph in block.paragraphs:
        yield from (*_lines_of(paragraph), "")
    definitions = [each.value.string for each in block.fields if each.name == "let"]
    yield from (_field_line(each, defined) for each in block.fields if each.name != "let")
    yield from ("", *(_definition_line(each, defined) for each in definitions))


def _definition_line(definition: str, defined: Set[str]) -> str:
    """Return a definition as an item of a list, to which links to its name lead."""
    name, _, rest = definition.partition(" := ")
    anchor = name.partition("(")[0]
    return f'- <span id="let-{anchor}">{typeset(name)}</span> := {typeset(rest, defined)}'


def _lines_of(paragraph: Passage) -> Iterator[str]:
    """Yield a paragraph in the lines that it has in the file, as tables and lists need."""
    starts = [start for start, _, _ in paragraph.starts]
    for start, end in pairwise([*starts, len(paragraph.string) + 1]):
        yield paragraph.string[start : end - 1]


def _summary(entry: Entry, recorded: Recorded | None) -> str:
    """Return the verdict on an entry, and what it is in the paper."""
    verdict = str(recorded.verdict) if recorded else "not on record"
    kind = {"literal": "", "intended": ", as meant", "ours": ""}[entry.reading]
    severity = f" · {entry.severity}" if entry.severity else ""
    instead = f" · instead: `{entry.correction}`" if entry.correction else ""
    shown = f'<span class="verdict verdict-{verdict.lower()}">{verdict}</span>'
    return f"{shown} {entry.kind}{kind} · {place_of(entry)}{severity}{instead}"


def _field_line(each: Field, defined: Set[str]) -> str:
    """Return a field of the source as a field of the page."""
    value = each.value.string
    if each.name in FORMULAS:
        content = typeset(value, defined)
    elif each.name in PROOFS and not value.startswith("citation"):
        content = _link_keys(each.name, value, defined)
    else:
        content = escape(value)
    return f":{TITLES.get(each.name, each.name)}: {content}"


def _link_keys(name: str, value: str, defined: Set[str]) -> str:
    """Return a field with proofs or citations, typeset, with the keys of entries as literals."""
    patterns = (USED,) if name == "by" else (CITED, START)
    spans = sorted(match.span(1) for pattern in patterns for match in pattern.finditer(value))
    content, done = "", 0
    for start, end in spans:
        if value[start:end] in entries():
            content += f"{typeset(value[done:start], defined) if start > done else ''}`{value[start:end]}`"
            done = end
    return content + (typeset(value[done:], defined) if done < len(value) else "")


def _judged_lines(entry: Entry, recorded: Recorded | None) -> Iterator[str]:
    """Yield what the engines found: both sides at a witness, details, trust, theorems in Coq."""
    if recorded is None:
        return
    if sides := sides_at_witness(entry):
        yield f":at the witness: {escape(sides)}"
    elif entry.refutation is not None:
        yield f":at the witness: {escape(recorded.detail)}"
    if recorded.engines:
        trust = ", ".join(f"`{part}`" if part in entries() else escape(part) for part in recorded.trust)
        yield f":accepted by: {', '.join(recorded.engines)}{f'; rests on {trust}' if trust else ''}"
    theorems = dict.fromkeys(proof.theorem for proof in coq_proofs(entry.key))
    if theorems:
        named = ", ".join(f"`{theorem}`" for theorem in theorems if theorem)
        yield f":Coq: [machine-checked](../formal.md){f': {named}' if named else ', along another proof'}"


def escape(words: str) -> str:
    """Return words in which no sign has a meaning for Markdown, and keys of entries are code."""
    parts = NAMED.sub(lambda match: f"`{match[0]}`" if match[0] in entries() else match[0], words).split("`")
    parts[::2] = [re.sub(r"([\\*_<\[\]|])", r"\\\1", part) for part in parts[::2]]
    return "`".join(parts)
