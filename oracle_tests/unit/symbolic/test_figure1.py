"""Figure 1: compare every value with its definition, and check the written files."""

from __future__ import annotations

import csv
import errno
import itertools
import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path

import matplotlib
import pytest

from privboost.errors import UsageError
from privboost.files import new_file, write_files
from privboost.oracle_tests.support.waiting import DEADLINE
from privboost.reference.exact import Enclosure
from privboost.reference.losses import enclose_bayes_risk, enclose_conjugate, m_alpha
from privboost.symbolic.figure1.draw import curves, draw_one
from privboost.symbolic.figure1.tables import ALPHAS, inverse_link_table
from privboost.symbolic.figure1.write import write_figure1

Row = dict[str, str]
ULP = Fraction(1, 10**20)
BITS = 220
PLOTS = ("bayes_risk", "sensitivity", "inverse_link", "surrogate")
NAMES = sorted(
    [f"figure1_{plot}.{form}" for plot in PLOTS for form in ("csv", "png", "svg")]
    + ["figure1.png", "figure1.svg"]
)

pytestmark = pytest.mark.claim("f-alphaM")


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("figure") / "new" / "folder"
    write_figure1(path)
    return path


@pytest.fixture(scope="module")
def rows(directory: Path) -> dict[str, list[Row]]:
    tables = {}
    for plot in PLOTS:
        with (directory / f"figure1_{plot}.csv").open(newline="", encoding="ascii") as handle:
            tables[plot] = list(csv.DictReader(handle))
    return tables


# The definitions, enclosed -------------------------------------------------------------------------------


@cache
def risk(alpha: Fraction, q: Fraction) -> Enclosure:
    """Enclose the normalised Bayes risk from its definition, the infimum of the expected loss."""
    loss = m_alpha(alpha)
    return enclose_bayes_risk(loss, q, BITS).scale(loss.normaliser)


def is_rounding_of(decimal: str, true: Enclosure) -> bool:
    """Return whether a decimal equals an enclosed number up to half a unit in the last place."""
    return true.lo - ULP / 2 <= Fraction(decimal) <= true.hi + ULP / 2


def check_bayes_risk(row: Row) -> bool:
    """Return whether a row holds the infimum of the expected loss."""
    return is_rounding_of(row["value"], risk(Fraction(row["alpha"]), Fraction(row["q"])))


def check_surrogate(row: Row) -> bool:
    """Return whether a row holds the supremum of -z u + L(u)."""
    return is_rounding_of(
        row["value"], enclose_conjugate(m_alpha(Fraction(row["alpha"])), -Fraction(row["z"]), BITS)
    )


def check_inverse_link(row: Row) -> bool:
    """Return whether the maximisers of z u + L(u) are the interval of a row, to two units of its last place.

    The function is concave: if it rises up to the interval and not further, the interval begins there.
    """
    alpha, z, lower, upper = (Fraction(row[name]) for name in ("alpha", "z", "lower", "upper"))

    def rises(start: Fraction, end: Fraction) -> bool:
        if not (0 <= start <= 1 and 0 <= end <= 1):
            return False
        before, after = risk(alpha, start), risk(alpha, end)
        return z * start + before.hi < z * end + after.lo

    begins = lower == 0 or rises(lower - 2 * ULP, lower - ULP)
    ends = upper == 1 or rises(upper + 2 * ULP, upper + ULP)
    wide = not rises(lower + ULP, lower + 2 * ULP) and not rises(upper - ULP, upper - 2 * ULP)
    return begins and ends and wide


def check_sensitivity(row: Row) -> bool:
    """Return whether a row holds the largest change of a leaf's risk, over all counts and all exchanges."""
    alpha, m = Fraction(row["alpha"]), int(row["m"])

    def leaf(a: int, b: int) -> Enclosure:
        n = a + b
        return risk(alpha, Fraction(a, n)).scale(n) if n else Enclosure(Fraction(0), Fraction(0))

    changes = ((0, 0), (1, 0), (0, 1))
    rests = [(a, n - a) for n in range(m) for a in range(n + 1)]
    leaves = [[leaf(a + i, b + j) for i, j in changes] for a, b in rests]
    pairs = [pair for trio in leaves for pair in itertools.product(trio, trio)]
    sharp = Enclosure(max(x.lo - y.hi for x, y in pairs), max(x.hi - y.lo for x, y in pairs))
    root = Fraction(row["bound"]) - 3 + 2 * alpha  # 2 alpha sqrt(m), to half a unit
    bound = max(root - ULP, Fraction(0)) ** 2 <= 4 * alpha**2 * m <= (root + ULP) ** 2
    return bound and is_rounding_of(row["sharp"], sharp)


CHECKS: dict[str, Callable[[Row], bool]] = {
    "bayes_risk": check_bayes_risk,
    "sensitivity": check_sensitivity,
    "inverse_link": check_inverse_link,
    "surrogate": check_surrogate,
}


def choose(plot: str, rows: dict[str, list[Row]]) -> list[Row]:
    """Return rows spread over all alphas; for the sensitivity the small sizes, which can be enumerated."""
    if plot == "sensitivity":
        return [row for row in rows[plot] if int(row["m"]) in {1, 2, 4}]
    jumps = [row for row in rows[plot] if row["alpha"] == "0" and row.get("z") in {"-2", "2"}]
    return rows[plot][::67] + jumps


