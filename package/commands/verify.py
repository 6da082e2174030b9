"""Check epsilon-DP of a protocol on every pair of neighbouring samples of a tiny domain, exactly."""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace
from fractions import Fraction

from privboost.arguments import number_between, unit_number, whole_number
from privboost.errors import PreconditionError, UsageError
from privboost.reference.data import Relation, binary_domain, text_of
from privboost.reference.exact import Number
from privboost.reference.learners.protocol import AS_PRINTED, SOUND, AlphaRule, Parameters, SplitLaw
from privboost.reference.learners.verify import Progress, Verification, verify_bounded, verify_second_tree
from privboost.tables import Table

from .leaks import loss_text

COLUMNS = ("quantity", "value")
PROTOCOLS = {"sound": SOUND, "as_printed": AS_PRINTED}
EXTENTS = {
    1: "every pair of samples, every tree and every output was judged exactly",
    2: "every pair, every first tree and every second tree was judged exactly, for a grid of the first one's "
    "noisy masses; that the losses of the two trees add is the composition theorem, not checked here",
}
SECONDS_BETWEEN_LINES = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--protocol", choices=list(PROTOCOLS), default="sound", help="default sound")
    relations = [relation.value for relation in Relation]
    parser.add_argument("--relation", choices=relations, default="exchange", help="default exchange")
    laws = [law.value for law in SplitLaw]
    parser.add_argument("--split-law", choices=laws, default="exponential", help="default exponential")
    rules = [rule.value for rule in AlphaRule]
    parser.add_argument("--alpha-rule", choices=rules, help="where alpha comes from (default the protocol's)")
    for option, greatest, default, text in (
        ("--attributes", 3, 2, "binary attributes of the domain"),
        ("--size", 6, 3, "examples of the larger sample"),
        ("--depth", 3, 2, "depth of the tree"),
        ("--tree", 2, 1, "1: the first tree; 2: a second one, given every first and a grid of its masses"),
    ):
        parser.add_argument(
            option,
            type=whole_number(1, greatest),
            default=default,
            metavar="N",
            help=f"{text} (default {default})",
        )
    parser.add_argument(
        "--epsilon", type=number_between(0, 1000), default=Fraction(1), metavar="NUMBER", help="default 1"
    )
    parser.add_argument(
        "--alpha",
        type=unit_number,
        action="append",
        metavar="NUMBER",
        help="public alpha of a level (default 1, 1/2)",
    )


def run(options: argparse.Namespace) -> Table:
    """Return what was checked and the greatest loss; a loss above the claim does not conform."""
    if options.epsilon <= 0:
        raise UsageError(f"--epsilon: expected a number above 0, found {options.epsilon}")
    protocol = replace(
        PROTOCOLS[options.protocol],
        relation=Relation(options.relation),
        split_law=SplitLaw(options.split_law),
    )
    if options.alpha_rule:
        try:
            protocol = replace(protocol, alpha=AlphaRule(options.alpha_rule))
        except PreconditionError as error:
            raise UsageError(f"--alpha-rule: {error}") from None
    parameters = Parameters(
        trees=options.tree,
        depth=options.depth,
        epsilon=options.epsilon,
        bound=Fraction(1),
        alphas=tuple(options.alpha or (Fraction(1), Fraction(1, 2))),
    )
    if options.tree == 2 and options.protocol != "sound":
        raise UsageError("--tree 2: expected --protocol sound, whose weights follow from noisy masses")
    check = verify_bounded if options.tree == 1 else verify_second_tree
    found = check(protocol, parameters, binary_domain(options.attributes), options.size, _progress())
    share = 0 if protocol.split_law is SplitLaw.UNIFORM else parameters.beta_tree
    return _table(found, found.claim * share, EXTENTS[options.tree])


def _progress() -> Progress:
    """Return a reporter of the orbits done, on standard error, every few seconds."""
    started = last = time.monotonic()

    def report(done: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= SECONDS_BETWEEN_LINES:
            last = now
            print(f"privboost: {done} orbits of pairs in {now - started:.0f} s", file=sys.stderr)

    return report


def _table(found: Verification, split_budget: Number, extent: str) -> Table:
    """Return the findings as a table."""
    greatest = found.greatest
    rows = (
        ("claim", str(found.claim)),
        ("greatest loss", loss_text(greatest.total)),
        ("slack to the claim", loss_text(found.claim - greatest.total)),
        ("of it, splits", loss_text(greatest.splits)),
        ("budget of the splits", str(split_budget)),
        ("of it, released alphas", loss_text(greatest.alphas)),
        ("of it, leaves and coefficient", loss_text(greatest.leaves)),
        ("attained by", f"{text_of(found.first)} against {text_of(found.second)}"),
        ("at the tree", str(greatest.tree)),
        ("pairs of neighbours", str(found.pairs)),
        ("orbits of the symmetries", str(found.orbits)),
        ("weightings judged", str(found.releases)),
    )
    verdict = "holds" if found.holds else "does not hold"
    summary = f"the claim {verdict}: {extent}"
    return Table("verify", COLUMNS, rows, conforming=found.holds, summary=summary)
