"""Write the stubs of a new loss, mechanism or claim in every file that needs one.

    python -m tools.new loss NAME
    python -m tools.new mechanism NAME [--broken]
    python -m tools.new claim KEY [--ours] [--after KEY]

What a person must write is marked TODO, and `test_new.py` fails while a mark is left. Nothing is written
unless every file has the lines that the stubs belong to.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from privboost.errors import UsageError
from privboost.printing import discard
from privboost.proofs_check.book.blocks import read_blocks
from privboost.proofs_check.book.sections import ENTRY_LEVEL, read_heading

from . import ROOT

MARK = "TODO"
STUBS = Path(__file__).with_name("stubs")
CLAIMS = "proofs_check/claims"
MODEL = "gate/trees/faulty/model_losses.py"
PRIVATE, BROKEN = "auditor/mechanisms/private.py", "auditor/mechanisms/broken.py"
PEER = "oracle_tests/unit/gate/test_vectors_independent.py"
AUDITS = "oracle_tests/unit/auditor/test_mechanisms.py"
SUFFIXES = {".py", ".js", ".md"}


@dataclass(frozen=True, slots=True)
class Edit:
    """Text that is inserted before every match of an anchor.

    NAME and UPPER in the text stand for the new name, and INDENT for the spaces before the anchor.
    """

    path: str
    anchor: str
    """A regular expression for the beginning of a line or of a word."""
    text: str

    def apply(self, content: str, name: str) -> str:
        """Return the content of a file with the text inserted."""

        def insert(match: re.Match[str]) -> str:
            indent = re.match(" *", match[0])
            return fill_in(self.text, name).replace("INDENT", indent[0] if indent else "") + match[0]

        changed, count = re.subn(self.anchor, insert, content, flags=re.MULTILINE)
        if not count:
            raise UsageError(f"{self.path}: expected {self.anchor!r}, got no such line")
        return changed


def fill_in(text: str, name: str) -> str:
    """Return a stub for a name."""
    return text.replace("NAME", name).replace("UPPER", name.upper())


LIST = r'(?<=[( ])["\']m_alpha["\'](?=,?\s*[\])])'
"""The last word of a list of losses."""
BRANCH = 'INDENTif {} == "NAME":\nINDENT    {}\n'
NO_FORMULA = "raise NotImplementedError('TODO: the formula of NAME')"
METHODS = {
    r"self\.square_risk": "risk(u)",
    r"4 \* \(1 - p\)": "partial(p)",
    "8 ": "link(u)",
    r"min\(": "inverse(z)",
    r"Fraction\(0\)": "surrogate(z)",
}
"""What the model returns for the square loss, and the method that it calls for a new one instead."""
LOSS = (
    Edit("reference/losses/__init__.py", r"^from \.square import SQUARE", "from .NAME import UPPER\n"),
    Edit("reference/losses/__init__.py", r'^    "SQUARE"', '    "UPPER",\n'),
    Edit("oracle_tests/support/loss_points.py", r"^    SQUARE,", "    UPPER,\n"),
    Edit("oracle_tests/support/loss_points.py", r"(?<=ZERO_ONE, MATSUSHITA)(?=[,)])", ", UPPER"),
    Edit("gate/trees/operations/ranges.py", LIST, '"NAME", '),
    Edit("gate/trees/expected/values.py", r"(?<=losses\.MATSUSHITA,\n)", '    "NAME": losses.UPPER,\n'),
    Edit("gate/trees/cases/cases_losses.py", r'(?<="alpha-one"\),\n)^', '    "NAME": (),  # TODO: flags\n'),
    Edit(MODEL, LIST, '"NAME", '),
    *(
        Edit(
            MODEL,
            rf'^ *if loss\.kind == "square":\n *return {start}',
            BRANCH.format("loss.kind", f"return self.NAME_{call}"),
        )
        for start, call in METHODS.items()
    ),
    Edit(MODEL, r"^    def answer_perspective", (STUBS / "model.py.txt").read_text("utf-8")),
    Edit(PEER, r'^ *if loss == "square":', BRANCH.format("loss", NO_FORMULA)),
    Edit("docs/gate_protocol.md", r"^\| `m_alpha` \| α", "| `NAME` | TODO: L(u) | partial loss | link |\n"),
    Edit("examples/gate/first.py", LIST, '"NAME", '),
    Edit("examples/port/losses.js", LIST, "'NAME', "),
    Edit("examples/port/losses.js", r"(?<=return \{ square, )", "NAME, "),
    Edit("examples/port/losses.js", r"^const square = \{", (STUBS / "loss.js.txt").read_text("utf-8")),
)
FUNCTION = '''def NAME(given: float, rng: Rng, calls: int) -> Array:
    """TODO: Return the outputs of `calls` calls for one input; all randomness comes from `rng`."""
    raise NotImplementedError


'''
KNOWN = """        # TODO: where the exact loss comes from.
        "NAME": lambda: Known(NAME, (0.0, 1.0), claim=1.0, exact=1.0),
