"""The pytest plugin: options and marker of the conformance suite, audits as a fixture, the gate as tests.

It is loaded in every pytest run where privboost is installed, so it imports nothing but pytest and leaves the
tests of other projects alone. The settings of hypothesis are in `unit/conftest.py`, which a checkout has.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from privboost.auditor import AuditResult
    from privboost.oracle_tests.conformance.session import GateSession

UNIT = Path(__file__).parent / "unit"
"""The tests of privboost itself, which only a checkout has."""
NO_TARGET = "give --privboost-target TARGET, such as 'cmd:./impl --stdio', to run the checks of the gate"
CONFIDENCE = 0.999
"""A suite has many tests, each of which may fail by chance once and then, its seed being fixed, always."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the conformance suite."""
    group = parser.getgroup("privboost", "privboost conformance suite")
    group.addoption(
        "--privboost-fresh",
        action="store_true",
        default=False,
        help="draw fresh random examples instead of the fixed ones (failures print how to reproduce them)",
    )
    group.addoption(
        "--privboost-target",
        metavar="TARGET",
        default=None,
        help="run the checks of the gate, and nothing else of the suite, against this implementation",
    )

    group.addoption(
        "--privboost-only",
        metavar="LABEL",
        action="append",
        default=[],
        help="run the checks of this label of the gate only; may be repeated",
    )
    group.addoption(
        "--privboost-xfails",
        metavar="FILE",
        type=Path,
        default=None,
        help="failures of the target that are known, one id or pattern per line",
    )
    group.addoption(
        "--privboost-seed",
        metavar="S",
        type=int,
        default=0,
        help="of everything random that the target is asked (default 0)",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker that ties a test to a label of the paper."""
    config.addinivalue_line(
        "markers", "claim(label): the label of the paper's statement that the test checks"
    )


def pytest_itemcollected(item: pytest.Item) -> None:
    """Record the claims of a test as properties, which key JUnit reports, and as keywords for `-k LABEL`."""
    labels = [str(label) for mark in item.iter_markers("claim") for label in mark.args]
    item.user_properties.extend(("claim", label) for label in labels)
    item.extra_keyword_matches.update(labels)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the tests of privboost itself where another implementation is tested."""
    given = config.getoption("--privboost-target") is not None
    return True if given and collection_path == UNIT else None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one test of every check of the gate, marked with its label."""
    if "privboost_check" not in metafunc.fixturenames:
        return
    if metafunc.config.getoption("--privboost-target") is None:
        skipped = pytest.param("", marks=pytest.mark.skip(reason=NO_TARGET), id="no-target")
        metafunc.parametrize("privboost_check", [skipped])
        return
    from privboost.errors import UsageError
    from privboost.oracle_tests.conformance.session import labelled_checks

    try:
        chosen = labelled_checks(metafunc.config.getoption("--privboost-only"))
    except UsageError as error:
        raise pytest.UsageError(str(error)) from None
    parameters = [pytest.param(name, marks=pytest.mark.claim(label), id=name) for name, label in chosen]
    metafunc.parametrize("privboost_check", parameters)


@pytest.fixture(scope="session")
def privboost_gate(request: pytest.FixtureRequest) -> Iterator[GateSession]:
    """Hold the implementation that --privboost-target names, and judge it check by check."""
    from privboost.errors import UsageError
    from privboost.oracle_tests.conformance.session import GateSession

    try:
        session = GateSession(
            request.config.getoption("--privboost-target"),
            fresh=request.config.getoption("--privboost-fresh"),
            seed=request.config.getoption("--privboost-seed"),
            xfails=request.config.getoption("--privboost-xfails"),
        )
    except UsageError as error:
        pytest.exit(f"privboost: {error}", returncode=pytest.ExitCode.USAGE_ERROR)
    yield session
    session.close()


@pytest.fixture
def privboost_audit(request: pytest.FixtureRequest) -> Callable[..., AuditResult]:
    """Audit a mechanism and fail the test on a violation: `privboost_audit(mechanism, pair, epsilon=1.0)`.

    The arguments are those of `privboost.auditor.audit`. The seed is made from the name of the test, so that
    the calls are the same every time, unless --privboost-fresh or `seed` says otherwise. Confidence is 0.999.
    """

    def run(mechanism: Any, pair: Any, **options: Any) -> AuditResult:
        __tracebackhide__ = True
        from privboost.auditor import Verdict, audit
        from privboost.auditor.files.report import to_text

        if not request.config.getoption("--privboost-fresh"):
            options.setdefault("seed", _seed_of(request.node.nodeid))
        options.setdefault("confidence", CONFIDENCE)
        result = audit(mechanism, pair, **options)
        if result.verdict is Verdict.VIOLATION:
            pytest.fail(f"privacy claim refuted\n{to_text(result)}", pytrace=False)
        if result.verdict is Verdict.INCONCLUSIVE:
            warnings.warn(pytest.PytestWarning(f"audit INCONCLUSIVE: {result.reason}"), stacklevel=2)
        return result

    return run


def _seed_of(name: str) -> int:
    """Return 64 bits that belong to the name of a test."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")
