"""Replay a transcript in exact arithmetic, and stop at its first lie.

Everything is computed again from the sample and the header: alpha, budget, sensitivity and scores of every
node, masses, noisy numbers and values of leaves, coefficients, the weights of the next tree, every expense
and their sum. A run has two inputs besides: the splits that were drawn, which must be candidates, and the
noise, which must be on the grid. Where they differ, and all that follows from them too, it is another run.
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
from privboost.reference.learners.leaves import NoisyLeaf, leaf_scale, noisy_leaf, noisy_numbers
from privboost.reference.learners.loss import next_leaf
from privboost.reference.learners.records import (
    Record,
    alpha_record,
    beta_record,
    expense_record,
    leaf_record,
    node_record,
    text_of_path,
    total_record,
    tree_record,
)
from privboost.reference.learners.spending import spend_tree
from privboost.reference.learners.splitting import Setting, check_sample, node_of
from privboost.reference.privacy.accounting import Ledger
from privboost.reference.trees.risks import Mass, leaf_masses
from privboost.reference.trees.tree import Path, Tree

from .errors import TranscriptError
from .header import header_record, setting_of_header
from .lines import compare, read_line
from .number_text import agrees, read_number, text_of_number
from .shapes import check_names, short, text_of_found


@dataclass(frozen=True, slots=True)
class Replay:
    """What a transcript without a lie says: the public setting, the ensemble with its ledger, its length."""

    setting: Setting
    ensemble: Ensemble
    lines: int


def replay(lines: Iterable[str], sample: Sample, *, setting: Setting | None = None) -> Replay:
    """Return what a transcript says, every number of it computed again from the raw sample.

    Paper: sec-solv.
    Requires: a transcript of this sample; where `setting` is given, of a run with that setting. The header
    is otherwise believed: a parameter that the protocol does not read could be any other.
    Ensures: TranscriptError at the first lie, with its line, its field and both numbers.
    """
    reader = _Reader(lines)
    public = setting_of_header(1, reader.take("header"))
    if setting is not None:
        reader.compare(header_record(setting))
    _check_sample(public, sample)
    data, ledger = initial_weights(sample), Ledger(public.protocol.relation)
    releases: tuple[Release, ...] = ()
    for number in range(public.parameters.trees):
        reader.tree, current = number, setting_of_tree(public, number)
        if number:
            data = next_weights(current, data, releases)
        release, ledger = _replay_tree(reader, current, data, ledger)
        releases = (*releases, release)
    reader.tree = None
    _replay_total(reader, public, ledger)
    reader.finish()
    return Replay(public, Ensemble(releases, ledger), reader.number)


class _Reader:
    """A transcript read line by line; `tree` is the number of the tree that lines must belong to."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(lines)
        self.number = 0
        self.tree: int | None = None
        self.found: dict[str, Any] = {}

    def take(self, kind: str) -> dict[str, Any]:
        """Return the next line, which must be of a kind, and of the current tree."""
        text = self._next()
        if text is None:
            raise TranscriptError(self.number, "kind", f"'{kind}'", "the end of the transcript")
        self.found = read_line(self.number, text)
        self.compare({"kind": kind} if self.tree is None else {"kind": kind, "tree": self.tree})
        return self.found

    def compare(self, expected: Record) -> None:
        """Hold some fields of the current line against what they must be, in their order."""
        for name, value in expected.items():
            # A line of another kind has other fields; its kind is compared first.
            compare(self.number, name, value, self.found[name])

    def check(self, expected: Record) -> None:
        """Take the next line, which must be this one."""
        self.take(str(expected["kind"]))
        self.compare(expected)

    def finish(self) -> None:
        """Refuse a line after the last."""
        count, text = self.number, self._next()
        if text is not None:
            raise TranscriptError(self.number, "kind", "the end of the transcript", short(text))
        self.number = count

    def _next(self) -> str | None:
        """Return the text of the next line, or None at the end."""
        self.number += 1
        try:
            return next(self._lines, None)
        except UnicodeDecodeError as error:
            raise TranscriptError(self.number, "json", "text in UTF-8", str(error)) from None


