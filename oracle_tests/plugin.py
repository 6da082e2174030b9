"""The pytest plugin: options and marker of the conformance suite, and fixtures for audits and the gate.

Every pytest run loads it if privboost is installed. It therefore imports nothing but pytest, and does not
affect the tests of other projects. The settings of hypothesis are in `unit/conftest.py`.
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from privboost.auditor import AuditResult, RecordReplayResult
    from privboost.oracle_tests.conformance.session import GateSession

UNIT = ("oracle_tests", "unit")
"""The folder of the tests of privboost itself, in any checkout; they are not installed."""
NO_TARGET = "give --privboost-target TARGET, such as 'cmd:./impl --stdio', to run the checks of the gate"
NOT_INSTALLED = "--privboost-target: expected privboost to be installed for this Python: pip install CHECKOUT"
CONFIDENCE = 0.999
"""Default confidence of an audit; high, since a test with a fixed seed that fails by chance fails always."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the conformance suite."""
    group = parser.getgroup("privboost", "privboost conformance suite")
    group.addoption(
        "--privboost-fresh",
        action="store_true",
        default=False,
        help="use random seeds and examples instead of fixed ones (failures print how to reproduce them)",
    )
    group.addoption(
        "--privboost-target",
        metavar="TARGET",
        default=None,
        help="run only the checks of the gate, against this implementation",
    )
    group.addoption(
        "--privboost-profile",
        metavar="NAME",
        default=None,
        help="subject of the checks: trees (default), or mechanisms",
    )
    group.addoption(
        "--privboost-only",
        metavar="LABEL",
        action="append",
        default=[],
        help="run only the checks with this label; may be repeated",
    )
    group.addoption(
        "--privboost-operation",
        metavar="NAME",
        action="append",
        default=[],
        help="ask only this operation, which the target must answer; may be repeated",
    )
    group.addoption(
        "--privboost-xfails",
        metavar="FILE",
        type=Path,
        default=None,
        help="file of known failures of the target, one id or pattern per line",
    )
    group.addoption(
        "--privboost-seed",
        metavar="S",
        type=int,
        default=0,
        help="seed of the random arguments of requests (default 0)",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker that links a test to a label of the paper, and check the options of the gate."""
    config.addinivalue_line(
        "markers", "claim(label): the label of the paper's statement that the test checks"
    )
    if config.getoption("--privboost-target") is not None:
        if importlib.util.find_spec("privboost") is None:
            raise pytest.UsageError(NOT_INSTALLED)
        _register_summary(config)
        return
    for option in ("--privboost-profile", "--privboost-only", "--privboost-operation", "--privboost-xfails"):
        if config.getoption(option):
            raise pytest.UsageError(f"{option}: expected --privboost-target TARGET, too, got none")


def _register_summary(config: pytest.Config) -> None:
    """Register the plugin that says how much a run asked."""
    from privboost.errors import UsageError
    from privboost.oracle_tests.conformance.summary import GateSummary

    try:
        summary = GateSummary(
            config.getoption("--privboost-target"),
            config.getoption("--privboost-operation"),
            config.getoption("--privboost-profile"),
        )
    except UsageError as error:
        raise pytest.UsageError(f"--privboost-{error}") from None
    config.pluginmanager.register(summary, "privboost-gate-summary")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Record the claims of a test as properties for JUnit reports, and as keywords for `-k LABEL`."""
    labels = [str(label) for mark in item.iter_markers("claim") for label in mark.args]
    item.user_properties.extend(("claim", label) for label in labels)
    item.extra_keyword_matches.update(labels)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Ignore the tests of privboost itself if --privboost-target is given."""
    given = config.getoption("--privboost-target") is not None
    return True if given and collection_path.parts[-2:] == UNIT else None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test per check of the gate, marked with its label."""
    if "privboost_check" not in metafunc.fixturenames:
        return
    if metafunc.config.getoption("--privboost-target") is None:
        skipped = pytest.param("", marks=pytest.mark.skip(reason=NO_TARGET), id="no-target")
        metafunc.parametrize("privboost_check", [skipped])
        return
    from privboost.errors import UsageError
    from privboost.oracle_tests.conformance.session import labelled_checks

    try:
        chosen = labelled_checks(
            metafunc.config.getoption("--privboost-only"), metafunc.config.getoption("--privboost-profile")
        )
    except UsageError as error:
        raise pytest.UsageError(str(error)) from None
    parameters = [pytest.param(name, marks=pytest.mark.claim(label), id=name) for name, label in chosen]
    metafunc.parametrize("privboost_check", parameters)


@pytest.fixture(scope="session")
def privboost_gate(request: pytest.FixtureRequest) -> Iterator[GateSession]:
    """Yield a session with the implementation of --privboost-target."""
    from privboost.errors import UsageError
    from privboost.oracle_tests.conformance.session import GateSession

    try:
        session = GateSession(
            request.config.getoption("--privboost-target"),
            fresh=request.config.getoption("--privboost-fresh"),
            seed=request.config.getoption("--privboost-seed"),
            xfails=request.config.getoption("--privboost-xfails"),
            operations=request.config.getoption("--privboost-operation"),
            profile=request.config.getoption("--privboost-profile"),
        )
    except UsageError as error:
        pytest.exit(f"privboost: {error}", returncode=pytest.ExitCode.USAGE_ERROR)
    yield session
    session.close()


@pytest.fixture
def privboost_audit(request: pytest.FixtureRequest) -> Callable[..., AuditResult]:
    """Audit a mechanism and fail the test unless the verdict is CONSISTENT.

    Call it as `privboost_audit(mechanism, pair, epsilon=1.0)`, or with `inputs="vector:10,low=0,high=1"`
    instead of a pair. The arguments are those of `privboost.auditor.audit`. By default the confidence is
    0.999, and the seed is derived from the name of the test, so that every run makes the same calls. With
    --privboost-fresh the seed is random.
    """

    def run(mechanism: Any, pair: Any = None, **options: Any) -> AuditResult:
        __tracebackhide__ = True
        from privboost.auditor import Verdict, audit
        from privboost.auditor.files.report import to_text
        from privboost.auditor.files.sentences import explain

        if not request.config.getoption("--privboost-fresh"):
            options.setdefault("seed", _seed_of(request.node.nodeid))
        options.setdefault("confidence", CONFIDENCE)
        result = audit(mechanism, pair, **options)
        if result.verdict is Verdict.VIOLATION:
            pytest.fail(f"privacy claim refuted\n{to_text(result)}", pytrace=False)
        if result.verdict is Verdict.INCONCLUSIVE:
            advice = f" Give calls={result.deciding_calls}." if result.deciding_calls else ""
            pytest.fail(f"audit INCONCLUSIVE: {explain(result)}{advice}", pytrace=False)
        return result

    return run


@pytest.fixture
def assert_replays(request: pytest.FixtureRequest) -> Callable[..., RecordReplayResult]:
    """Replay a mechanism on pairs and fail the test on a finding, or if nothing can be decided.

    Call it as `assert_replays(mechanism, pairs, epsilon=1)`. The arguments are those of
    `privboost.auditor.replay`; with `undecided=True` only a finding fails the test. The seed is derived from
    the name of the test, or random with --privboost-fresh.
    """

    def run(
        mechanism: Any, pairs: Any = None, *, undecided: bool = False, **options: Any
    ) -> RecordReplayResult:
        __tracebackhide__ = True
        from privboost.auditor import ReplayVerdict, replay

        if not request.config.getoption("--privboost-fresh"):
            options.setdefault("seed", _seed_of(request.node.nodeid))
        result = replay(mechanism, pairs, **options)
        if result.verdict is ReplayVerdict.FINDING:
            pytest.fail(f"replay has findings\n{result}", pytrace=False)
        if result.verdict is ReplayVerdict.UNDECIDED and not undecided:
            pytest.fail(f"replay is UNDECIDED\n{result}", pytrace=False)
        return result

    return run


def _seed_of(name: str) -> int:
    """Return a 64-bit seed derived from the name of a test."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")
