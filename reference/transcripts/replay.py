"""Replay a transcript in exact arithmetic, and stop at the first wrong value.

Everything is recomputed from the sample and the header: alpha, budget, sensitivity and scores of every node,
masses, noisy numbers and values of leaves, coefficients, the weights of the next tree, every expense and
their sum. A run has two more inputs, which are read from the transcript: the chosen splits, which must be
candidates, and the noise, which must be on the grid. A transcript with other splits or noise, and
consistent values for them, is a valid transcript of another run.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privboost.errors import PreconditionError
from privboost.reference.data import Domain, Quantised, Sample, Split, WeightedSample, initial_weights
from privboost.reference.exact import floor
from privboost.reference.learners.boosting import Release, release_of_leaves
from privboost.reference.learners.calibration import alpha_scale, estimate, wants_estimate, with_alpha
from privboost.reference.learners.ensemble import Ensemble, next_weights, setting_of_tree
from privboost.reference.learners.leaves import NoisyLeaf, leaf_spread, noisy_leaf, noisy_numbers
from privboost.reference.learners.records import (
    Record,
    alpha_record,
    beta_record,
    expense_record,
    format_path,
    leaf_record,
    node_record,
    total_record,
    tree_record,
)
from privboost.reference.learners.spending import spend_conversion, spend_tree
from privboost.reference.learners.splitting import Setting, check_sample, node_of
from privboost.reference.privacy.accounting import Ledger
from privboost.reference.trees.risks import Mass, leaf_masses
from privboost.reference.trees.tree import Path, Tree, next_leaf

from .errors import TranscriptError
from .header import header_record, setting_of_header
from .lines import compare, read_line
from .number_format import agrees, format_number, read_number
from .shapes import abridge, check_names


@dataclass(frozen=True, slots=True)
class Replay:
    """The content of a valid transcript: public setting, ensemble with its ledger, and number of lines."""

    setting: Setting
    ensemble: Ensemble
    lines: int


def replay(lines: Iterable[str], sample: Sample, *, setting: Setting | None = None) -> Replay:
    """Return the content of a transcript, after recomputing every number from the raw sample.

    Paper: sec-solv.
    Requires: a transcript of this sample and, if `setting` is given, of a run with that setting. Without
    `setting`, header parameters that the protocol does not use are not checked.
    Ensures: TranscriptError is raised at the first wrong value, with its line, its field and both values.
    """
    reader = _Reader(lines)
    public = setting_of_header(1, reader.take("header"))
    if setting is not None:
        reader.compare(header_record(setting))
    _check_sample(public, sample)
    data, ledger = initial_weights(sample), Ledger(public.protocol.relation)
    releases: tuple[Release, ...] = ()
    for index in range(public.parameters.trees):
        reader.tree, current = index, setting_of_tree(public, index)
        if index:
            data = next_weights(current, data, releases)
        release, ledger = _replay_tree(reader, current, data, ledger)
        releases = (*releases, release)
    spent = spend_conversion(public, ledger)
    for expense in spent.expenses[len(ledger.expenses) :]:
        reader.check(expense_record(expense))
    reader.tree, ledger = None, spent
    _replay_total(reader, public, ledger)
    reader.finish()
    return Replay(public, Ensemble(releases, ledger), reader.line)


class _Reader:
    """A transcript read line by line; `tree` is the index of the tree that lines must belong to."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(lines)
        self.line = 0
        self.tree: int | None = None
        self.record: dict[str, Any] = {}

    def take(self, kind: str) -> dict[str, Any]:
        """Return the next line, which must have the given kind and belong to the current tree."""
        content = self._next()
        if content is None:
            raise TranscriptError(self.line, "kind", f"'{kind}'", "the end of the transcript")
        self.record = read_line(self.line, content)
        self.compare({"kind": kind} if self.tree is None else {"kind": kind, "tree": self.tree})
        return self.record

    def compare(self, expected: Record) -> None:
        """Compare some fields of the current line with their expected values, in order."""
        for name, value in expected.items():
            # A line of another kind has other fields; its kind is compared first.
            compare(self.line, name, value, self.record[name])

    def check(self, expected: Record) -> None:
        """Take the next line, which must equal `expected`."""
        self.take(str(expected["kind"]))
        self.compare(expected)

    def finish(self) -> None:
        """Raise TranscriptError if there is another line."""
        last, content = self.line, self._next()
        if content is not None:
            raise TranscriptError(self.line, "kind", "the end of the transcript", abridge(content))
        self.line = last

    def _next(self) -> str | None:
        """Return the next line, or None at the end."""
        self.line += 1
        try:
            return next(self._lines, None)
        except UnicodeDecodeError as error:
            raise TranscriptError(self.line, "json", "text in UTF-8", str(error)) from None


def _check_sample(setting: Setting, sample: Sample) -> None:
    """Raise TranscriptError if the header does not fit the sample."""
    try:
        check_sample(setting, sample)
    except PreconditionError as error:
        field = "size" if error.label == "defEDPRIV" else "domain"
        raise TranscriptError(1, field, error.expected, str(error.got)) from None