def _check_sample(setting: Setting, sample: Sample) -> None:
    """Refuse a header that does not fit the sample."""
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
    found = reader.take("alpha")
    noise = _noise_on_grid(setting, found["noise"])
    again = estimate(setting, data, tree, noise)
    record = alpha_record(again, alpha_scale(setting))
    reader.compare({name: record[name] for name in ("level", "minority", "scale")})
    _check_noise(reader, setting, "noise", noise, found["noise"])
    reader.compare(record)
    return with_alpha(setting, again.alpha)


def _replay_split(reader: _Reader, setting: Setting, data: WeightedSample, tree: Tree, leaf: Path) -> Split:
    """Return the split that was drawn, after the numbers that its law follows from.

    Paper: expSPLIT.
    """
    found = reader.take("node")
    reader.compare({"leaf": text_of_path(leaf)})
    candidates, scored = _number_of_splits(setting.domain), len(found["scores"])
    if candidates != scored:
        # Told from the domain alone, before a header that lies about it can ask for endless scores.
        raise TranscriptError(reader.number, "scores", f"{candidates} candidates", f"{scored} candidates")
    node = node_of(setting, data, tree, leaf)
    reader.compare(node_record(leaf, node, found["choice"]))
    by_text = {str(split): split for split in node.scores}
    if found["choice"] not in by_text:
        raise TranscriptError(reader.number, "choice", f"one of {', '.join(by_text)}", found["choice"])
    return by_text[found["choice"]]


def _number_of_splits(domain: Domain) -> int:
    """Return the size of the set of splits of a domain, without making them.

    Paper: expSPLIT.
    """
    sizes = ((attribute.n_values, isinstance(attribute, Quantised)) for attribute in domain.attributes)
    return sum(values - 1 if ordered or values <= 2 else values for values, ordered in sizes)


def _replay_leaf(reader: _Reader, setting: Setting, path: Path, mass: Mass, leaves: int) -> NoisyLeaf:
    """Return one of some leaves, with the noise that was drawn.

    Paper: sec-solv (private predictions), sub-sec-sum-imp.
    """
    found = reader.take("leaf")
    names = noisy_numbers(setting)
    check_names(reader.number, "noise", names, found["noise"])
    noise = {name: _noise_on_grid(setting, found["noise"][name]) for name in names}
    leaf = noisy_leaf(setting, mass, noise, leaves)
    record = leaf_record(path, leaf, leaf_scale(setting, leaves))
    reader.compare({name: record[name] for name in ("leaf", "masses", "scale")})
    for name, value in noise.items():
        _check_noise(reader, setting, f"noise.{name}", value, found["noise"][name])
    reader.compare(record)
    return leaf


def _noise_on_grid(setting: Setting, found: object) -> Fraction:
    """Return the multiple of the grid that is nearest to the noise that was written."""
    grid = setting.parameters.grid
    return grid * floor(read_number(found).value / grid + Fraction(1, 2))


def _check_noise(reader: _Reader, setting: Setting, field: str, noise: Fraction, found: object) -> None:
    """Refuse written noise that is not on the grid."""
    if not agrees(read_number(found), noise):
        grid = setting.parameters.grid
        raise TranscriptError(reader.number, field, f"a multiple of {grid}", text_of_found(found))


def _replay_total(reader: _Reader, setting: Setting, ledger: Ledger) -> None:
    """Compare the sum of all expenses, and the claim, which may not be below it."""
    expected = total_record(setting, ledger)
    found = reader.take("total")
    reader.compare({"epsilon": expected["epsilon"]})
    written, claim = read_number(found["claim"]), setting.parameters.epsilon
    if (claim if agrees(written, claim) else written.value) < ledger.total:
        least = f"at least the total {text_of_number(ledger.total)}"
        raise TranscriptError(reader.number, "claim", least, text_of_found(found["claim"]))
    reader.compare(expected)
