"""`make extracted`: extract programs from Coq to OCaml, and compare them with Python on tapes of bits.

Both sides read the same bits, and must draw the same numbers from the same number of bits.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any

from privboost.auditor.pairs.exact_settings import exact_setting
from privboost.fast.bits import SPARE, discrete_laplace, enclose_chances, plan_of, uniform_below
from privboost.fast.growth import Candidates, Sampled, Setting, Tree, fit_trees
from privboost.fast.growth.extracted import fit_arguments, fit_extracted
from privboost.fast.protocol import GRID, SOUND_NET, Parameters, Relation
from privboost.progress import Watch
from privboost.proofs_check.coq_links.record import digest
from privboost.reference.learners.ensemble import sample_private_ensemble
from privboost.reference.privacy.bits import TapeBits
from privboost.reference.privacy.samplers import (
    sample_discrete_laplace,
    sample_permute_and_flip,
    sample_uniform_below,
)

from .coq_development import BUILD, SOURCES, CoqError, compile_sources, find_source, run
from .fast_inputs import Data, domain_of, random_data

EXTRACTION = SOURCES / "extraction"
PROGRAMS = EXTRACTION / "programs.ml"
TARGET = BUILD.parent / "extracted" / "privboost_extracted"
MODULES = ("numbers", "programs", "bits", "json", "main")
HEADER = "(* Written by `make extracted` from Coq sources with the digest {}. *)\n"
CHUNK = 500
DEFINING = (
    "Programs",
    "Grid",
    "Coins",
    "Geometric",
    "LaplaceSamplers",
    "UniformSamplers",
    "ReferenceUniform",
    "Enclosures",
    "Together",
    "FastSamplers",
    "ReferenceSamplers",
    "IntervalChoice",
    "SplitSamplers",
    "Executable",
)
"""The files whose definitions are extracted; others are about their proofs."""


def defining_digest() -> str:
    """Return the digest of the Coq files whose definitions are extracted."""
    paths = [EXTRACTION / "Extract.v", *map(find_source, DEFINING)]
    return digest(*(path.read_text("utf-8") for path in paths))


def extract(build: Path) -> str:
    """Return the OCaml programs that Coq extracts from a compiled development."""
    folder = build / "extraction"
    folder.mkdir(exist_ok=True)
    shutil.copy(EXTRACTION / "Extract.v", folder)
    run(["coqc", "-w", "-ambiguous-paths", "-R", "..", "Privboost", "Extract.v"], folder)
    return HEADER.format(defining_digest()) + (folder / "programs.ml").read_text("utf-8")


def build_program(target: Path, changes: Mapping[str, tuple[str, str]] | None = None) -> None:
    """Compile the OCaml program.

    `changes` replaces one string in some of its modules: tests see that the comparison notices it.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    for name in MODULES:
        source = (EXTRACTION / f"{name}.ml").read_text("utf-8")
        if changes and name in changes:
            old, new = changes[name]
            if source.count(old) != 1:
                raise CoqError(f"{name}.ml: expected {old!r} once, got {source.count(old)} times")
            source = source.replace(old, new)
        (target.parent / f"{name}.ml").write_text(source, "utf-8")
    files = [f"{name}.ml" for name in MODULES]
    run(["ocamlfind", "ocamlopt", "-package", "zarith", "-linkpkg", *files, "-o", target.name], target.parent)


class Tape(random.Random):
    """A source of bits that reads a tape; the highest bit of a byte is the first."""

    def __init__(self, tape: bytes) -> None:
        self._number, self._length, self.used = int.from_bytes(tape, "big"), 8 * len(tape), 0

    def getrandbits(self, count: int) -> int:
        """Return the next bits of the tape as a number."""
        self.used += count
        if self.used > self._length:
            raise EOFError("a sampler asked for more bits than its tape has")
        return self._number >> (self._length - self.used) & ((1 << count) - 1)


def single_bits(tape: bytes) -> TapeBits:
    """Return a tape for the reference, which reads single bits."""
    return TapeBits(byte >> shift & 1 for byte in tape for shift in range(7, -1, -1))


@dataclass(frozen=True, slots=True)
class Case:
    """A request to the extracted program, and what Python drew from the same tape."""

    op: str
    args: Mapping[str, Any]
    expected: Mapping[str, Any]