"""
AUDIT = '        ("NAME", 4000),  # TODO: the calls that refute it\n'
MECHANISM = (
    Edit(PRIVATE, r"^def laplace_with_gaps", FUNCTION),
    Edit(PRIVATE, r'^        "exponential_split":', KNOWN),
)
BROKEN_MECHANISM = (
    Edit(BROKEN, r"^# Floating point -", FUNCTION),
    Edit(BROKEN, r"^        # Some doubles can be reached from one input only", KNOWN),
    Edit(AUDITS, r'^        \("noisy_max_value", 4000\)', AUDIT),
)
CLAIM = """
### NAME · KIND
TODO: the claim in one or two sentences.

    given    TODO: hypotheses, or delete this line
    shows    TODO: the conclusion
    twin     TODO: a wrong conclusion
"""
NEXT = {
    "loss": (
        "Fill in the row of docs/gate_protocol.md, then the reference.",
        "pytest oracle_tests/unit/reference -k NAME",
        "Fill in the other TODOs; write the model and the port from docs/gate_protocol.md alone.",
        "make protocol vectors",
        (
            "pytest oracle_tests/unit/gate oracle_tests/unit/cli/test_gate.py "
            "oracle_tests/unit/reference/test_losses_*.py"
        ),
        "privboost gate reference --level values --level refusal",
        "privboost gate faulty:none --level values --level refusal",
        "privboost gate 'cmd:node examples/port/port.js' --level values --level refusal",
    ),
    "mechanism": (
        "Fill in every TODO.",
        "pytest oracle_tests/unit/auditor/test_mechanisms.py -k NAME",
        "privboost audit bank:NAME",
        "privboost calibrate NAME",
    ),
    "broken mechanism": (
        "Fill in every TODO.",
        "pytest oracle_tests/unit/auditor/test_mechanisms.py -k NAME",
        "privboost audit broken:NAME",
    ),
    "claim": (
        "Fill in every TODO; proofs_check/book/sections.py has the fields.",
        "privboost prove --check proofs_check/claims/SECTION.md",
        "privboost prove NAME",
        "privboost prove --record",
        "pytest oracle_tests/unit/proofs_check -k NAME",
    ),
}


def plan_loss(root: Path, name: str) -> dict[str, str]:
    """Return the contents of the files of a new loss, by path."""
    module = f"reference/losses/{name}.py"
    if (root / module).exists() or f'"{name}"' in (root / LOSS[4].path).read_text("utf-8"):
        raise UsageError(f"name: expected a loss that does not exist, got '{name}'")
    stub = fill_in((STUBS / "loss.py.txt").read_text("utf-8"), name)
    return {module: stub, **apply_edits(root, LOSS, name)}


def plan_mechanism(root: Path, name: str, edits: Sequence[Edit]) -> dict[str, str]:
    """Return the contents of the files of a new mechanism, by path."""
    for path in (PRIVATE, BROKEN):
        if re.search(rf'^        "{name}":|^def {name}\(', (root / path).read_text("utf-8"), re.MULTILINE):
            raise UsageError(f"name: expected a mechanism that does not exist, got '{name}' in {path}")
    return apply_edits(root, edits, name)


def plan_claim(root: Path, key: str, after: str | None = None, *, ours: bool = False) -> dict[str, str]:
    """Return the content of the file of a new entry of the ledger, by path.

    The entry stands after the entry `after`, or after the last one whose key has the same label. It is
    marked as ours if the paper does not make the claim.
    """
    label = key.partition(".")[0]
    place: tuple[str, int] | None = None
    for path, line, other in entries_of(root):
        if other == key:
            raise UsageError(f"key: expected one that the ledger does not have, got '{key}' in {path}")
        if other == after or (after is None and other.partition(".")[0] == label):
            place = path, line
    if place is None:
        wanted = after or f"an entry with the label '{label}'; --after names another place"
        raise UsageError(f"key: expected the ledger to have {wanted}")
    path, line = place
    lines = (root / path).read_text("utf-8").splitlines(keepends=True)
    lines.insert(line, fill_in(CLAIM.replace("KIND", "our step" if ours else "step"), key))
    return {path: "".join(lines)}


def entries_of(root: Path) -> Iterator[tuple[str, int, str]]:
    """Yield the file, the number of lines up to its end, and the key of every entry of the book of claims."""
    for path in sorted((root / CLAIMS).glob("*.md")):
        content = path.read_text("utf-8")
        blocks = read_blocks(path.name, content)
        ends = [block.line - 1 for block in blocks[1:]]
        for block, end in zip(blocks, [*ends, content.count("\n") + 1], strict=True):
            if block.level == ENTRY_LEVEL:
                yield path.relative_to(root).as_posix(), end - 1, read_heading(block.heading).key


def apply_edits(root: Path, edits: Sequence[Edit], name: str) -> dict[str, str]:
    """Return the contents of all edited files, by path."""
    contents: dict[str, str] = {}
    for edit in edits:
        content = contents.get(edit.path) or (root / edit.path).read_text("utf-8")
        contents[edit.path] = edit.apply(content, name)
    return {path: format_source(root, path, content) for path, content in contents.items()}


def format_source(root: Path, path: str, content: str) -> str:
    """Return a Python file with its imports and names in order, as `make lint` expects; others unchanged."""
    if path.endswith(".py"):
        for options in (["check", "--fix-only", "--quiet"], ["format"]):
            command = [sys.executable, "-m", "ruff", *options, "--stdin-filename", path, "-"]
            done = subprocess.run(
                command, cwd=root, input=content, capture_output=True, text=True, check=True
            )
            content = done.stdout
    return content


def marked_lines(root: Path, folders: Sequence[str]) -> Iterator[str]:
    """Yield the lines of the checkout that are left to be written."""
    for path in sorted(path for folder in folders for path in (root / folder).rglob("*")):
        if path.suffix in SUFFIXES and path != Path(__file__):
            for index, line in enumerate(path.read_text("utf-8").splitlines(), 1):
                if MARK in line:
                    yield f"{path.relative_to(root)}:{index}: {line.strip()}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the stubs, and print what is left to do; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.new", description=__doc__)
    parser.add_argument("kind", choices=("loss", "mechanism", "claim"))
    parser.add_argument("name")
    parser.add_argument("--broken", action="store_true", help="a mechanism whose claim is false")
    parser.add_argument("--ours", action="store_true", help="a claim that the paper does not make")
    parser.add_argument("--after", metavar="KEY", help="the entry after which a claim stands")
    options = parser.parse_args(arguments)
    kind = "broken mechanism" if options.broken else options.kind
    try:
        if kind != "claim" and not re.fullmatch(r"[a-z][a-z0-9_]*", options.name):
            raise UsageError(f"name: expected lower-case letters, digits and _, got '{options.name}'")
        if kind == "loss":
            contents = plan_loss(ROOT, options.name)
        elif kind == "claim":
            contents = plan_claim(ROOT, options.name, options.after, ours=options.ours)
        else:
            contents = plan_mechanism(ROOT, options.name, BROKEN_MECHANISM if options.broken else MECHANISM)
    except UsageError as error:
        print(f"new: {error}; nothing was written", file=sys.stderr)
        return 2
    for path, content in contents.items():
        (ROOT / path).write_text(content, "utf-8")
    try:
        for path, content in contents.items():
            print(f"{path}: {content.count(MARK)} to fill in")
        print("\n".join(["Then:", *(f"  {fill_in(step, options.name)}" for step in NEXT[kind])]), flush=True)
    except BrokenPipeError:
        discard(sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
