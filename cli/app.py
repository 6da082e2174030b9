"""The command line: `privboost COMMAND`.

Results go to standard output, everything else to standard error. Exit codes: 0 conforming, 1 not conforming,
2 invalid command line or a file that cannot be written, 3 internal error of privboost, 4 no verdict could be
reached, 130 interrupted, 143 and 129 stopped by SIGTERM and SIGHUP.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import sys
import traceback
from collections.abc import Sequence
from types import ModuleType

from privboost import __version__
from privboost.cli.commands import (
    audit,
    calibrate,
    card,
    errata,
    example,
    figure1,
    gate,
    leaks,
    losses,
    prove,
    replay,
    scoreboard,
    sensitivity,
    stability,
    study,
    targets,
    vectors,
    verify,
)
from privboost.cli.report import command as report
from privboost.cli.report import demo
from privboost.errors import NoVerdictError, UsageError
from privboost.printing import discard, say, shorten, write_message
from privboost.progress import start_clock
from privboost.tables import Format, render, terminal_width
from privboost.workers.interrupts import exit_at_stop, ignore_further_stops, stop_code, stop_signals

from .arguments import HelpFormatter, common_options
from .exit_codes import (
    BROKEN,
    BROKEN_PIPE,
    CONFORMING,
    INTERRUPTED,
    NO_VERDICT,
    NOT_CONFORMING,
    USAGE,
)

GROUPS: dict[str, dict[str, ModuleType]] = {
    "See what privboost does": {"demo": demo},
    "Test an implementation, or several side by side": {
        "gate": gate,
        "vectors": vectors,
        "scoreboard": scoreboard,
    },
    "Audit a claim of differential privacy": {
        "audit": audit,
        "replay": replay,
        "stability": stability,
        "targets": targets,
        "calibrate": calibrate,
    },
    "Describe a release": {"card": card},
    "Check the paper": {
        "prove": prove,
        "errata": errata,
        "losses": losses,
        "figure1": figure1,
        "sensitivity": sensitivity,
        "leaks": leaks,
        "verify": verify,
    },
    "Train models on data (to use the learner itself, import privboost.fast in Python)": {"study": study},
    "All of the above on one page": {"report": report},
    "Files for the commands of the documentation": {"example": example},
}
COMMANDS = {name: command for commands in GROUPS.values() for name, command in commands.items()}

EPILOG = """
Run 'privboost COMMAND --help' for the options of a command.

Exit codes: 0 conforming, 1 not conforming, 2 bad command line or a file that cannot be written,
3 privboost is broken, 4 no verdict, 130 interrupted (143 by SIGTERM, 129 by SIGHUP).
"""

_NEGATIVE_NUMBER = re.compile(r"-[\d.]")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    argv = list(sys.argv[1:] if arguments is None else arguments)
    _open_standard_streams()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # An encoding without ε must not lose a verdict.
        sys.stdout.reconfigure(errors="backslashreplace")
    start_clock()
    with stop_signals():
        code = _exit_code(argv)
    if arguments is None:
        exit_at_stop(code)
    return code


def _open_standard_streams() -> None:
    """Open the null device for each closed standard stream, lest a file of a command takes its place."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # The new descriptor is the lowest that is free.
            os.open(os.devnull, os.O_RDWR)


def _exit_code(argv: Sequence[str]) -> int:
    """Run one command, print its result or its error, and return its exit code."""
    try:
        return _run(argv)
    except UsageError as error:
        option = f"--{error.argument.replace('_', '-')}: " if error.argument else ""
        _complain("error", f"{option}{error.message}")
        return USAGE
    except NoVerdictError as error:
        _complain("no verdict", " ".join(str(error).split()))
        return NO_VERDICT
    except KeyboardInterrupt:
        return _report_stop()
    except BrokenPipeError:
        discard(sys.stdout)
        return BROKEN_PIPE
    except Exception as error:
        if "--debug" in argv:
            traceback.print_exc()
        if stop_code(CONFORMING):
            # Modules in C, such as those of numpy, replace KeyboardInterrupt while they are imported.
            return _report_stop()
        detail = " ".join(str(error).split())
        _complain("broken", f"{type(error).__name__}: {shorten(detail)} (--debug shows where)")
        return BROKEN


def _report_stop() -> int:
    ignore_further_stops()
    _complain("interrupted", "stopped before the end")
    return stop_code(INTERRUPTED)


def make_parser(argv: Sequence[str] = ()) -> argparse.ArgumentParser:
    """Return the parser of a command line; only the command that it names gets its options."""
    named = next((argument for argument in argv if argument in COMMANDS), None)
    common = common_options()
    parser = argparse.ArgumentParser(
        prog="privboost",
        usage="%(prog)s [-h] [--version] COMMAND ...",
        description="Check implementations, privacy claims and proofs of differentially private boosted "
        f"decision trees.\n\n{_command_list()}",
        epilog=EPILOG.strip(),
        formatter_class=HelpFormatter,
        parents=[common],
    )
    parser.add_argument("--version", action="version", version=f"privboost {__version__}")
    subparsers = parser.add_subparsers(
        prog="privboost", metavar="COMMAND", required=True, help=argparse.SUPPRESS
    )
    for name, command in COMMANDS.items():
        subparser = subparsers.add_parser(
            name, description=command.__doc__, parents=[common], formatter_class=HelpFormatter
        )
        if named in (None, name):
            command.add_arguments(subparser)
        subparser.set_defaults(run=command.run)
    return parser


def _command_list() -> str:
    """Return the commands by group, with one line of help each."""
    groups = []
    for title, commands in GROUPS.items():
        lines = [f"  {name:<12} {_summary(command)}" for name, command in commands.items()]
        groups.append("\n".join([f"{title}:", *lines]))
    return "\n\n".join(groups)


def _summary(command: ModuleType) -> str:
    """Return the first line of the docstring of a command module."""
    return (command.__doc__ or "").partition("\n")[0]


def _run(argv: Sequence[str]) -> int:
    parser = make_parser(argv)
    if not argv:
        write_message(sys.stderr, parser.format_help())
        return USAGE
    options = parser.parse_args(_join_negative_numbers(argv))
    table = options.run(options)
    # A signal that comes now must not cost the result.
    ignore_further_stops()
    _print(render(table, Format(getattr(options, "format", Format.TEXT)), terminal_width()))
    if table.write is not None:
        # A folder that cannot be written to must not cost the verdict.
        table.write()
    if table.exit_code is not None:
        return stop_code(INTERRUPTED) if table.exit_code == INTERRUPTED else int(table.exit_code)
    return CONFORMING if table.conforming else NOT_CONFORMING


def _print(output: str) -> None:
    """Write the result to standard output.

    Ensures: UsageError if standard output is closed or cannot be written to.
    """
    if sys.stdout is None:
        raise UsageError("standard output: expected an open stream, got a closed one")
    try:
        sys.stdout.write(output)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        discard(sys.stdout)
        raise UsageError(f"standard output: expected a writable stream, got {error.strerror}") from None


def _join_negative_numbers(argv: Sequence[str]) -> list[str]:
    """Write `--margin -1/2` as `--margin=-1/2`, since argparse takes `-1/2` for an option."""
    joined: list[str] = []
    for argument in argv:
        is_value = joined and joined[-1].startswith("--") and "=" not in joined[-1]
        if is_value and _NEGATIVE_NUMBER.match(argument):
            joined[-1] += f"={argument}"
        else:
            joined.append(argument)
    return joined


def _complain(kind: str, message: str) -> None:
    say(f"{kind}: {shorten(message)}")