TAPES: Mapping[str, Callable[[bytes], Any]] = {"fast": Tape, "reference": single_bits}


def below_case(sampler: str, count: int, tape: bytes) -> Case:
    """Return a case of a number below another one."""
    bits = TAPES[sampler](tape)
    drawn = (uniform_below if sampler == "fast" else sample_uniform_below)(count, bits)
    args = {"sampler": sampler, "count": str(count), "tape": tape.hex()}
    return Case("draw_below", args, {"drawn": str(drawn), "bits": bits.used})


def laplace_case(sampler: str, scale: Fraction, tape: bytes) -> Case:
    """Return a case of discrete Laplace noise, with a scale in steps."""
    bits = TAPES[sampler](tape)
    drawn = discrete_laplace(scale, bits) if sampler == "fast" else sample_discrete_laplace(scale, 1, bits)
    args = {"sampler": sampler, "scale": str(scale), "tape": tape.hex()}
    return Case("draw_laplace", args, {"drawn": str(drawn), "bits": bits.used})


def split_case(source: random.Random) -> Case:
    """Return a case of permute-and-flip by the reference."""
    scores = [
        Fraction(source.randrange(-40, 41), source.randrange(1, 9)) for _ in range(source.randrange(1, 9))
    ]
    epsilon, sensitivity = Fraction(source.randrange(1, 9), 3), Fraction(source.randrange(1, 9), 2)
    tape = source.randbytes(400)
    bits = single_bits(tape)
    drawn = sample_permute_and_flip(scores, epsilon, sensitivity, bits)
    args = {
        "sampler": "reference",
        "scores": {f"x{index} >= 1": str(score) for index, score in enumerate(scores)},
        "epsilon": str(epsilon),
        "sensitivity": str(sensitivity),
        "law": "permute_and_flip",
        "tape": tape.hex(),
    }
    return Case("draw_split", args, {"drawn": str(drawn), "bits": bits.used})