def _replay_tree(
    reader: _Reader, setting: Setting, data: WeightedSample, ledger: Ledger
) -> tuple[Release, Ledger]:
    """Return the release of one tree, and the ledger with its expenses.

    Paper: expSPLIT, fixEPSILON, sec-solv.
    """
    reader.check(tree_record(setting))
    tree = Tree()
    while (leaf := next_leaf(tree, setting.parameters.depth)) is not None:
        if wants_estimate(setting, leaf):
            setting = _replay_alpha(reader, setting, data, tree)
        tree = tree.grow(leaf, _replay_split(reader, setting, data, tree, leaf))
    masses = leaf_masses(tree, data)
    count = len(masses)
    leaves = {leaf: _replay_leaf(reader, setting, leaf, mass, count) for leaf, mass in masses.items()}
    release = release_of_leaves(setting, tree, leaves)
    reader.check(beta_record(release))
    spent = spend_tree(setting, ledger)
    for expense in spent.expenses[len(ledger.expenses) :]:
        reader.check(expense_record(expense))
    return release, spent


def _replay_alpha(reader: _Reader, setting: Setting, data: WeightedSample, tree: Tree) -> Setting:
    """Return the setting with the alpha that was estimated for the next level.

    Paper: fixALPHA.
    """
    record = reader.take("alpha")
    noise = _noise_on_grid(setting, record["noise"])
    estimated = estimate(setting, data, tree, noise)
    expected = alpha_record(estimated, alpha_scale(setting))
    reader.compare({name: expected[name] for name in ("level", "minority", "scale")})
    _check_noise(reader, setting, "noise", noise, record["noise"])
    reader.compare(expected)
    return with_alpha(setting, estimated.alpha)


def _replay_split(reader: _Reader, setting: Setting, data: WeightedSample, tree: Tree, leaf: Path) -> Split:
    """Return the chosen split, after comparing the numbers that determine its law.

    Paper: expSPLIT.
    """
    record = reader.take("node")
    reader.compare({"leaf": format_path(leaf)})
    candidates, scored = _count_splits(setting.domain), len(record["scores"])
    if candidates != scored:
        # Checked before any score is computed: a wrong header may describe a domain with too many splits.
        raise TranscriptError(reader.line, "scores", f"{candidates} candidates", f"{scored} candidates")
    node = node_of(setting, data, tree, leaf)
    reader.compare(node_record(leaf, node, record["choice"]))
    candidate_splits = {str(split): split for split in node.scores}
    if record["choice"] not in candidate_splits:
        raise TranscriptError(
            reader.line, "choice", f"one of {', '.join(candidate_splits)}", record["choice"]
        )
    return candidate_splits[record["choice"]]


def _count_splits(domain: Domain) -> int:
    """Return the number of splits of a domain, without creating them.

    Paper: expSPLIT.
    """
    sizes = ((attribute.n_values, isinstance(attribute, Quantised)) for attribute in domain.attributes)
    return sum(values - 1 if ordered or values <= 2 else values for values, ordered in sizes)


def _replay_leaf(reader: _Reader, setting: Setting, path: Path, mass: Mass, leaves: int) -> NoisyLeaf:
    """Return a leaf with the noise of the transcript; `leaves` is the number of leaves of the tree.

    Paper: sec-solv (private predictions), sub-sec-sum-imp.
    """
    record = reader.take("leaf")
    names = noisy_numbers(setting)
    check_names(reader.line, "noise", names, record["noise"])
    noise = {name: _noise_on_grid(setting, record["noise"][name]) for name in names}
    leaf = noisy_leaf(setting, mass, noise, leaves)
    expected = leaf_record(path, leaf, leaf_spread(setting, leaves))
    reader.compare({name: expected[name] for name in ("leaf", "masses", "scale")})
    for name, value in noise.items():
        _check_noise(reader, setting, f"noise.{name}", value, record["noise"][name])
    reader.compare(expected)
    return leaf


def _noise_on_grid(setting: Setting, written: object) -> Fraction:
    """Return the multiple of the grid nearest to the written noise."""
    grid = setting.parameters.grid
    return grid * floor(read_number(written).value / grid + Fraction(1, 2))


def _check_noise(reader: _Reader, setting: Setting, field: str, noise: Fraction, written: object) -> None:
    """Raise TranscriptError if the written noise is not on the grid."""
    if not agrees(read_number(written), noise):
        grid = setting.parameters.grid
        raise TranscriptError(reader.line, field, f"a multiple of {grid}", str(written))


def _replay_total(reader: _Reader, setting: Setting, ledger: Ledger) -> None:
    """Compare the sum of all expenses and the claim, which must be at least the sum."""
    expected = total_record(setting, ledger)
    record = reader.take("total")
    reader.compare({"epsilon": expected["epsilon"]})
    written, claim = read_number(record["claim"]), setting.parameters.epsilon
    if (claim if agrees(written, claim) else written.value) < ledger.total:
        least = f"at least the total {format_number(ledger.total)}"
        raise TranscriptError(reader.line, "claim", least, str(record["claim"]))
    reader.compare(expected)
