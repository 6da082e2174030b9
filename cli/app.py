"""The command line: `privboost COMMAND`.

Results go to standard output, everything else to standard error. Exit codes: 0 conforming, 1 not conforming,
2 the command line cannot be carried out, 3 privboost itself is broken, 4 no verdict could be reached.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import traceback
from collections.abc import Sequence
from types import ModuleType

from privboost import __version__
from privboost.errors import NoVerdictError, UsageError
from privboost.tables import Format, render

from .arguments import common_options

try:
    from privboost.cli.commands import (
        audit,
        calibrate,
        errata,
        figure1,
        gate,
        leaks,
        losses,
        prove,
        sensitivity,
        study,
        vectors,
        verify,
    )
    from privboost.cli.report import command as report
except KeyboardInterrupt:
    # These imports take longer than all others, and `main` is not there yet to answer for them.
    print("privboost: interrupted: stopped before it began", file=sys.stderr)
    raise SystemExit(130) from None

COMMANDS: dict[str, ModuleType] = {
    "losses": losses,
    "errata": errata,
    "figure1": figure1,
    "sensitivity": sensitivity,
    "leaks": leaks,
    "verify": verify,
    "report": report,
    "prove": prove,
    "audit": audit,
    "calibrate": calibrate,
    "gate": gate,
    "vectors": vectors,
    "study": study,
}

CONFORMING, NOT_CONFORMING, USAGE, BROKEN, NO_VERDICT = 0, 1, 2, 3, 4
INTERRUPTED, BROKEN_PIPE = 130, 141
"""What a shell reports for a command that an interrupt or a closed pipe has ended."""

_NEGATIVE_NUMBER = re.compile(r"-[\d.]")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    argv = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _run(argv)
    except UsageError as error:
        _complain("error", str(error))
        return USAGE
    except NoVerdictError as error:
        _complain("no verdict", " ".join(str(error).split()))
        return NO_VERDICT
    except KeyboardInterrupt:
        _complain("interrupted", "stopped before the end")
        return INTERRUPTED
    except BrokenPipeError:
        _discard_output()
        return BROKEN_PIPE
    except Exception as error:
        if "--debug" in argv:
            traceback.print_exc()
        detail = " ".join(str(error).split())
        _complain("broken", f"{type(error).__name__}: {detail} (--debug shows where)")
        return BROKEN


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    common = common_options()
    parser = argparse.ArgumentParser(
        prog="privboost",
        description="The executable specification of differentially private boosted decision trees.",
        epilog="Exit codes: 0 conforming, 1 not conforming, 2 bad command line, 3 privboost is broken, "
        "4 no verdict.",
        parents=[common],
    )
    parser.add_argument("--version", action="version", version=f"privboost {__version__}")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, command in COMMANDS.items():
        summary = (command.__doc__ or "").partition("\n")[0]
        subparser = subparsers.add_parser(name, help=summary, description=summary, parents=[common])
        command.add_arguments(subparser)
        subparser.set_defaults(run=command.run)
    return parser


def _run(argv: Sequence[str]) -> int:
    options = make_parser().parse_args(_join_negative_numbers(argv))
    table = options.run(options)
    _print(render(table, Format(getattr(options, "format", Format.TEXT))))
    if table.exit_code is not None:
        return int(table.exit_code)
    return CONFORMING if table.conforming else NOT_CONFORMING


def _print(text: str) -> None:
    """Write a result to standard output; a command whose result has no place to go cannot be carried out."""
    if sys.stdout is None:
        raise UsageError("standard output: expected a place to write to, got a closed one")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        _discard_output()
        raise UsageError(f"standard output: expected a place to write to, found: {error.strerror}") from None


def _discard_output() -> None:
    """Send standard output nowhere; Python flushes it once more at exit, which must not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _join_negative_numbers(argv: Sequence[str]) -> list[str]:
    """Write `--margin -1/2` as `--margin=-1/2`, since argparse takes `-1/2` for an option."""
    joined: list[str] = []
    for word in argv:
        if joined and _NEGATIVE_NUMBER.match(word) and joined[-1].startswith("--") and "=" not in joined[-1]:
            joined[-1] += f"={word}"
        else:
            joined.append(word)
    return joined


def _complain(kind: str, message: str) -> None:
    print(f"privboost: {kind}: {message}", file=sys.stderr)