def rare_tape(scale: Fraction, source: random.Random) -> bytes:
    """Return a tape on which `fast` goes on drawing, as on random tapes with probability 2^-64 only.

    Either some numbers are within the bounds on their chances, so that more of their bits are needed; or
    the first draw says that there are more digits.
    """
    plan = plan_of(scale.numerator, scale.denominator, SPARE)
    chances = enclose_chances(scale.numerator, scale.denominator, plan.n_digits, plan.width)
    fields = [source.getrandbits(plan.width) for _ in chances]
    if source.random() < 0.5:
        fields[-1] = 0
    for index in source.sample(range(len(chances)), source.randrange(3)):
        low, high = chances[index]
        fields[index] = source.randrange(low, high + 1)
    number = sum(field << (plan.width + 8) * k for k, field in enumerate(fields))
    head = number.to_bytes(plan.n_bits // 8, "big")
    return head + source.randbytes(3 * len(head) + 2000)


def random_setting(source: random.Random) -> tuple[Setting, Data]:
    """Return a random setting of the default protocol, and rows."""
    domain = domain_of(*(source.randrange(2, 5) for _ in range(source.randrange(1, 4))), categories=(3,))
    parameters = Parameters(
        trees=source.randrange(1, 4),
        depth=source.randrange(1, 3),
        epsilon=Fraction(source.randrange(1, 400), source.randrange(1, 60)),
        boost_alpha=Fraction(source.randrange(1, 8), 7),
    )
    relation = source.choice(list(Relation))
    protocol = SOUND_NET.changed(relation=relation) if relation is not SOUND_NET.relation else SOUND_NET
    size = source.randrange(1, 25)
    return Setting(protocol, parameters, domain, size), random_data(domain, size, source.randrange(10**6))


def fit_case(sampler: str, source: random.Random) -> Case:
    """Return a case of a fit by the default protocol."""
    setting, data = random_setting(source)
    p = setting.parameters
    tape = source.randbytes(p.trees * (400 << p.depth))
    records: list[Mapping[str, Any]] = []
    bits = TAPES[sampler](tape)
    if sampler == "fast":
        fit_trees(setting, data.rows, Sampled(Tape(tape)), records.append)
        # A fit without a record chooses the splits of all levels at once; its draws must be the same.
        fitted = fit_trees(setting, data.rows, Sampled(bits))
        values = [list(map(int, tree.values)) for tree, _ in fitted]
    else:
        sample_private_ensemble(exact_setting(setting), data.sample, bits, record=records.append)
        leaves = [record for record in records if record["kind"] == "leaf"]
        values = [
            [int(GRID * leaf["value"]) for leaf in leaves if leaf["tree"] == index]
            for index in range(p.trees)
        ]
    args = fit_arguments(setting, data.rows) | {"sampler": sampler, "tape": tape.hex()}
    return Case("fit", args, {"trees": list(_list_trees(setting, records, values)), "bits": bits.used})


def _list_trees(
    setting: Setting, records: Sequence[Mapping[str, Any]], values: Sequence[Sequence[int]]
) -> Iterator[dict[str, Any]]:
    """Yield the splits, noisy nets and values of every tree, as the extracted program writes them."""
    candidates = Candidates.of(setting.domain)
    names = [candidates.name_of(index) for index in range(len(candidates))]
    for index, of_leaves in enumerate(values):
        mine = [record for record in records if record.get("tree") == index]
        nodes = [record for record in mine if record["kind"] == "node"]
        leaves = [record for record in mine if record["kind"] == "leaf"]
        yield {
            "splits": [
                [str(names.index(node["choice"])) for node in nodes if len(node["leaf"]) == level]
                for level in range(setting.parameters.depth)
            ],
            "nets": [str(int(GRID * leaf["noisy"]["net"])) for leaf in leaves],
            "values": list(map(str, of_leaves)),
        }


@dataclass(frozen=True, slots=True)
class RealisticFit:
    """A fit of realistic size by both backends, from the same bits."""

    trees: int
    depth: int
    rows: int
    weights: int
    is_equal: bool

    @property
    def is_conforming(self) -> bool:
        """Return whether the models are equal, and the weights of the last tree left their plateau."""
        return self.is_equal and self.weights > 1


def realistic_fit(source: random.Random) -> RealisticFit:
    """Fit a random table of hundreds or thousands of rows with dozens of trees, at alpha = 1."""
    trees, depth, size = source.randrange(12, 41), source.randrange(2, 6), source.randrange(500, 3001)
    domain = domain_of(*(source.randrange(2, 30) for _ in range(source.randrange(2, 8))), categories=(3,))
    parameters = Parameters(trees, depth, Fraction(source.randrange(1, 400), 100))
    relation = source.choice(list(Relation))
    protocol = SOUND_NET.changed(relation=relation) if relation is not SOUND_NET.relation else SOUND_NET
    setting = Setting(protocol, parameters, domain, size)
    rows, tape = (
        random_data(domain, size, source.randrange(10**6)).rows,
        source.randbytes(trees * (1000 << depth)),
    )
    extracted = fit_extracted(setting, rows, tape)
    fitted = fit_trees(setting, rows, Sampled(Tape(tape)))
    weights = len(set(rows.ask(lambda part: (part, part.weights)).tolist()))
    same = all(map(_is_same_tree, extracted, fitted)) and len(extracted) == len(fitted)
    return RealisticFit(trees, depth, size, weights, same)


def _is_same_tree(one: tuple[Tree, float], other: tuple[Tree, float]) -> bool:
    (left, factor), (right, other_factor) = one, other
    pairs: Iterable[tuple[Any, Any]] = zip(
        (left.feature, left.value, left.equal, left.values),
        (right.feature, right.value, right.equal, right.values),
        strict=True,
    )
    return (
        factor == other_factor
        and left.depth == right.depth
        and all(a.tolist() == b.tolist() for a, b in pairs)
    )


def compare_fits(count: int, seed: int) -> list[RealisticFit]:
    """Return realistic fits by both backends."""
    watch = Watch(lambda elapsed, done: f"{done:,} of {count:,} fits compared, {elapsed:.0f} s")
    source, fits = random.Random(seed), []
    for done in range(1, count + 1):
        fits.append(realistic_fit(source))
        watch(done)
    return fits


def summarise_fits(fits: Sequence[RealisticFit]) -> str:
    """Return one line about realistic fits."""
    trees, rows, weights = (
        f"{min(values):,} to {max(values):,}"
        for values in ([f.trees for f in fits], [f.rows for f in fits], [f.weights for f in fits])
    )
    same = sum(fit.is_conforming for fit in fits)
    return (
        f"{len(fits):,} fits at alpha = 1 of {trees} trees and {rows} rows, whose last tree has {weights} "
        f"different weights: {same:,} equal bit for bit"
    )


def random_count(source: random.Random, digits: int) -> int:
    """Return a positive integer of fewer than `digits` digits, all lengths being equally likely."""
    return source.randrange(1, 10 ** source.randrange(1, digits))


def random_scale(source: random.Random) -> Fraction:
    """Return a scale between 10^-6 and 10^6."""
    return Fraction(random_count(source, 7), random_count(source, 7))


def cases(source: random.Random) -> Iterator[Case]:
    """Yield cases without end: of 13, six are noise of fast (one rare) and three are fits."""
    turns: list[Callable[[], Case]] = [
        *(lambda: laplace_case("fast", random_scale(source), source.randbytes(2000)) for _ in range(5)),
        lambda: _rare_case(source),
        lambda: below_case("fast", random_count(source, 30), source.randbytes(400)),
        lambda: below_case("reference", random_count(source, 30), source.randbytes(400)),
        lambda: laplace_case("reference", random_scale(source), source.randbytes(2000)),
        *(lambda: fit_case("fast", source) for _ in range(2)),
        lambda: split_case(source),
        lambda: fit_case("reference", source),
    ]
    while True:
        for turn in turns:
            yield turn()


def _rare_case(source: random.Random) -> Case:
    scale = random_scale(source)
    return laplace_case("fast", scale, rare_tape(scale, source))


def answers(target: Path, asked: Sequence[Case]) -> list[dict[str, Any]]:
    """Return the answers of a program to some cases."""
    lines = [json.dumps({"id": index, "op": case.op, "args": case.args}) for index, case in enumerate(asked)]
    done = subprocess.run([target], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def differences(target: Path, asked: Iterable[Case]) -> Iterator[str]:
    """Yield, for every case, how the program differs from Python; an empty string if it does not."""
    remaining = iter(asked)
    while chunk := list(islice(remaining, CHUNK)):
        for case, answer in zip(chunk, answers(target, chunk), strict=True):
            same = answer.get("result") == case.expected
            yield "" if same else f"{case.op} {case.args}: expected {case.expected}, got {answer}"


def compare(target: Path, count: int, seed: int) -> tuple[Counter[str], list[str]]:
    """Return how many tapes of each kind were compared, and the differences."""
    watch = Watch(lambda elapsed, done: f"{done:,} of {count:,} tapes compared, {elapsed:.0f} s")
    counts: Counter[str] = Counter()
    different: list[str] = []

    def count_cases() -> Iterator[Case]:
        for case in islice(cases(random.Random(seed)), count):
            counts[f"{case.op} of {case.args['sampler']}"] += 1
            yield case

    for done, difference in enumerate(differences(target, count_cases()), 1):
        watch(done)
        if difference:
            different.append(difference)
    return counts, different


def main(arguments: Sequence[str] | None = None) -> int:
    """Extract, build, compare; return 0 if nothing differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tapes", type=int, default=30_000, help="tapes to compare (default 30,000)")
    parser.add_argument("--fits", type=int, default=20, help="realistic fits to compare (default 20)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the tapes (default 0)")
    options = parser.parse_args(arguments)
    try:
        compile_sources(SOURCES, BUILD)
        PROGRAMS.write_text(extract(BUILD), "utf-8")
        build_program(TARGET)
    except CoqError as error:
        print(error, file=sys.stderr)
        return 1
    fits = compare_fits(options.fits, options.seed)
    if fits:
        print(summarise_fits(fits))
    counts, different = compare(TARGET, options.tapes, options.seed)
    for kind, number in sorted(counts.items()):
        print(f"{number:>7,}  {kind}")
    for line in different[:5]:
        print(re.sub(r"'tape': '\w+'", "'tape': …", line))
    total, n_different = counts.total(), len(different)
    same = f"{total - n_different:,} with the same draws and bits"
    print(f"{total:,} tapes compared: {same}, {n_different:,} different")
    return bool(different) or not all(fit.is_conforming for fit in fits)


if __name__ == "__main__":
    sys.exit(main())
