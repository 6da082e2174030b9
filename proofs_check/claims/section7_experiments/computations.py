"""Exact computations for the claims on experiments: printed numbers, counts, orderings, small witnesses.

Each function returns a remark or raises `Rejected`. The numbers are those printed in the paper, passed as
arguments, so that an entry's fingerprint covers them.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from fractions import Fraction
from importlib import resources
from itertools import pairwise
from math import prod
from typing import Any, NamedTuple

from privboost.proofs_check.kernel.certificates import Rejected
from privboost.reference.data import Domain, Quantised, binary_domain, initial_weights, sample_of, splits
from privboost.reference.exact import Infinity
from privboost.reference.losses import MATSUSHITA, link, m_alpha, select
from privboost.reference.trees.induction import induce
from privboost.reference.trees.tree import Tree, next_leaf

PRINTED = ("transcription",)
"""The assumption of computations on printed numbers: they were copied correctly."""
INDEXED = ("index of the paper",)
"""The assumption of computations on lines and labels: the committed indexes are correct."""


class DomainRow(NamedTuple):
    """A row of the table of domains: its name, its name in labels, m examples and n features."""

    name: str
    slug: str
    m: int
    n: int


DOMAINS = (
    DomainRow("Transfusion", "transfusion", 748, 4),
    DomainRow("Banknote", "banknote", 1372, 4),
    DomainRow("Breast wisc", "breastwisc", 699, 9),
    DomainRow("Ionosphere", "ionosphere", 351, 33),
    DomainRow("Sonar", "sonar", 208, 60),
    DomainRow("Yeast", "yeast", 1484, 7),
    DomainRow("Wine-red", "winered", 1599, 11),
    DomainRow("Cardiotocography", "cardiotocography", 2126, 9),
    DomainRow("CreditCardSmall", "creditcardsmall", 1000, 23),
    DomainRow("Abalone", "abalone", 4177, 8),
    DomainRow("Qsar", "qsar", 1055, 41),
    DomainRow("Wine-white", "winewhite", 4898, 11),
    DomainRow("Page", "page", 5473, 10),
    DomainRow("Mice", "mice", 1080, 77),
    DomainRow("Hill+noise", "hillnoise", 1212, 100),
    DomainRow("Hill+nonoise", "hillnonoise", 1212, 100),
    DomainRow("Firmteacher", "firmteacher", 10800, 16),
    DomainRow("Magic", "magic", 19020, 10),
    DomainRow("EEG", "eeg", 14980, 14),
)
"""The table of domains, in the printed order."""

SORTED_DOMAINS = (*DOMAINS[:3], DOMAINS[5], *DOMAINS[3:5], *DOMAINS[6:])
"""The same with yeast moved between breast wisc and ionosphere."""

EPSILONS = tuple(map(Fraction, ("0.01", "0.1", "1.0", "10.0", "25.0")))
OC, TENTH, ONE = "O.C", Fraction(1, 10), Fraction(1)
"""The three strategies for alpha: objective calibration, and two constants."""

Wins = tuple[tuple[Fraction, tuple[int, int, int]], ...]

WINS: Wins = (
    (Fraction("0.01"), (14, 3, 5)),
    (Fraction("0.1"), (13, 2, 6)),
    (Fraction("1"), (9, 3, 9)),
    (Fraction("10"), (5, 4, 11)),
    (Fraction("25"), (8, 6, 6)),
)
"""For every epsilon, the number of domains on which (O.C, 0.1, 1.0) is best; ties count for all winners."""

GRID = {"T": (2, 5, 10, 20), "alpha": (OC, TENTH, ONE), "d": (1, 2, 3, 4, 5, 6), "n_v": (10, 50)}
"""The parameters that all runs of boosted trees vary."""

PRIVATE_GRID = {
    "epsilon": EPSILONS,
    "beta_tree": (Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)),
    "M": (1, 10, 100),
}
"""The parameters that only private runs vary."""


def check_count(items: Sequence[object], count: int) -> str:
    """Accept if there are `count` items, all different."""
    if len(items) != count or len(set(items)) != count:
        raise Rejected(f"there are {len(set(items))} items, not {count}")
    return f"{count} items"


def check_same(*families: Sequence[Hashable]) -> str:
    """Accept if all lists hold the same items, in any order."""
    if any(set(family) != set(families[0]) for family in families):
        raise Rejected("the lists differ")
    return f"{len(families)} equal lists of {len(set(families[0]))}"


def check_differ(first: Sequence[Hashable], second: Sequence[Hashable]) -> str:
    """Accept if one list holds an item that is not in the other."""
    odd = set(first) ^ set(second)
    if not odd:
        raise Rejected("the lists are the same")
    return f"in one list alone: {', '.join(sorted(str(item) for item in odd))}"


def check_inside(part: Sequence[Hashable], whole: Sequence[Hashable]) -> str:
    """Accept if all items of one list are in the other."""
    if not set(part) <= set(whole):
        raise Rejected(f"{set(part) - set(whole)} is not in the list")
    return f"{len(set(part))} of {len(set(whole))}"


def check_repeated(names: Sequence[str]) -> str:
    """Accept if a name occurs twice."""
    if len(set(names)) == len(names):
        raise Rejected("the names are different")
    return f"the names are {', '.join(names)}"


def check_span(domains: Sequence[DomainRow], below: int, above: int) -> str:
    """Accept if the least m n is less than `below` and the greatest is more than `above`."""
    sizes = {row.m * row.n: row.name for row in domains}
    if not (min(sizes) < below and max(sizes) > above):
        raise Rejected(f"m n runs from {min(sizes)} to {max(sizes)}")
    return f"{sizes[min(sizes)]} {min(sizes)} to {sizes[max(sizes)]} {max(sizes)}"


def check_increasing(domains: Sequence[DomainRow]) -> str:
    """Accept if m n never decreases from one row to the next."""
    for row, following in pairwise(domains):
        if row.m * row.n > following.m * following.n:
            raise Rejected(f"{row.name} has {row.m * row.n}, {following.name} {following.m * following.n}")
    return ", ".join(f"{row.slug} {row.m * row.n}" for row in domains)


def check_not_increasing(domains: Sequence[DomainRow]) -> str:
    """Accept if some row has a smaller m n than the row above it."""
    try:
        check_increasing(domains)
    except Rejected as inversion:
        return str(inversion)
    raise Rejected("the rows are in order")


def check_cells(domains: Sequence[DomainRow], cells: Sequence[tuple[str, str, int]]) -> str:
    """Accept if cells of the table hold given numbers."""
    rows = {row.name: row for row in domains}
    wrong = [cell for cell in cells if getattr(rows[cell[0]], cell[1]) != cell[2]]
    if wrong:
        raise Rejected(f"the table does not have {wrong}")
    return f"{len(cells)} cells"


def count_models(
    grid: dict[str, Sequence[Any]],
    private: dict[str, Sequence[Any]],
    shared: Sequence[str],
    folds: int,
    domains: int,
) -> int:
    """Return the number of models: all combinations, without and with noise, for every fold and domain.

    `shared` names the parameters of private runs that runs without noise vary too.
    """
    public = prod(map(len, grid.values()))
    noisy = prod(map(len, private.values()))
    quiet = prod(len(private[name]) for name in shared)
    return public * (quiet + noisy) * folds * domains


def check_models(counted: tuple[Any, ...], above: int, at_most: int) -> str:
    """Accept if the number of models is more than `above` and at most `at_most`."""
    models = count_models(*counted)
    if not above < models <= at_most:
        raise Rejected(f"{models} models")
    return f"{models} models"


def check_ties(wins: Wins, domains: int) -> str:
    """Accept if every column is possible for 19 domains with at least one winner each and some ties.

    A column is possible if and only if no count exceeds 19 and the counts sum to more than 19: place one arc
    per strategy on a circle of 19 positions, one after the other; the arcs cover all positions, some twice.
    """
    for epsilon, counts in wins:
        if max(counts) > domains or sum(counts) <= domains:
            raise Rejected(f"at epsilon = {epsilon} the counts {counts} do not fit {domains} domains")
        ends = [sum(counts[:i]) for i in range(4)]
        covered = [{(start + k) % domains for k in range(counts[i])} for i, start in enumerate(ends[:3])]
        if set().union(*covered) != set(range(domains)):
            raise Rejected(f"the counts {counts} leave a domain without a winner")
    return "sums " + ", ".join(str(sum(counts)) for _, counts in wins)


def check_orders(wins: Wins, orders: Sequence[tuple[Fraction, str]]) -> str:
    """Accept if the counts of (O.C, 0.1, 1.0) have the given order, such as `O > 1 = t`, at all epsilons."""
    table = dict(wins)
    for epsilon, order in orders:
        counts = dict(zip("Ot1", table[epsilon], strict=True))
        symbols = order.split()
        for left, sign, right in zip(symbols[::2], symbols[1::2], symbols[2::2], strict=False):
            holds = counts[left] > counts[right] if sign == ">" else counts[left] == counts[right]
            if not holds:
                raise Rejected(f"at epsilon = {epsilon} the counts are {table[epsilon]}, not {order}")
    return "; ".join(f"{epsilon}: {table[epsilon]}" for epsilon, _ in orders)


def check_totals(wins: Wins, totals: tuple[int, int, int]) -> str:
    """Accept if the columns have the given sums and objective calibration has the greatest one."""
    sums = tuple(sum(counts[i] for _, counts in wins) for i in range(3))
    if sums != totals or not sums[0] > max(sums[1:]):
        raise Rejected(f"the sums are {sums}")
    return f"sums over epsilon: O.C {sums[0]}, 0.1 {sums[1]}, 1.0 {sums[2]}"


def read_index(name: str) -> Any:
    """Return one of the committed indexes of the paper."""
    return json.loads(resources.files("privboost.proofs_check").joinpath(name).read_text("utf-8"))


def line_of(label: str) -> int:
    """Return the line of a label."""
    return int(read_index("paper_labels.json")[label]["line"])


def check_reference(fault: str, label: str, line: int) -> str:
    """Accept if the index of wrong references has a label with a line under the given fault."""
    for name, *lines in read_index("paper_references.json")[fault]:
        if name == label and line in lines:
            return f"{label}, line {line}: {fault}"
    raise Rejected(f"no such reference to {label} at line {line}")


def check_ordered(labels: Sequence[str]) -> str:
    """Accept if labels come in this order in the paper."""
    for first, second in pairwise(labels):
        if line_of(first) >= line_of(second):
            raise Rejected(f"{second} (line {line_of(second)}) comes before {first} (line {line_of(first)})")
    return f"{len(labels)} labels in order"


def check_not_ordered(labels: Sequence[str]) -> str:
    """Accept if some label comes before its predecessor in the list."""
    try:
        check_ordered(labels)
    except Rejected as complaint:
        return str(complaint)
    raise Rejected("the labels are in order")


def unproved_statements(last_line: int) -> tuple[list[str], int]:
    """Return the statements before a line that have no section of proof, and the number of all statements."""
    index = read_index("paper_labels.json")
    kinds = {"theorem", "lemma", "corollary"}
    main = [
        label for label, entry in index.items() if entry["environment"] in kinds and entry["line"] < last_line
    ]
    return sorted(label for label in main if f"proof_{label}" not in index), len(main)


def check_proof_sections(without: Sequence[str], last_line: int) -> str:
    """Accept if the statements of the main text that have no section of proof are exactly those named."""
    unproved, count = unproved_statements(last_line)
    if unproved != sorted(without):
        raise Rejected(f"without a section: {unproved}")
    return f"{count - len(unproved)} of {count} statements"


def check_missing_proof_section(last_line: int) -> str:
    """Accept if some statement before a line has no section of proof."""
    unproved, count = unproved_statements(last_line)
    if not unproved:
        raise Rejected(f"each of {count} statements has a section of proof")
    return f"without a section: {', '.join(unproved)}"


def check_line(label: str, line: int, *, inside: bool) -> str:
    """Accept if a line is, or is not, inside the display that carries a label."""
    label_line = line_of(label)
    spans = [(d["begin"], d["end"]) for d in read_index("paper_displays.json")]
    begin, end = min(
        (span for span in spans if span[0] <= label_line <= span[1]), key=lambda span: span[1] - span[0]
    )
    if (begin <= line <= end) != inside:
        raise Rejected(f"line {line}, and {label} is lines {begin} to {end}")
    return f"{label} is lines {begin} to {end}; line {line} is {'in' if inside else 'not in'} it"


def check_outside(label: str, line: int) -> str:
    """Accept if a line is outside the display that carries a label."""
    return check_line(label, line, inside=False)


def check_between(line: int, first: str, second: str) -> str:
    """Accept if a line is between two labels."""
    if not line_of(first) < line < line_of(second):
        raise Rejected(f"line {line} is not between {line_of(first)} and {line_of(second)}")
    return f"line {line} is between {first} and {second}"


def check_shown(domains: Sequence[DomainRow], missing: Sequence[str], figures: int) -> str:
    """Accept if exactly the named domains have no section of figures, and there are `figures` figures."""
    index = read_index("paper_labels.json")
    absent = [row.slug for row in domains if f"sub-sec-{row.slug}" not in index]
    drawn = [label for label in index if label.startswith("f-s-")]
    if absent != list(missing) or len(drawn) != figures:
        raise Rejected(f"{absent} have no section; {len(drawn)} figures")
    return f"{len(domains) - len(absent)} of {len(domains)} domains, {len(drawn)} figures"


def check_split_counts(domains: Sequence[DomainRow], values: Sequence[int], ratio: Fraction) -> str:
    """Accept if n attributes cut into n_v values have n (n_v - 1) splits, in this ratio for two n_v."""
    for row in domains:
        counts = [len(splits(_quantised(row.n, n_v))) for n_v in values]
        if counts != [row.n * (n_v - 1) for n_v in values] or Fraction(counts[1], counts[0]) != ratio:
            raise Rejected(f"{row.name}: {counts} splits, ratio {Fraction(counts[1], counts[0])}")
    return f"{values[1] - 1} thresholds an attribute against {values[0] - 1}, ratio {ratio}"


def _quantised(attributes: int, n_values: int) -> Domain:
    return Domain(tuple(Quantised(f"x{index}", n_values) for index in range(attributes)))


def check_refines(coarse: int, fine: int) -> str:
    """Accept if the cuts of a regular grid with few values are among those with many."""
    cuts = [{Fraction(cut, n_v) for cut in range(1, n_v)} for n_v in (coarse, fine)]
    if not cuts[0] <= cuts[1]:
        raise Rejected(f"{sorted(cuts[0] - cuts[1])[0]} is no cut of the finer grid")
    return f"{len(cuts[0])} cuts among {len(cuts[1])}"


def best_edge(rows: Sequence[tuple[Fraction, int]], n_values: int) -> Fraction:
    """Return the greatest edge |sum of w_i y_i g(x_i)| of a threshold, or 0 for none; balanced weights.

    Paper: wlaKMDT.
    """
    attribute = Quantised("x", n_values)
    labels = [y for _, y in rows]
    votes = [(attribute.index(x), Fraction(y, 2 * labels.count(y))) for x, y in rows]
    edges = [
        abs(sum((vote if cell >= cut else -vote for cell, vote in votes), start=Fraction(0)))
        for cut in range(1, n_values)
    ]
    return max(edges, default=Fraction(0))


def check_edges(
    rows: Sequence[tuple[Fraction, int]], few: Sequence[int], enough: int, least: Fraction
) -> str:
    """Accept if every n_v of `few` gives the edge 0, and n_v = `enough` gives an edge of at least `least`."""
    edges = {n_v: best_edge(rows, n_v) for n_v in (*few, enough)}
    if any(edges[n_v] for n_v in few) or edges[enough] < least:
        raise Rejected(f"edges {edges}")
    return ", ".join(f"n_v = {n_v}: edge {edge}" for n_v, edge in edges.items())


def check_spare_search(rows: Sequence[tuple[Fraction, int]], coarse: int, fine: int, gamma: Fraction) -> str:
    """Accept if the edge of the coarse grid is at least gamma, and that of the fine grid is greater."""
    few, many = best_edge(rows, coarse), best_edge(rows, fine)
    if not gamma <= few < many:
        raise Rejected(f"edges {few} and {many}")
    return f"best edge {few} with n_v = {coarse}, {many} with n_v = {fine}"


def check_full(depths: Sequence[int], leaves: int) -> str:
    """Accept if trees grown without data have 2^d leaves, all at depth d, and the last has `leaves`."""
    count = 0
    for depth in depths:
        tree = Tree()
        while (leaf := next_leaf(tree, depth)) is not None:
            tree = tree.grow(leaf, splits(binary_domain(1))[0])
        levels = [len(leaf) for leaf in tree.leaves()]
        count = len(levels)
        if set(levels) != {depth} or count != 2**depth:
            raise Rejected(f"depth {depth}: leaves at {sorted(set(levels))}")
    if count != leaves:
        raise Rejected(f"{count} leaves")
    return f"{count} leaves at depth {depths[-1]}"


def check_shape_depends(first: Sequence[int], second: Sequence[int]) -> str:
    """Accept if the purity test gives two samples that differ in one label trees of different shapes.

    The shape is deterministic, so its probability is 1 for one sample and 0 for its neighbour.
    """
    domain = binary_domain(1)
    samples = [sample_of(domain, [((i % 2,), y) for i, y in enumerate(labels)]) for labels in (first, second)]
    sizes = [len(induce(MATSUSHITA, domain, initial_weights(sample), depth=1).nodes) for sample in samples]
    if sum(a != b for a, b in zip(first, second, strict=True)) != 1 or sizes[0] == sizes[1]:
        raise Rejected(f"{sizes} splits")
    return f"labels {first}: {sizes[0]} splits; labels {second}: {sizes[1]}"


def check_infinite_prediction(alpha: Fraction, q: Fraction) -> str:
    """Accept if the link of a proportion is infinite."""
    value = select(link(m_alpha(alpha), q))
    if not isinstance(value, Infinity):
        raise Rejected(f"the prediction is {value}")
    return f"q = {q} predicts {value}"


def check_smooth_sensitivity(size: int) -> str:
    """Accept if the smooth sensitivity of the median of bits differs between samples of a size.

    It is exp(-beta k), where k is the least number of changes to a sample of local sensitivity 1.
    """

    def median(ones: int) -> int:
        return int(2 * ones > size)

    local = {
        ones: max(abs(median(ones) - median(n)) for n in (ones - 1, ones + 1) if 0 <= n <= size)
        for ones in range(size + 1)
    }
    changes = {ones: min(abs(ones - other) for other in local if local[other]) for ones in local}
    if len(set(changes.values())) == 1:
        raise Rejected("it is the same everywhere")
    return "ones: changes needed " + ", ".join(f"{ones}: {k}" for ones, k in changes.items())


def check_curves(errors: Sequence[Fraction], low: Fraction, high: Fraction, *, most: bool) -> str:
    """Accept if the share of runs with error at most (or at least) x is greater at `high` than at `low`."""

    def share(x: Fraction) -> Fraction:
        return Fraction(sum(error <= x if most else error >= x for error in errors), len(errors))

    if not low < high or not share(low) < share(high):
        raise Rejected(f"the share goes from {share(low)} to {share(high)}")
    return f"share {share(low)} at {low}, {share(high)} at {high}"


def check_falling(errors: Sequence[Fraction], low: Fraction, high: Fraction) -> str:
    """Accept if the share of runs with error at least x decreases and that with error at most x increases."""
    rising = check_curves(errors, low, high, most=True)
    try:
        check_curves(errors, low, high, most=False)
    except Rejected as falling:
        return f"at most x: {rising}; no less than x: {falling}"
    raise Rejected("both grow")
