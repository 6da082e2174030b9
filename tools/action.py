"""Execute the steps of action.yml, and each command of docs/gate.md as written, in a clean environment.

    python -m tools.action        # about five minutes; pip needs the network

Steps and commands see no environment variables but those of the runner and of pip, and no Python packages but
those that the first step installs. A command must print what the page shows, up to ellipses.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from . import ROOT
from .sessions import is_shown

EXPRESSION = re.compile(r"\$\{\{ ([\w.]+) \}\}")
BLOCK = re.compile(r"^```\n(\$ .*?)^```", re.DOTALL | re.MULTILINE)


class Failed(Exception):
    """Report a step or a command whose outcome is not the expected one."""


def clean_environment(**more: str) -> dict[str, str]:
    """Return the variables that every runner has, and those of pip."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name in ("PATH", "HOME") or name.startswith("PIP_")
    }
    return kept | {"LANG": "C.UTF-8", **more}


def steps(inputs: Mapping[str, str], temp: Path) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Yield the steps of the action: name, script, and variables."""
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    unknown = set(inputs) - set(action["inputs"])
    if unknown:
        raise Failed(f"inputs that the action does not have: {sorted(unknown)}")
    values = {
        f"inputs.{name}": inputs.get(name, each.get("default")) for name, each in action["inputs"].items()
    }
    values["runner.temp"] = str(temp)
    for step in action["runs"]["steps"]:
        variables = {
            name: EXPRESSION.sub(lambda m: values[m[1]], value) for name, value in step["env"].items()
        }
        yield step["name"], step["run"], variables


def run_action(folder: Path, temp: Path, **inputs: str) -> tuple[int, dict[str, str], str]:
    """Execute the action in a folder; return its exit code, its outputs, and the summary of the job."""
    output, summary = temp / "output", temp / "summary"
    for path in (output, summary):
        path.write_text("")
    runner = clean_environment(
        RUNNER_OS="Linux",
        GITHUB_ACTION_PATH=str(ROOT),
        GITHUB_OUTPUT=str(output),
        GITHUB_STEP_SUMMARY=str(summary),
    )
    code = 0
    for name, script, variables in steps(inputs, temp):
        print(f"step: {name}", flush=True)
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
        code = subprocess.run(command, cwd=folder, env=runner | variables, check=False).returncode
        if code:
            break
    outputs = dict(line.split("=", 1) for line in output.read_text("utf-8").splitlines())
    return code, outputs, summary.read_text("utf-8")


def check_action(folder: Path, temp: Path) -> None:
    """Execute the action for the first example, and compare its outputs."""
    code, outputs, summary = run_action(
        folder, temp, target="first:First", only="f-alphaM", seed="3", reports="reports", level="values"
    )
    expect("exit code of the action", code, 1)
    expect("verdict", outputs.get("verdict"), "fail")
    expect("headline in the summary", outputs["headline"].split(":")[0] in summary, True)
    reports = sorted(path.name for path in (folder / "reports").iterdir())
    expect("reports", reports, ["gate.html", "gate.svg", "gate.xml"])
    expect("report", Path(outputs["report"]).is_file(), True)


def expect(what: str, actual: Any, expected: Any) -> None:
    """Raise Failed unless two values are equal."""
    if actual != expected:
        raise Failed(f"{what}: expected {expected!r}, got {actual!r}")


def check_page(folder: Path, binaries: Path) -> int:
    """Run every command of docs/gate.md; return their number."""
    environment = clean_environment()
    environment["PATH"] = f"{binaries}:{environment['PATH']}"
    subprocess.run([binaries / "pip", "install", "--quiet", "pytest"], env=environment, check=True)
    count = 0
    for block in BLOCK.findall((ROOT / "docs" / "gate.md").read_text("utf-8")):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            print(f"$ {command}", flush=True)
            done = subprocess.run(
                ["bash", "-c", command],
                cwd=folder,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            if not is_shown(done.stdout, shown.splitlines()):
                output = done.stdout[-3000:] + done.stderr[-1000:]
                raise Failed(f"{command}: expected\n{shown}\ngot\n{output}")
            count += 1
    return count


def main() -> int:
    """Run everything; return the exit code."""
    with tempfile.TemporaryDirectory() as name:
        folder, empty, temp = (Path(name) / part for part in ("job", "empty", "temp"))
        for path in (folder, empty, temp):
            path.mkdir()
        (folder / "first.py").write_bytes((ROOT / "examples" / "gate" / "first.py").read_bytes())
        try:
            check_action(folder, temp)
            count = check_page(empty, temp / "privboost-gate" / "bin")
        except Failed as error:
            print(error, file=sys.stderr)
            return 1
    print(f"the action, and {count} commands of docs/gate.md, do what they say")
    return 0


if __name__ == "__main__":
    sys.exit(main())