# The numbers ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("plot", PLOTS)
def test_figure1__values_lie_in_enclosures_of_the_definition(plot: str, rows: dict[str, list[Row]]) -> None:
    tried = choose(plot, rows)
    assert {row["alpha"] for row in tried} == {str(alpha) for alpha in ALPHAS}
    assert [row for row in tried if not CHECKS[plot](row)] == []


@pytest.mark.parametrize(
    ("plot", "column"),
    [
        ("bayes_risk", "value"),
        ("sensitivity", "bound"),
        ("sensitivity", "sharp"),
        ("inverse_link", "lower"),
        ("inverse_link", "upper"),
        ("surrogate", "value"),
    ],
)
@pytest.mark.parametrize("units", [-4, 4])
def test_figure1__perturbed_value_is_rejected(
    plot: str, column: str, units: int, rows: dict[str, list[Row]]
) -> None:
    row = next(row for row in choose(plot, rows) if row["alpha"] == "1/2" and Fraction(row[column]) % 1)
    wrong = str(Fraction(row[column]) + units * ULP)
    assert CHECKS[plot](row)
    assert not CHECKS[plot](row | {column: wrong})


@pytest.mark.parametrize("plot", PLOTS)
def test_figure1__every_value_has_twenty_decimals(plot: str, rows: dict[str, list[Row]]) -> None:
    values = [decimal for row in rows[plot] for decimal in list(row.values())[2:]]
    assert values
    assert {len(decimal.partition(".")[2]) for decimal in values} == {20}


def test_figure1__jump_is_a_vertical_segment() -> None:
    (polygon,) = curves(inverse_link_table(), Fraction(0))
    steps = list(itertools.pairwise(polygon))
    assert {(x, y) for (x, _), (y, _) in steps if x == y} == {(-2.0, -2.0), (2.0, 2.0)}
    assert all(start[0] == end[0] or start[1] == end[1] for start, end in steps)


# The files -----------------------------------------------------------------------------------------------


def test_figure1__all_files_are_written(directory: Path) -> None:
    assert sorted(path.name for path in directory.iterdir()) == NAMES


def test_figure1__image_files_are_valid(directory: Path) -> None:
    for path in directory.iterdir():
        start = {".png": b"\x89PNG", ".svg": b"<?xml", ".csv": b"alpha,"}[path.suffix]
        assert path.read_bytes().startswith(start), path.name


def test_figure1__second_run_writes_the_same_bytes(directory: Path, tmp_path: Path) -> None:
    program = "\n".join(
        (
            "import pathlib, sys",
            "from privboost.symbolic.figure1.write import write_figure1",
            "write_figure1(pathlib.Path(sys.argv[1]))",
        )
    )
    environment = os.environ | {"PYTHONHASHSEED": "20"}
    subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], check=True, env=environment, timeout=DEADLINE
    )
    different = [name for name in NAMES if (tmp_path / name).read_bytes() != (directory / name).read_bytes()]
    assert different == []


def test_figure1__ignores_settings_of_the_caller(directory: Path) -> None:
    with matplotlib.rc_context({"lines.linewidth": 9, "svg.fonttype": "none"}):
        drawn = draw_one(inverse_link_table(), "svg")
        assert matplotlib.rcParams["lines.linewidth"] == 9
    assert drawn == (directory / "figure1_inverse_link.svg").read_bytes()


# Refusals ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("below", ["", "folder"])
def test_figure1__existing_file_is_refused(tmp_path: Path, below: str) -> None:
    occupied = tmp_path / "occupied"
    occupied.write_text("mine")
    with pytest.raises(UsageError, match="output: expected a folder"):
        write_figure1(occupied / below)
    assert occupied.read_text() == "mine"


def test_figure1__unwritable_folder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    with pytest.raises(UsageError, match="Permission denied"):
        write_figure1(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_files__interruption_leaves_old_files_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(tmp_path, {"a": b"old", "b": b"old"})
    genuine = Path.replace
    calls = itertools.count()

    def interrupt(path: Path, target: Path) -> Path:
        if next(calls) == 1:
            raise KeyboardInterrupt
        return genuine(path, target)

    monkeypatch.setattr(Path, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_files(tmp_path, {"a": b"new", "b": b"new"})
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a": b"new", "b": b"old"}


def test_new_file__error_leaves_the_old_file_whole(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def write_a_part() -> None:
        with new_file(path) as stream:
            stream.write(b"new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_a_part()
    assert [file.read_bytes() for file in tmp_path.iterdir()] == [b"old"]


def test_new_file__has_the_requested_permissions(tmp_path: Path) -> None:
    umask = os.umask(0o022)
    try:
        for name, mode, expected in (("usual", 0o666, 0o644), ("private", 0o600, 0o600)):
            with new_file(tmp_path / name, mode):
                assert not (tmp_path / name).exists()
            assert stat.S_IMODE((tmp_path / name).stat().st_mode) == expected
    finally:
        os.umask(umask)
